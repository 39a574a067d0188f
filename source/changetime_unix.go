//go:build linux || darwin || freebsd || netbsd

package source

import (
	"os"
	"syscall"
)

// SameChangeTime compares the inode's change time, which a tool that restores mtimes cannot set back.
func SameChangeTime(a, b os.FileInfo) bool {
	x, okx := a.Sys().(*syscall.Stat_t)
	y, oky := b.Sys().(*syscall.Stat_t)
	return !okx || !oky || changeTime(x) == changeTime(y)
}
