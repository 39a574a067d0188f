package watch

// stamp is what tells one state of a file from another without reading it. Beside size and mtime it has ctime, which no
// program can set back, and the inode, which an atomic save changes. Times are nanoseconds since 1970; what the system
// does not give is 0.
type stamp struct {
	size, mtime, ctime int64
	ino                uint64
}

// changedAt is the time of the last change that the stamp knows of.
func (s stamp) changedAt() int64 { return max(s.mtime, s.ctime) }

// inode names a file or folder on this machine, whatever its path.
type inode struct{ dev, ino uint64 }

type sort uint8

const (
	other  sort = iota // sockets, pipes, devices: never tracked
	file               // a regular file
	link               // a symbolic link, tracked by itself
	folder             //
)

// node is one look at a path.
type node struct {
	stamp
	dev    uint64
	nlink  uint64
	access uint64 // permission bits and owners: whether these changed
	sort   sort
}

func (n node) id() inode { return inode{dev: n.dev, ino: n.ino} }

// tracked reports whether a path of this sort is a file to the journal.
func (n node) tracked() bool { return n.sort == file || n.sort == link }

// followed is the stamp of the file or folder behind path; zero when there is none.
func followed(path string) stamp {
	n, err := stat(path)
	if err != nil || n.sort != file && n.sort != folder {
		return stamp{}
	}
	return n.stamp
}
