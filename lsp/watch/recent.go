package watch

import (
	"hash/maphash"
	"io"
	"os"
	"sync/atomic"

	"lspi/internal/source"
)

// recent tells apart two states of a file with the same stamp. Two changes within one tick of the file system's clock
// have the same time, and often the same size and inode. So of a file that changed less than a tick before it was
// looked at, a digest of its content is kept until the next look.
type recent struct {
	last, next map[string]uint64 // of the last round of looks, and of this one
}

// nextRound begins a round of looks. Digests that the round before did not renew are forgotten.
func (r *recent) nextRound() { r.last, r.next = r.next, nil }

// differs reports whether a file changed between two looks, which gave the stamps old and s. A change after the time
// edge (nanoseconds since 1970) is recent. When a file is recent but the look before took no digest, nobody can tell,
// and differs reports a change: a server that reads a file once more than needed answers right.
func (r *recent) differs(path string, old, s stamp, edge int64) bool {
	before, known := r.last[path]
	fresh := s.changedAt() > edge
	// Old enough that a later write would have another time.
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

// digestLimit is the size in bytes above which a recent file is not read to compare it; it counts as changed.
const digestLimit = 4 << 20

var (
	digestSeed    = maphash.MakeSeed()
	unequalDigest atomic.Uint64 // counts files that cannot be read, so that no two of their digests are equal
)

// digest returns a hash of the content and, for a link, of its target.
func digest(path string) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	target, err := os.Readlink(path)
	if err == nil {
		h.WriteString(target)
	}
	if !readInto(&h, path) && err != nil {
		return unequalDigest.Add(1)
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
