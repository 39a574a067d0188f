//go:build !linux

package lsp

import "time"

// usage is what all processes of a group use together.
type usage struct {
	memory uint64        // resident, in bytes
	cpu    time.Duration // of the processes that live
}

// groupUsage is not known here.
func groupUsage(int) (usage, bool) { return usage{}, false }

// atRest is not known here.
func atRest(int) bool { return true }
