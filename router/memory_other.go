//go:build !linux

package router

// MachineMemory is not known here; nor is that of the servers, so a limit would have nothing to go by.
func MachineMemory() uint64 { return 0 }
