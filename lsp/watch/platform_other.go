//go:build !linux

package watch

import (
	"os"
	"time"
)

// noEvents is the reason why this system's events are not used. kqueue reports per file, with no order among files
// and no room for many; ReadDirectoryChangesW reports each tree in a buffer of its own, with no order among trees. So
// a file made elsewhere would not come out behind the changes that it has to come behind.
const noEvents = "this system's events have no order that a barrier could rely on"

// tick is how close two changes may be and still get the same time (FAT counts mtime in two seconds).
const tick = 2 * time.Second

const coarseTick = tick

func unreliable(string) string { return noEvents }

func advice(error) string { return "" }

func isNotDir(error) bool { return false }

func mountedBelow(string) bool { return true }

// lockDir and ownDir are for the folder of the barrier's token, which is made for events only.
func lockDir(string) (*os.File, error) { return nil, nil }

func ownDir(string) bool { return false }
