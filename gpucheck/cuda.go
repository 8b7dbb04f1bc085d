//go:build cuda

package gpucheck

import (
	"errors"
	"fmt"
	"reflect"

	"gorgonia.org/cu"
)

// openCUDA opens the driver's first device and all others that it and they can reach memory of.
func openCUDA() (*Machine, error) {
	if err := driverReady(); err != nil {
		return nil, err
	}
	count, err := cu.NumDevices()
	if err != nil {
		return nil, driverError("cuDeviceGetCount", err)
	}
	if count == 0 {
		return nil, &NoDevice{fmt.Sprintf("the driver %s sees none", driverPath())}
	}
	ordinals, err := reachable(count)
	if err != nil {
		return nil, err
	}
	machine := &Machine{Info: Info{Backend: "cuda", Driver: driverName(), StandIn: standsIn()}}
	var units []*cudaDevice
	for i, ordinal := range ordinals {
		unit, name, err := openUnit(i, ordinal)
		if err != nil {
			machine.Close()
			return nil, err
		}
		units = append(units, unit)
		machine.Devices = append(machine.Devices, unit)
		machine.Names = append(machine.Names, name)
	}
	if err := connect(units); err != nil {
		machine.Close()
		return nil, err
	}
	return machine, nil
}

// reachable are the devices that a machine is made of: each reaches every other's memory.
func reachable(count int) ([]cu.Device, error) {
	var chosen []cu.Device
	for ordinal := range count {
		device, err := cu.GetDevice(ordinal)
		if err != nil {
			return nil, driverError("cuDeviceGet", err)
		}
		all := true
		for _, other := range chosen {
			there, err := device.CanAccessPeer(other)
			if err != nil {
				return nil, driverError("cuDeviceCanAccessPeer", err)
			}
			back, err := other.CanAccessPeer(device)
			if err != nil {
				return nil, driverError("cuDeviceCanAccessPeer", err)
			}
			all = all && there == 1 && back == 1
		}
		if all {
			chosen = append(chosen, device)
		}
	}
	return chosen, nil
}

// connect lets the kernels of each device reach the memory of the others.
func connect(units []*cudaDevice) error {
	for _, unit := range units {
		unit.peers = units
		for _, other := range units {
			if other == unit {
				continue
			}
			err := unit.do(func() error { return driverError("cuCtxEnablePeerAccess", other.context.EnablePeerAccess(0)) })
			var failed *DeviceError
			if err != nil && !(errors.As(err, &failed) && failed.Code == codePeerEnabled) {
				return err
			}
		}
	}
	return nil
}

// driverName is the opened library and the version of CUDA that it speaks.
func driverName() string {
	version := cu.Version()
	kind := "driver"
	if standsIn() {
		kind = "stand-in for a driver"
	}
	return fmt.Sprintf("%s %s, CUDA %d.%d", kind, driverPath(), version/1000, version%1000/10)
}

// driverError is what a call of package cu answered; nil where it succeeded.
func driverError(call string, err error) error {
	if err == nil {
		return nil
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		// The type of package cu's codes is not exported, its kind is.
		if code := reflect.ValueOf(cause); code.Kind() == reflect.Int {
			return &DeviceError{call, int(code.Int())}
		}
	}
	return fmt.Errorf("%s: %w", call, err)
}
