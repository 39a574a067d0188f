//go:build unix

package doctor

import (
	"io/fs"
	"syscall"
)

// fileID tells a file from others of the machine, whatever its names are.
type fileID struct{ device, file uint64 }

// onDisk returns the bytes that a file takes, and whether it has several names.
func onDisk(info fs.FileInfo) (bytes uint64, id fileID, several bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return uint64(info.Size()), fileID{}, false
	}
	// In units of 512 bytes on every Unix (stat(2)); their types differ by system.
	return uint64(s.Blocks) * 512, fileID{uint64(s.Dev), uint64(s.Ino)}, s.Nlink > 1
}
