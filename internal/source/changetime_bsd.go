//go:build darwin || freebsd || netbsd

package source

import (
	"os"
	"syscall"
)

func changeTime(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano()
	}
	return 0
}
