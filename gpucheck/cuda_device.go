//go:build cuda

package gpucheck

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/shardproof/shardproof/gpucheck/kernel"
)

// A cudaDevice is one GPU, with a context of its own. Every call is made on one goroutine that is locked to its thread:
// a context is current on a thread and not on a goroutine.
type cudaDevice struct {
	index    int // in the machine
	calls    chan func()
	context  cu.CUContext
	module   cu.Module
	copies   cu.Function
	compares cu.Function
	blocks   int // that keep the device busy
	peers    []*cudaDevice
}

// blocksEach is how many blocks each multiprocessor gets at most: twice what the kernels are built to run at a time.
const blocksEach = 8

// openUnit makes a context on a device and loads the kernels.
func openUnit(index int, device cu.Device) (unit *cudaDevice, name string, err error) {
	unit = &cudaDevice{index: index, calls: make(chan func())}
	go unit.serve()
	err = unit.do(func() error {
		if name, err = device.Name(); err != nil {
			return driverError("cuDeviceGetName", err)
		}
		multiprocessors, err := device.Attribute(cu.MultiprocessorCount)
		if err != nil {
			return driverError("cuDeviceGetAttribute", err)
		}
		unit.blocks = multiprocessors * blocksEach
		return unit.load(device)
	})
	if err != nil {
		close(unit.calls)
	}
	return unit, name, err
}

// load makes the context, which becomes the thread's current one. A context that cannot be used is destroyed again.
func (d *cudaDevice) load(device cu.Device) error {
	var err error
	if d.context, err = device.MakeContext(cu.SchedAuto); err != nil {
		return driverError("cuCtxCreate", err)
	}
	if d.module, err = cu.LoadData(kernel.PTX); err != nil {
		d.context.Destroy()
		return driverError("cuModuleLoadData", err)
	}
	if err = d.findKernels(); err != nil {
		d.destroy()
	}
	return err
}

func (d *cudaDevice) findKernels() error {
	var err error
	if d.copies, err = d.module.Function(kernel.CopySegments); err != nil {
		return driverError("cuModuleGetFunction", err)
	}
	d.compares, err = d.module.Function(kernel.CompareShards)
	return driverError("cuModuleGetFunction", err)
}

// destroy ends the context, and with it every allocation.
func (d *cudaDevice) destroy() error {
	unloaded := driverError("cuModuleUnload", d.module.Unload())
	return errors.Join(unloaded, driverError("cuCtxDestroy", d.context.Destroy()))
}

func (d *cudaDevice) serve() {
	// The thread ends with the goroutine: it is never unlocked.
	runtime.LockOSThread()
	for call := range d.calls {
		call()
	}
}

// do runs a function on the device's thread.
func (d *cudaDevice) do(call func() error) error {
	done := make(chan error)
	d.calls <- func() { done <- call() }
	return <-done
}

// finish runs a function on the device's thread and waits for the work that it has begun.
func (d *cudaDevice) finish(name string, call func() error) error {
	return d.do(func() error {
		if err := call(); err != nil {
			return driverError(name, err)
		}
		return driverError(name+", then cuCtxSynchronize", cu.Synchronize())
	})
}

func (d *cudaDevice) Allocate(bytes int64) (at Address, err error) {
	err = d.do(func() error {
		pointer, err := cu.MemAlloc(bytes)
		at = Address(pointer)
		return driverError("cuMemAlloc", err)
	})
	return at, err
}

func (d *cudaDevice) Free(at Address) error {
	return d.do(func() error { return driverError("cuMemFree", cu.MemFree(cu.DevicePtr(at))) })
}

func (d *cudaDevice) Fill(to Address, value byte, bytes int64) error {
	return d.finish("cuMemsetD8", func() error { return cu.MemsetD8(cu.DevicePtr(to), value, bytes) })
}

func (d *cudaDevice) Upload(to Address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return d.finish("cuMemcpyHtoD", func() error {
		return cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)))
	})
}

func (d *cudaDevice) Download(to []byte, from Address) error {
	if len(to) == 0 {
		return nil
	}
	return d.finish("cuMemcpyDtoH", func() error {
		return cu.MemcpyDtoH(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to)))
	})
}

func (d *cudaDevice) CopySegments(table Table) error {
	return d.launch(kernel.CopySegments, d.copies, table)
}

func (d *cudaDevice) CompareShards(table Table) error {
	return d.launch(kernel.CompareShards, d.compares, table)
}

// launch runs a kernel over all items of a table. Package cu reads 8 bytes of each argument, no more and no less.
func (d *cudaDevice) launch(name string, function cu.Function, table Table) error {
	entries, count, begin, end := uint64(table.Entries), table.Count, uint64(0), table.Items
	if end == 0 {
		return nil
	}
	blocks := int(min((end-1)/kernel.BlockThreads+1, uint64(d.blocks)))
	arguments := []unsafe.Pointer{
		unsafe.Pointer(&entries), unsafe.Pointer(&count), unsafe.Pointer(&begin), unsafe.Pointer(&end),
	}
	return d.finish(fmt.Sprintf("cuLaunchKernel of %s", name), func() error {
		return function.Launch(blocks, 1, 1, kernel.BlockThreads, 1, 1, 0, cu.NoStream, arguments)
	})
}

// Close frees everything and ends the device's thread.
func (d *cudaDevice) Close() error {
	err := d.do(d.destroy)
	close(d.calls)
	return err
}
