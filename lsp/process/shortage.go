package process

import (
	"errors"
	"io/fs"
	"syscall"
)

// Shortages of the machine, or of what it allows this process. A start or a read that fails for one of them says
// nothing about the server or the file.
const (
	ShortageOpenFiles   = "open_files"        // RLIMIT_NOFILE of this process
	ShortageSystemFiles = "open_files_system" // fs.file-max
	ShortageMemory      = "memory"
	ShortageProcesses   = "processes" // RLIMIT_NPROC, or pids.max of a control group
)

// Shortage returns what was short when err is for that; "" for any other error.
func Shortage(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.EMFILE):
		return ShortageOpenFiles
	case errors.Is(err, syscall.ENFILE):
		return ShortageSystemFiles
	case errors.Is(err, syscall.ENOMEM):
		return ShortageMemory
	// As fork(2) has it; for reads EAGAIN means something else.
	case errors.Is(err, syscall.EAGAIN) && errors.As(err, &path) && path.Op == "fork/exec":
		return ShortageProcesses
	}
	return ""
}
