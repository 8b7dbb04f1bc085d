//go:build cuda

package gpucheck

import (
	"unsafe"

	"gorgonia.org/cu"
)

// Copy moves boxes by the driver's copies: the simplest that can express each.
func (d *cudaDevice) Copy(boxes []Box) error {
	return d.finish("a copy of the driver", func() error {
		for _, box := range boxes {
			if err := d.copyBox(box); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *cudaDevice) copyBox(box Box) error {
	switch {
	case box.Height == 1 && box.Depth == 1:
		return d.copyBytes(box)
	case box.From != d.index:
		return driverError("cuMemcpy3DPeer", cu.Memcpy3DPeer(d.peerParameters(box)))
	case box.Depth == 1:
		return driverError("cuMemcpy2D", cu.Memcpy2D(planeParameters(box)))
	}
	return driverError("cuMemcpy3D", cu.Memcpy3D(volumeParameters(box)))
}

func (d *cudaDevice) copyBytes(box Box) error {
	source, target := cu.DevicePtr(box.Source), cu.DevicePtr(box.Target)
	if box.From == d.index {
		return driverError("cuMemcpyDtoD", cu.MemcpyDtoD(target, source, box.WidthBytes))
	}
	return driverError("cuMemcpyPeer", cu.MemcpyPeer(target, d.context, source, d.peers[box.From].context, box.WidthBytes))
}

// noArray is an Array that wraps nil. Package cu reads through the pointer in an Array whatever the kind of memory,
// and offers no other way to set it.
func noArray() cu.Array {
	wrapped := struct{ array *uintptr }{new(uintptr)}
	return *(*cu.Array)(unsafe.Pointer(&wrapped))
}

func planeParameters(box Box) cu.Memcpy2dParam {
	return cu.Memcpy2dParam{
		WidthInBytes: box.WidthBytes, Height: box.Height,
		SrcMemoryType: cu.DeviceMemory, SrcDevice: cu.DevicePtr(box.Source), SrcPitch: box.SourcePitch, SrcArray: noArray(),
		DstMemoryType: cu.DeviceMemory, DstDevice: cu.DevicePtr(box.Target), DstPitch: box.TargetPitch, DstArray: noArray(),
	}
}

func volumeParameters(box Box) cu.Memcpy3dParam {
	return cu.Memcpy3dParam{
		WidthInBytes: box.WidthBytes, Height: box.Height, Depth: box.Depth,
		SrcMemoryType: cu.DeviceMemory, SrcDevice: cu.DevicePtr(box.Source), SrcPitch: box.SourcePitch,
		SrcHeight: box.SourceSliceRows, SrcArray: noArray(),
		DstMemoryType: cu.DeviceMemory, DstDevice: cu.DevicePtr(box.Target), DstPitch: box.TargetPitch,
		DstHeight: box.TargetSliceRows, DstArray: noArray(),
	}
}

func (d *cudaDevice) peerParameters(box Box) cu.Memcpy3dPeerParam {
	return cu.Memcpy3dPeerParam{
		WidthInBytes: box.WidthBytes, Height: box.Height, Depth: box.Depth,
		SrcMemoryType: cu.DeviceMemory, SrcDevice: cu.DevicePtr(box.Source), SrcPitch: box.SourcePitch,
		SrcHeight: box.SourceSliceRows, SrcArray: noArray(), SrcContext: d.peers[box.From].context,
		DstMemoryType: cu.DeviceMemory, DstDevice: cu.DevicePtr(box.Target), DstPitch: box.TargetPitch,
		DstHeight: box.TargetSliceRows, DstArray: noArray(), DstContext: d.context,
	}
}
