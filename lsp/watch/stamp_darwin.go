package watch

import (
	"io/fs"
	"syscall"
)

// complement adds what this system knows beyond the portable.
func complement(n *node, fi fs.FileInfo) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	n.ctime, n.ino, n.dev, n.nlink = st.Ctimespec.Nano(), st.Ino, uint64(st.Dev), uint64(st.Nlink)
}
