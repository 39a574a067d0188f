//go:build !linux && !darwin && !freebsd && !netbsd

package config

import "os"

// identity is not known here; size and time have to do.
func identity(os.FileInfo) (changed int64, inode uint64) { return 0, 0 }
