package gpucheck

import (
	"errors"
	"fmt"
)

// NoDevice is that there is no device to run on: no driver, a driver that sees none, or a binary built without cuda.
type NoDevice struct{ Problem string }

// Error is one line that says what is missing.
func (e *NoDevice) Error() string { return "no device: " + e.Problem }

// A DeviceError is a call that a device answered with an error.
type DeviceError struct {
	Call string // of the driver, such as cuMemAlloc
	Code int    // of the driver
}

// Error names the call and the error, in the words of the driver's manual.
func (e *DeviceError) Error() string {
	if known, ok := driverErrors[e.Code]; ok {
		return fmt.Sprintf("%s: error %d, %s", e.Call, e.Code, known.meaning)
	}
	return fmt.Sprintf("%s: error %d", e.Call, e.Code)
}

// Lasting reports whether an error stays until the process ends: every later call on the device fails as well.
func Lasting(err error) bool {
	var failed *DeviceError
	return errors.As(err, &failed) && driverErrors[failed.Code].lasting
}

// The codes of the driver that this package itself answers with, or tells apart.
const (
	codeInvalidValue    = 1
	codeOutOfMemory     = 2
	codeIllegalAddress  = 700
	codePeerEnabled     = 704
	codeMisaligned      = 716
	codeNoDevice        = 100
	codeDriverIsMissing = -1
)

// driverErrors are the codes that matter here, as the manual of the CUDA driver describes them (CUresult).
var driverErrors = map[int]struct {
	meaning string
	lasting bool
}{
	codeInvalidValue:   {"invalid value", false},
	codeOutOfMemory:    {"out of memory", false},
	3:                  {"driver not initialized", false},
	4:                  {"driver shutting down", true},
	46:                 {"device busy or unavailable", false},
	codeNoDevice:       {"no device", false},
	101:                {"invalid device", false},
	200:                {"invalid image", false},
	201:                {"invalid context", false},
	209:                {"no binary for this device", false},
	214:                {"uncorrectable memory error", true},
	217:                {"peer access unsupported", false},
	218:                {"invalid PTX", false},
	221:                {"no compiler for PTX", false},
	222:                {"unsupported PTX version", false},
	400:                {"invalid handle", false},
	500:                {"not found", false},
	codeIllegalAddress: {"illegal address", true},
	701:                {"launch out of resources", false},
	702:                {"launch timeout", true},
	codePeerEnabled:    {"peer access already enabled", false},
	705:                {"peer access not enabled", false},
	709:                {"context is destroyed", true},
	710:                {"assertion in a kernel", true},
	714:                {"hardware stack error", true},
	715:                {"illegal instruction", true},
	codeMisaligned:     {"misaligned address", true},
	717:                {"invalid address space", true},
	718:                {"invalid program counter", true},
	719:                {"launch failed", true},
	801:                {"not supported", false},
	999:                {"unknown error, such as a lost device", true},
}
