package gpucheck

// An arena is the allocations of one run, so that all of them are freed, whatever failed in between.
type arena struct {
	machine   *Machine
	allocated []allocated
}

type allocated struct {
	device int
	at     Address
}

// allocate returns memory for bytes on a device, at least one.
func (a *arena) allocate(device int, bytes int64) (Address, error) {
	at, err := a.machine.Devices[device].Allocate(max(bytes, 1))
	if err == nil {
		a.allocated = append(a.allocated, allocated{device, at})
	}
	return at, err
}

// upload returns memory that holds bytes.
func (a *arena) upload(device int, bytes []byte) (Address, error) {
	at, err := a.allocate(device, int64(len(bytes)))
	if err != nil || len(bytes) == 0 {
		return at, err
	}
	return at, a.machine.Devices[device].Upload(at, bytes)
}

// release frees everything, the last first, and returns the error given to it or else the first of its own.
func (a *arena) release(err error) error {
	for i := len(a.allocated) - 1; i >= 0; i-- {
		one := a.allocated[i]
		if failed := a.machine.Devices[one.device].Free(one.at); failed != nil && err == nil {
			err = failed
		}
	}
	a.allocated = nil
	return err
}
