package watch

import (
	"hash/maphash"
	"io"
	"os"
	"sync/atomic"

	"lspi/internal/source"
)

// recent helps where files are compared: two changes within one tick of the file system's clock have the same time, and
// often the same size and inode. So of a file that changed less than a tick before it was looked at, a digest of its
// content is kept until the next look.
type recent struct {
	last, next map[string]uint64 // of the last round of looks, and of this one
}

// turn begins a round of looks.
func (r *recent) turn() { r.last, r.next = r.next, nil }

// differs reports whether the file changed between two looks that gave old and s. A change after the time edge counts
// as recent. When a file is recent but was not known to be so, it cannot tell, and reports a change.
func (r *recent) differs(path string, old, s stamp, edge int64) bool {
	before, known := r.last[path]
	fresh := s.changedAt() > edge
	if !fresh && !known {
		return old != s
	}
	now := digest(path)
	if fresh {
		if r.next == nil {
			r.next = make(map[string]uint64)
		}
		r.next[path] = now
	}
	return old != s || !known || before != now
}

// digestLimit is the size in bytes above which a file is not read to compare it, but taken as changed.
const digestLimit = 4 << 20

var (
	digestSeed = maphash.MakeSeed()
	unlike     atomic.Uint64 // makes digests that equal no other, for what cannot be read
)

// digest is a hash of the content and, for a link, of where it points.
func digest(path string) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	target, err := os.Readlink(path)
	if err == nil {
		h.WriteString(target)
	}
	if !readInto(&h, path) && err != nil {
		return unlike.Add(1)
	}
	return h.Sum64()
}

// readInto writes the content of a regular file to w, and reports whether it was all of it.
func readInto(w io.Writer, path string) bool {
	f, info, err := source.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info.Size() > digestLimit {
		return false
	}
	_, err = io.Copy(w, f)
	return err == nil
}
