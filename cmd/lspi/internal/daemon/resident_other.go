//go:build !linux

package daemon

import "runtime/debug"

// Shrink gives back the memory that the start of this process took and that passing messages on does not need.
func Shrink() { debug.FreeOSMemory() }
