package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const wheels = root + "/build/wheels"

// needWheels fetches the pinned compiler and assembler, where they are not there yet.
func needWheels(t *testing.T) {
	t.Helper()
	makeTargets(t, []string{"python3"}, "build/wheels/fetched")
}

// The committed PTX is what the pinned compiler makes of the committed source.
func TestPTXIsBuiltFromSource(t *testing.T) {
	needWheels(t)
	got, err := exec.Command("python3", "build_ptx.py", wheels, "replay.cu").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != PTX {
		t.Error("replay.ptx is not what replay.cu compiles to: make gpu-ptx")
	}
}

// ptxas takes the PTX, so a driver will: the same compiler is in it.
func TestPTXAssembles(t *testing.T) {
	needWheels(t)
	folder := t.TempDir()
	found, err := filepath.Glob(wheels + "/nvidia_cuda_nvcc_cu11-*.whl")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v wheels of ptxas, %v", found, err)
	}
	if output, err := exec.Command("python3", "-m", "zipfile", "-e", found[0], folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	// Unpacked files have no permission to run.
	ptxas := filepath.Join(folder, "nvidia/cuda_nvcc/bin/ptxas")
	if err := os.Chmod(ptxas, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, architecture := range []string{"sm_70", "sm_80", "sm_90"} {
		command := exec.Command(ptxas, "-arch="+architecture, "-o", filepath.Join(folder, architecture), "replay.ptx")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", architecture, err, output)
		}
	}
}
