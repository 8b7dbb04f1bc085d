// Package gpucheck replays plans on a device and confirms there, element for element, what they write: values,
// write counts and guards. What a shard should hold comes from package oracle, never from the plan.
//
// The same replay runs on two backends: host, plain memory with bounds checks of its own, always built; and cuda,
// built with the tag of that name. Only a run on the second with a real driver says anything about a GPU, and Info
// says which it was.
package gpucheck

import (
	"fmt"
	"strings"
)

// An Address is a place in device memory, in bytes. 0 is none. Addresses of all devices of a machine are distinct.
type Address uint64

// A Device is one device with memory and the two kernels of package kernel. Each method returns when its work is
// done, with a *DeviceError where the device failed.
//
// Its methods may be called from any goroutine, one at a time.
type Device interface {
	// Allocate returns memory of at least 1 byte, aligned to 256 bytes, with any contents.
	Allocate(bytes int64) (Address, error)
	Free(Address) error
	Fill(to Address, value byte, bytes int64) error
	Upload(to Address, from []byte) error
	Download(to []byte, from Address) error
	// Copy moves boxes by the device's own copies, one after another.
	Copy([]Box) error
	// CopySegments launches kernel.CopySegments on a table of kernel.Segment.
	CopySegments(Table) error
	// CompareShards launches kernel.CompareShards on a table of kernel.Shard.
	CompareShards(Table) error
	// Close frees everything. No other method may be called after it.
	Close() error
}

// A Table is what a kernel works on: entries in device memory and the items of all of them together.
type Table struct {
	Entries      Address
	Count, Items uint64
}

// A Box is a copy of rows of bytes: Height of them in each of Depth slices. Rows stand a pitch apart, slices as many
// rows as the slice height says.
type Box struct {
	From                             int // which of the machine's devices the source is on; the target is on the one that copies
	Source, Target                   Address
	WidthBytes, Height, Depth        int64
	SourcePitch, TargetPitch         int64 // bytes, at least WidthBytes
	SourceSliceRows, TargetSliceRows int64 // at least Height
}

// A Machine is the devices that one replay uses together. Each reaches the memory of the others.
type Machine struct {
	Info
	Devices []Device
}

// Close closes every device, and returns the first error.
func (m *Machine) Close() error {
	var first error
	for _, device := range m.Devices {
		if err := device.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Info says what a machine is.
type Info struct {
	Backend string   `json:"backend"`  // host or cuda
	Driver  string   `json:"driver"`   // the library and its version
	Names   []string `json:"devices"`  // of the devices
	StandIn bool     `json:"stand_in"` // the driver is the stand-in on host memory
}

// GPU reports whether this is a real device: results from anything else say nothing about one.
func (i Info) GPU() bool { return i.Backend == "cuda" && !i.StandIn }

// String is one line that names the devices and the driver, and says so where they are no GPU.
func (i Info) String() string {
	text := fmt.Sprintf("%s, by the %s", strings.Join(i.Names, " and "), i.Driver)
	if !i.GPU() {
		text = "no GPU: " + text
	}
	return text
}

// Open opens the devices of a backend: host, with two devices, or cuda, with all that reach each other. The error is
// a *NoDevice where there is none.
func Open(backend string) (*Machine, error) {
	switch backend {
	case "host":
		return Host(2), nil
	case "cuda":
		return openCUDA()
	}
	return nil, fmt.Errorf("no backend %q; there are host and cuda", backend)
}
