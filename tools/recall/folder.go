package recall

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
)

// zst is the suffix of a transcript that Codex compressed.
const zst = ".zst"

// ref names a transcript: the folder, and its path in there with forward slashes, without [zst].
type ref struct{ folder, name string }

// found is a transcript that is there.
type found struct {
	ref
	modified time.Time
}

// list calls visit for each regular file below a folder whose name ends in .jsonl, or in .jsonl.zst when there is
// none without. into decides which folders it goes into, by their path. Symbolic links below the folder are left
// out; the folder itself may be one. A folder that does not exist holds nothing; below it, what cannot be read is
// left out.
func list(ctx context.Context, folder string, into func(dir string) bool, visit func(found)) error {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && at == ".":
			return err
		case err != nil:
			return nil
		case d.IsDir() && at != "." && !into(at):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		name, packed := strings.CutSuffix(at, zst)
		if !strings.HasSuffix(name, ".jsonl") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it went while the folder was read
		}
		if _, err := root.Lstat(name); packed && err == nil {
			return nil
		}
		visit(found{ref{folder, name}, info.ModTime()})
		return nil
	})
}

// file is an open transcript.
type file struct {
	*os.File
	info   os.FileInfo
	packed bool
	at     string // absolute
}

// between is the time between two attempts to open a transcript that its client may just be renaming, and attempts
// how many there are.
const (
	between  = 50 * time.Millisecond
	attempts = 4
)

// open opens a transcript, plain or compressed. Codex replaces the one by the other, and moves transcripts to its
// archive; for a moment there may be neither, so it is looked for again a few times. archive is the other folder
// where it may be, or "".
func open(ctx context.Context, r ref, archive string) (*file, error) {
	for n := 1; ; n++ {
		f, err := openOnce(r)
		if errors.Is(err, fs.ErrNotExist) && archive != "" {
			f, err = openOnce(ref{archive, path.Base(r.name)})
		}
		if err == nil || n == attempts || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if err := pause(ctx, between); err != nil {
			return nil, err
		}
	}
}

// pause waits, or is the reason why ctx ended.
func pause(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func openOnce(r ref) (*file, error) {
	root, err := os.OpenRoot(r.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := openIn(root, r.name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = openIn(root, r.name+zst)
	}
	return f, err
}

// openIn opens a regular file below root. Opening does not block, should a pipe have taken its place.
func openIn(root *os.Root, name string) (*file, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) { // it has the name below root
			pe.Path = filepath.Join(root.Name(), pe.Path)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &file{f, info, strings.HasSuffix(name, zst), filepath.Join(root.Name(), filepath.FromSlash(name))}, nil
}

// maxWindow bounds what is held to unpack a file; the levels that zstd has by default need 8 MB.
const maxWindow = 64 << 20

// text is what the file holds, unpacked, from an offset on. The caller closes it when it is done.
func (f *file) text(ctx context.Context, offset int64) (io.Reader, func(), error) {
	if !f.packed {
		_, err := f.Seek(offset, io.SeekStart)
		return f.File, func() {}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	d, err := zstd.NewReader(f.File, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	if _, err := io.CopyN(io.Discard, until{ctx, d}, offset); err != nil {
		d.Close()
		return nil, nil, err
	}
	return d, d.Close, nil
}

// until is a reader that ends with a context.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.Reader.Read(p)
}
