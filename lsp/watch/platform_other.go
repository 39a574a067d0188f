//go:build !linux

package watch

import (
	"os"
	"time"
)

// noEvents is why events are not used on these systems. kqueue reports each file for itself, without an order among
// files, and needs a descriptor for each. ReadDirectoryChangesW fills a buffer per tree, without an order among
// trees. So the event of a barrier's file elsewhere would not come behind the changes before it.
const noEvents = "this system's events have no order that a barrier could rely on"

// tick is how close two changes may be and still get the same time: FAT counts mtime in units of two seconds.
const tick = 2 * time.Second

const coarseTick = tick

func unreliable(string) string { return noEvents }

func advice(error) string { return "" }

func isNotDir(error) bool { return false }

func mountedBelow(string) bool { return true }

// lockDir and ownDir serve the private folder of the barrier's token, which is made only where there are events.
func lockDir(string) (*os.File, error) { return nil, nil }

func ownDir(string) bool { return false }
