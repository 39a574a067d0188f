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

// ref names a transcript: its folder, and its path below it with forward slashes, without [zst]. It
// stays the same when Codex compresses the file.
type ref struct{ folder, name string }

// found is a transcript that exists now.
type found struct {
	ref
	modified time.Time
}

// listFiles calls visit for each regular file below a folder whose name ends in .jsonl or .json, or in .jsonl.zst
// when the plain one does not exist. into decides by its path whether a subfolder is read. Symbolic
// links below the folder are left out, since they may lead anywhere; the folder itself may be one. A
// folder that does not exist holds nothing; subfolders that cannot be read are left out, so the only
// errors are of the folder itself and of ctx.
func listFiles(ctx context.Context, folder string, into func(dir string) bool, visit func(found)) error {
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
		if !strings.HasSuffix(name, ".jsonl") && (packed || !strings.HasSuffix(name, ".json")) {
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

// file is an open transcript; the caller closes it.
type file struct {
	*os.File
	info   os.FileInfo
	packed bool
	at     string // absolute
}

// How often a transcript that its client may just be renaming is looked for, and how long the pauses are.
const (
	between  = 50 * time.Millisecond
	attempts = 4
)

// openTranscript opens a transcript, plain or compressed. Codex replaces one form by the other and moves
// transcripts to its archive; for a moment neither exists, so a missing file is looked for a few times.
// archive is the other folder where it may be; "" for none.
func openTranscript(ctx context.Context, r ref, archive string) (*file, error) {
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

// pause waits for a length of time; its error is the cause of ctx when that ends first.
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

// openOnce opens the plain file, else the compressed one.
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

// openIn opens a regular file below root, without following links out of it. O_NONBLOCK keeps it from
// waiting for the other end of a pipe that has taken the file's place.
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

// maxWindow bounds the memory for unpacking one file. zstd's default levels need 8 MB; a file that
// needs more than this is refused, since its header may ask for gigabytes.
const maxWindow = 64 << 20

// text returns a reader of the unpacked text from an offset on, and a function that releases it. A
// compressed file can only be read from its beginning, so the text before the offset is unpacked and
// dropped.
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

// until is a reader that fails with the cause of its context once that ends.
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

// besideIt reads a small file beside a transcript, in a folder above it; "" when it cannot be read.
func besideIt(root *os.Root, name string) string {
	f, err := openIn(root, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw := make([]byte, maxPath)
	n, _ := f.ReadAt(raw, 0)
	return string(raw[:n])
}

// stem returns the base of a name without the end of a transcript's.
func stem(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".jsonl"), ".json")
}
