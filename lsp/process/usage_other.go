//go:build !linux

package process

import "time"

// Usage is what all processes of a group use together.
type Usage struct {
	Memory uint64        // resident, in bytes
	CPU    time.Duration // of the processes that live
}

// UsageOf is not known here.
func UsageOf(int) (Usage, bool) { return Usage{}, false }

// AtRest is not known here.
func AtRest(int) bool { return true }
