//go:build !cuda

package gpucheck

import "testing"

func onCUDA(t *testing.T, _ func(t *testing.T, machine *Machine)) {
	t.Skip("built without cuda")
}

// injected is a role that the tagged tests play.
const injected = ""

func replayInjected() int { return 1 }
