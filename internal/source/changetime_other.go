//go:build !linux && !darwin && !freebsd && !netbsd

package source

import "os"

// changeTime is not known here; size, mtime and identity have to do.
func changeTime(os.FileInfo) int64 { return 0 }
