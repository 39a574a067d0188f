package doctor

import "io/fs"

// fileID stands for what tells a file from others, which is not looked at here.
type fileID struct{}

// onDisk returns the size of a file.
func onDisk(info fs.FileInfo) (bytes uint64, id fileID, several bool) {
	return uint64(info.Size()), fileID{}, false
}
