package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// A failing is a device that answers its nth call with an error: of the others none where the error lasts.
type failing struct {
	Device
	calls, nth *int
	code       int
}

func (f *failing) fail(call string) error {
	*f.calls++
	if *f.calls == *f.nth || *f.calls > *f.nth && driverErrors[f.code].lasting {
		return &DeviceError{call, f.code}
	}
	return nil
}

func (f *failing) Allocate(bytes int64) (Address, error) {
	if err := f.fail("allocate"); err != nil {
		return 0, err
	}
	return f.Device.Allocate(bytes)
}

// Free frees also after a lasting fault, as the end of a context does.
func (f *failing) Free(at Address) error {
	err := f.fail("free")
	return errors.Join(err, f.Device.Free(at))
}

func (f *failing) Fill(to Address, value byte, bytes int64) error {
	if err := f.fail("fill"); err != nil {
		return err
	}
	return f.Device.Fill(to, value, bytes)
}

func (f *failing) Upload(to Address, from []byte) error {
	if err := f.fail("upload"); err != nil {
		return err
	}
	return f.Device.Upload(to, from)
}

func (f *failing) Download(to []byte, from Address) error {
	if err := f.fail("download"); err != nil {
		return err
	}
	return f.Device.Download(to, from)
}

func (f *failing) Copy(boxes []Box) error {
	if err := f.fail("copy"); err != nil {
		return err
	}
	return f.Device.Copy(boxes)
}

func (f *failing) CopySegments(table Table) error {
	if err := f.fail("copy_segments"); err != nil {
		return err
	}
	return f.Device.CopySegments(table)
}

func (f *failing) CompareShards(table Table) error {
	if err := f.fail("compare_shards"); err != nil {
		return err
	}
	return f.Device.CompareShards(table)
}

// Every call of a replay and of a measurement fails once: the error is the call's, and nothing is left allocated.
func TestEachFailureIsToldAndLeaksNothing(t *testing.T) {
	subject := smallRows(t)
	for _, work := range []struct {
		name string
		run  func(*Machine) error
	}{
		{"replay", func(m *Machine) error {
			_, err := Replay(context.Background(), m, []Subject{subject}, Options{Widths: []int{4}})
			return err
		}},
		{"measure", func(m *Machine) error {
			_, err := Measure(context.Background(), m, subject, 4, 1)
			return err
		}},
	} {
		for _, code := range []int{codeOutOfMemory, 719} {
			failures := 0
			for nth := 1; ; nth++ {
				machine, calls := Host(2), 0
				memory := machine.Devices[0].(*hostDevice).memory
				for i := range machine.Devices {
					machine.Devices[i] = &failing{machine.Devices[i], &calls, &nth, code}
				}
				err := work.run(machine)
				if len(memory.allocations) != 0 {
					t.Errorf("%s, call %d fails with %d: %d allocations are left", work.name, nth, code, len(memory.allocations))
				}
				if calls < nth {
					if err != nil {
						t.Errorf("%s: %v", work.name, err)
					}
					break
				}
				failures++
				var failed *DeviceError
				if !errors.As(err, &failed) || failed.Code != code || Lasting(err) != (code == 719) {
					t.Errorf("%s, call %d fails with %d: error %v", work.name, nth, code, err)
				}
			}
			if failures < 20 {
				t.Errorf("%s: only %d calls failed", work.name, failures)
			}
		}
	}
}

func TestErrorsSayWhatFailed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&DeviceError{"cuMemAlloc", 2}, "cuMemAlloc: error 2, out of memory"},
		{&DeviceError{"cuMemAlloc", 12345}, "cuMemAlloc: error 12345"},
		{&NoDevice{"the driver sees none"}, "no device: the driver sees none"},
	} {
		if got := fmt.Sprint(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The host's memory is as strict as a device's: what is outside an allocation faults, for good.
func TestHostMemoryFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		call func(d Device, at Address) error
		code int
	}{
		{"fill past the end", func(d Device, at Address) error { return d.Fill(at+1, 0, 100) }, codeIllegalAddress},
		{"upload before the start", func(d Device, at Address) error { return d.Upload(at-1, make([]byte, 2)) }, codeIllegalAddress},
		{"download at no address", func(d Device, at Address) error { return d.Download(make([]byte, 1), 0) }, codeIllegalAddress},
		{"copy past the end", func(d Device, at Address) error {
			return d.Copy([]Box{{Source: at, Target: at, WidthBytes: 60, Height: 2, Depth: 1, SourcePitch: 60, TargetPitch: 0}})
		}, codeIllegalAddress},
		{"a table past the end", func(d Device, at Address) error { return d.CopySegments(Table{at, 2, 2}) }, codeIllegalAddress},
		{"allocate nothing", func(d Device, at Address) error { _, err := d.Allocate(0); return err }, codeInvalidValue},
		{"allocate too much", func(d Device, at Address) error { _, err := d.Allocate(1 << 50); return err }, codeOutOfMemory},
		{"free twice", func(d Device, at Address) error { d.Free(at); return d.Free(at) }, codeInvalidValue},
	} {
		machine := Host(1)
		device := machine.Devices[0]
		at, err := device.Allocate(100)
		if err != nil {
			t.Fatal(err)
		}
		err = c.call(device, at)
		var failed *DeviceError
		if !errors.As(err, &failed) || failed.Code != c.code {
			t.Errorf("%s: error %v, want code %d", c.name, err, c.code)
		}
		if _, err := device.Allocate(1); (err != nil) != driverErrors[c.code].lasting {
			t.Errorf("%s: then %v", c.name, err)
		}
	}
}
