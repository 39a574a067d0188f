package watch

// stamp tells one state of a file from another without reading it. Beside size and mtime it has ctime, which no
// program can set back, and the inode, which an atomic save changes. Times are nanoseconds since 1970; 0 stands for
// what the system does not have.
type stamp struct {
	size, mtime, ctime int64
	ino                uint64
}

// changedAt returns the later of the times, in nanoseconds since 1970.
func (s stamp) changedAt() int64 { return max(s.mtime, s.ctime) }

// inode identifies a file or folder on this machine, whatever its path.
type inode struct{ dev, ino uint64 }

type sort uint8

const (
	other  sort = iota // sockets, pipes, devices: never tracked
	file               // a regular file
	link               // a symbolic link, tracked by itself
	folder             //
)

// node is what one look at a path found.
type node struct {
	stamp
	dev    uint64
	nlink  uint64
	access uint64 // permission bits and owners, combined; compared alone
	sort   sort
}

func (n node) id() inode { return inode{dev: n.dev, ino: n.ino} }

// tracked reports whether the journal tracks files of this sort.
func (n node) tracked() bool { return n.sort == file || n.sort == link }

// statStamp returns the stamp of the file or folder at path, links followed; the zero stamp when there is none.
func statStamp(path string) stamp {
	n, err := stat(path)
	if err != nil || n.sort != file && n.sort != folder {
		return stamp{}
	}
	return n.stamp
}
