//go:build cuda

package gpucheck

/*
#include <stdlib.h>
#include "driver/driver.h"

// standin_live asks the stand-in how many objects of a kind are live; -1 where the driver is a real one.
static long long standin_live(const char *kind) {
	long long (*live)(const char *) = (long long (*)(const char *))shardproof_driver_function("standinLive");
	return live == 0 ? -1 : live(kind);
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// driverReady is a *NoDevice where no driver could be opened or the driver sees no device.
func driverReady() error {
	switch status := int(C.shardproof_driver_status()); status {
	case 0:
		return nil
	case codeDriverIsMissing:
		return &NoDevice{C.GoString(C.shardproof_driver_problem())}
	default:
		return &NoDevice{fmt.Sprintf("the driver %s: %v", driverPath(), &DeviceError{"cuInit", status})}
	}
}

func driverPath() string { return C.GoString(C.shardproof_driver_path()) }

// standsIn reports whether the driver is the stand-in on host memory.
func standsIn() bool { return standInLive("allocations") >= 0 }

// standInLive is how many allocations, contexts or modules the stand-in holds; -1 on a real driver.
func standInLive(kind string) int64 {
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	return int64(C.standin_live(name))
}
