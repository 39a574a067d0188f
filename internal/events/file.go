package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lspi/internal/source"
)

// MaxBytes is the size at which a file becomes FILE.1, in the place of the one before, and a new one begins.
const MaxBytes = 32 << 20

// maxQueue bounds the lines that wait to be written, in bytes. What comes beyond it is lost, and counted.
const maxQueue = 4 << 20

// closeLimit is how long the end of a file waits until its last lines are written.
const closeLimit = time.Second

// Files are the files that one process writes, each once however many sessions name it. The zero value has none.
type Files struct {
	Log *slog.Logger // hears that a file cannot be written any more; nil hears nothing

	max int64 // the size at which a file is moved; 0 is MaxBytes

	mu   sync.Mutex
	open map[string]*file // by path; guarded by mu
}

// use counts one more user of a file, which is opened when there is none.
func (f *Files) use(path string) (*file, error) {
	if known := f.known(path, nil); known != nil {
		return known, nil
	}
	out, err := openFile(path)
	if err != nil {
		return nil, err
	}
	mine := &file{path: path, of: f, out: out, ready: make(chan struct{}, 1), ended: make(chan struct{})}
	used := f.known(path, mine)
	if used != mine { // another session was faster
		_ = out.Close()
		return used, nil
	}
	go mine.run()
	return mine, nil
}

// known is the file of a path with one user more. Where there is none it is otherwise, which may be nil.
func (f *Files) known(path string, otherwise *file) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	used := f.open[path]
	if used == nil && otherwise != nil {
		if f.open == nil {
			f.open = map[string]*file{}
		}
		used = otherwise
		f.open[path] = used
	}
	if used != nil {
		used.users++
	}
	return used
}

// leave counts one user less. The last one waits until all lines are written, but not longer than closeLimit.
func (f *Files) leave(used *file) {
	f.mu.Lock()
	used.users--
	last := used.users == 0
	if last {
		delete(f.open, used.path)
	}
	f.mu.Unlock()
	if !last {
		return
	}
	used.close()
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case <-used.ended:
	case <-limit.C:
	}
}

// file is one file. Each write has whole lines and goes to the end (O_APPEND), so that several processes can write
// the same one.
type file struct {
	path  string
	of    *Files
	users int // guarded by the mu of Files

	mu      sync.Mutex
	queue   []byte // whole lines; guarded by mu
	lost    int    // lines that were not queued or not written, since the last events.lost; guarded by mu
	closing bool   // guarded by mu

	ready chan struct{} // has a token when there is something to do
	ended chan struct{} // closed when run has ended

	// of run alone
	out     *os.File // nil while it cannot be opened
	torn    bool     // the last write ended within a line
	failing bool     // the last write failed
}

// append queues a line, which ends in a line break; false when the file is closed. It waits for no disk.
func (f *file) append(line []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		return false
	}
	if len(f.queue)+len(line) > maxQueue {
		f.lost++
	} else {
		f.queue = append(f.queue, line...)
	}
	f.wake()
	return true
}

func (f *file) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closing = true
	f.wake()
}

func (f *file) wake() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// run writes what is queued, until the file is closed and all is written.
func (f *file) run() {
	defer close(f.ended)
	for range f.ready {
		lines, closing := f.take()
		for ; len(lines) > 0; lines, closing = f.take() {
			f.write(lines)
		}
		if closing {
			if f.out != nil {
				_ = f.out.Close()
			}
			return
		}
	}
}

// take is all that is queued. Lines that were lost are told in front of it.
func (f *file) take() (lines []byte, closing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines, f.queue = f.queue, nil
	if f.lost > 0 && !f.failing {
		lines = append(f.lostLine(f.lost), lines...)
		f.lost = 0
	}
	return lines, f.closing
}

func (f *file) lostLine(n int) []byte {
	out, _ := json.Marshal(struct { // of plain values
		Time  string `json:"time"`
		Event Kind   `json:"event"`
		Lines int    `json:"lines"`
	}{stamp(time.Now()), EventsLost, n})
	return append(out, '\n')
}

func (f *file) write(lines []byte) {
	if err := f.place(); err != nil {
		f.failed(lines, err)
		return
	}
	if f.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := f.out.Write(lines)
	if n > 0 {
		f.torn = lines[n-1] != '\n'
	}
	if err != nil {
		f.failed(lines[n:], err)
		return
	}
	f.failing = false
}

// failed counts lines that were not written. The first of several failures in turn is told.
func (f *file) failed(lines []byte, err error) {
	f.mu.Lock()
	f.lost += bytes.Count(lines, []byte{'\n'})
	f.mu.Unlock()
	if !f.failing && f.of.Log != nil {
		f.of.Log.Warn("events are not written", "file", f.path, "error", err)
	}
	f.failing = true
}

// place sees to it that out is the file which has the name now, and that it is not too large: another process may
// have moved it.
func (f *file) place() error {
	now, err := os.Stat(f.path)
	if f.out != nil && err == nil {
		own, err := f.out.Stat()
		if err == nil && os.SameFile(now, own) {
			if now.Size() < f.limit() {
				return nil
			}
			if !f.move() {
				return nil
			}
		}
	}
	if f.out != nil {
		_ = f.out.Close()
		f.out = nil
	}
	if f.out, err = openFile(f.path); err != nil {
		f.out = nil
		return err
	}
	f.torn = false
	return nil
}

func (f *file) limit() int64 {
	if f.of.max > 0 {
		return f.of.max
	}
	return MaxBytes
}

// move makes the file FILE.1; false when it stays. Who holds the lock of the file that still has the name is the
// only one that may: else two processes would each move one, and the second move would put a new file in the place
// of the old one. A file that cannot be moved is emptied.
func (f *file) move() (moved bool) {
	if locked, err := source.LockFile(f.out, true); err == nil && !locked {
		return false // the one who has it moves the file
	}
	now, err := os.Stat(f.path)
	if err != nil {
		return true
	}
	if own, err := f.out.Stat(); err != nil || !os.SameFile(now, own) {
		return true
	}
	if os.Rename(f.path, f.path+".1") == nil {
		return true
	}
	_ = f.out.Close() // Windows moves no file that is open
	f.out = nil
	if os.Rename(f.path, f.path+".1") != nil {
		_ = os.Truncate(f.path, 0)
	}
	return true
}

// openFile opens a file for its next lines, and makes it, for the user alone, where there is none. Only regular
// files are taken: the opening of a pipe would wait for its reader.
func openFile(path string) (*os.File, error) {
	switch at, err := os.Stat(path); {
	case err == nil && !at.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
