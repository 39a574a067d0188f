package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// FileHolds reports whether a file may hold a word; it never misses one in a file that it can read. A
// file that cannot be read to its end, or is larger than a source may be, counts as holding it; what
// does not exist, cannot be opened or is no regular file does not. It reads into buf and returns it for
// the next file, so that a search through thousands of files needs one buffer.
func FileHolds(path string, word, buf []byte) (bool, []byte) {
	info, err := os.Stat(path) // first: to open a pipe waits for its other end
	if err != nil || !info.Mode().IsRegular() {
		return false, buf
	}
	if info.Size() > MaxBytes {
		return true, buf
	}
	f, err := os.Open(path)
	if err != nil {
		return false, buf
	}
	defer f.Close()
	read := bytes.NewBuffer(buf[:0])
	if _, err := read.ReadFrom(f); err != nil {
		return true, buf
	}
	text := read.Bytes()
	return MayHoldWord(text, word), text
}

// MayHold reports whether a file that is too large for a source holds a name, or nobody can tell. It
// reads the file in parts; when ctx ends first, the file may hold the name.
func MayHold(ctx context.Context, path, name string) bool {
	f, err := os.Open(path) // [FileHolds] made sure that it is a regular file
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	part := make([]byte, 1<<20)
	kept := 0 // the end of the part before, in which the name may begin
	// Each part begins with the last bytes of the one before: a name may lie across the border.
	for ctx.Err() == nil {
		n, err := f.Read(part[kept:])
		if bytes.Contains(part[:kept+n], []byte(name)) {
			return true
		}
		if err != nil {
			return !errors.Is(err, io.EOF)
		}
		end := kept + n
		kept = min(end, len(name)-1)
		copy(part, part[end-kept:end])
	}
	return true
}
