//go:build cuda

package gpucheck

import (
	"errors"
	"testing"
)

// onCUDA runs a test on the driver's devices, and finds what it leaves there where the driver is the stand-in.
func onCUDA(t *testing.T, test func(t *testing.T, machine *Machine)) {
	machine, err := Open("cuda")
	var none *NoDevice
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	test(t, machine)
	if machine.StandIn && standInLive("allocations") != 0 {
		t.Errorf("%d allocations are left", standInLive("allocations"))
	}
	if err := machine.Close(); err != nil {
		t.Error(err)
	}
	if machine.StandIn && standInLive("contexts") != 0 {
		t.Errorf("%d contexts are left", standInLive("contexts"))
	}
}
