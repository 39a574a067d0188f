//go:build darwin || freebsd || netbsd

package config

import (
	"os"
	"syscall"
)

func identity(info os.FileInfo) (changed int64, inode uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano(), s.Ino
	}
	return 0, 0
}
