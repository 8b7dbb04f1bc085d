package gpucheck

import (
	"fmt"
	"sort"
)

// Host returns a machine of devices that are host memory: each reaches the others', and each access is checked.
//
// It executes the tables that a GPU would, in plain Go, and so tests everything above the kernels on any machine.
func Host(devices int) *Machine {
	memory := &hostMemory{next: hostBase}
	machine := &Machine{Info: Info{Backend: "host", Driver: "host backend in plain Go"}}
	for i := range devices {
		machine.Names = append(machine.Names, "host memory")
		machine.Devices = append(machine.Devices, &hostDevice{memory: memory, index: i})
	}
	return machine
}

const (
	hostBase     = Address(1) << 40 // addresses beyond 2^32, as a GPU's are
	hostAlign    = 256              // bytes, as the driver promises
	hostGap      = 1 << 16          // bytes that belong to no allocation, after each
	hostCapacity = 1 << 34          // bytes: more than a replay on a CPU is meant for
)

// A hostMemory is the memory of all devices of a host machine.
type hostMemory struct {
	next        Address
	allocations []hostAllocation // by address
	used        int64            // bytes
	failed      error            // a fault lasts, as on a GPU
}

type hostAllocation struct {
	begin  Address
	device int
	bytes  []byte
}

type hostDevice struct {
	memory *hostMemory
	index  int
}

func (d *hostDevice) Allocate(bytes int64) (Address, error) {
	m := d.memory
	if m.failed != nil {
		return 0, m.failed
	}
	if bytes < 1 {
		return 0, &DeviceError{"allocate", codeInvalidValue}
	}
	if bytes > hostCapacity-m.used {
		return 0, &DeviceError{"allocate", codeOutOfMemory}
	}
	at := m.next
	m.allocations = append(m.allocations, hostAllocation{at, d.index, alignedBytes(bytes)})
	m.next += Address((bytes + hostGap + hostAlign - 1) / hostAlign * hostAlign)
	m.used += bytes
	return at, nil
}

func (d *hostDevice) Free(at Address) error {
	m := d.memory
	for i, allocation := range m.allocations {
		if allocation.begin == at && allocation.device == d.index {
			m.used -= int64(len(allocation.bytes))
			m.allocations = append(m.allocations[:i], m.allocations[i+1:]...)
			return nil
		}
	}
	return m.fail("free", codeInvalidValue, at, 0)
}

func (d *hostDevice) Fill(to Address, value byte, bytes int64) error {
	target, err := d.memory.bytesAt("fill", to, bytes)
	for i := range target {
		target[i] = value
	}
	return err
}

func (d *hostDevice) Upload(to Address, from []byte) error {
	target, err := d.memory.bytesAt("upload", to, int64(len(from)))
	copy(target, from)
	return err
}

func (d *hostDevice) Download(to []byte, from Address) error {
	source, err := d.memory.bytesAt("download", from, int64(len(to)))
	copy(to, source)
	return err
}

func (d *hostDevice) Copy(boxes []Box) error {
	for _, box := range boxes {
		if err := d.memory.copyBox(box); err != nil {
			return err
		}
	}
	return nil
}

func (d *hostDevice) Close() error {
	kept := d.memory.allocations[:0]
	for _, allocation := range d.memory.allocations {
		if allocation.device != d.index {
			kept = append(kept, allocation)
		} else {
			d.memory.used -= int64(len(allocation.bytes))
		}
	}
	d.memory.allocations = kept
	return nil
}

func (m *hostMemory) copyBox(box Box) error {
	for slice := range box.Depth {
		for row := range box.Height {
			source, err := m.bytesAt("copy", box.Source+Address((slice*box.SourceSliceRows+row)*box.SourcePitch), box.WidthBytes)
			if err != nil {
				return err
			}
			target, err := m.bytesAt("copy", box.Target+Address((slice*box.TargetSliceRows+row)*box.TargetPitch), box.WidthBytes)
			if err != nil {
				return err
			}
			copy(target, source)
		}
	}
	return nil
}

// bytesAt returns memory that lies in one allocation; else the device has failed for good.
func (m *hostMemory) bytesAt(call string, at Address, bytes int64) ([]byte, error) {
	if m.failed != nil {
		return nil, m.failed
	}
	i := sort.Search(len(m.allocations), func(i int) bool { return m.allocations[i].begin > at }) - 1
	if i < 0 || bytes < 0 {
		return nil, m.fail(call, codeIllegalAddress, at, bytes)
	}
	allocation := m.allocations[i]
	offset := uint64(at - allocation.begin)
	if offset > uint64(len(allocation.bytes)) || uint64(bytes) > uint64(len(allocation.bytes))-offset {
		return nil, m.fail(call, codeIllegalAddress, at, bytes)
	}
	return allocation.bytes[offset : offset+uint64(bytes) : offset+uint64(bytes)], nil
}

func (m *hostMemory) fail(call string, code int, at Address, bytes int64) error {
	err := fmt.Errorf("%d bytes at %#x: %w", bytes, uint64(at), &DeviceError{call, code})
	if Lasting(err) {
		m.failed = err
	}
	return err
}
