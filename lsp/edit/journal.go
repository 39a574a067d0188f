package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errOtherVersion is the error of a journal that this version of lspi does not understand.
var errOtherVersion = errors.New("the journal is of another version of lspi")

// journalVersion is written into each journal; one of another version is left alone.
const journalVersion = 1

// header is the first line of a journal: all that is going to be done. While it is not complete, nothing was done.
type header struct {
	Version int         `json:"version"`
	ID      string      `json:"id"`
	Roots   []string    `json:"roots"` // real
	Steps   []step      `json:"steps"`
	Call    *callRecord `json:"call,omitempty"` // nil when the edit is of no call that somebody may ask about
}

// state is how far the edit has come. The last complete line of a journal counts, and decides what a recovery does:
//
//	no line               nothing on disk was changed yet: auxiliary files, perhaps incomplete ones, are removed
//	staged, begin         every step that is done is undone; forward instead, when somebody changed a file that already has
//	                      its new text, since undoing would lose that change
//	undo                  the undoing goes on
//	committed, undone     only auxiliary files are left to be removed
//
// Swaps have no lines of their own. There may be hundreds, each line costs a sync, and the texts of both files tell
// on which side a swap is (run.inspectSwap). For the other steps a line is written before each, since a path that
// exists or not does not tell who saw to that.
type state string

const (
	stateStaged    state = "staged"    // all new texts are written; swaps may have begun
	stateBegin     state = "begin"     // the steps before Step are done, Step may be
	stateUndo      state = "undo"      // of the steps behind Step only Done are still done, Step may be
	stateCommitted state = "committed" // all steps are done; auxiliary files go
	stateUndone    state = "undone"    // only Done are still done; auxiliary files go
)

type record struct {
	State state `json:"moment"`
	Step  int   `json:"step,omitempty"`
	Done  []int `json:"done,omitempty"`
}

// journal is the file of one plan that is being applied. It is gone, or a record, when the plan is done.
type journal struct {
	disk   *disk
	path   string
	record string // where it is kept in the end; "" when it is of no call
	f      *os.File
	// uncertain: the last line may or may not be there, since writing it failed and so did taking it back.
	uncertain bool
}

func (w *Writer) journals() string { return filepath.Join(w.dir, "journals") }

// newJournal writes the header, durably.
func (w *Writer) newJournal(h header) (*journal, error) {
	if err := os.MkdirAll(w.journals(), 0o700); err != nil {
		return nil, err
	}
	j := &journal{disk: &w.disk, path: filepath.Join(w.journals(), h.ID), record: w.recordFor(h)}
	var err error
	if j.f, err = os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if err = j.append(h); err == nil {
		err = w.disk.syncFolder(w.journals())
	}
	if err != nil {
		j.f.Close()
		os.Remove(j.path)
		return nil, err
	}
	return j, nil
}

// append writes one line, durably. After an error the line is not there, unless uncertain is set.
func (j *journal) append(line any) (err error) {
	raw, err := json.Marshal(line)
	if err != nil {
		return err
	}
	before, err := j.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	err = j.disk.do("journal", j.path, func() error {
		return j.disk.fill(j.f, string(raw)+"\n", "during journal", j.path)
	})
	if err == nil {
		j.uncertain = false // whatever is before, the last line counts
	} else if j.disk.do("truncate", j.path, func() error { return j.f.Truncate(before) }) != nil {
		j.uncertain = true
	}
	return err
}

// end removes the journal, or makes it the record of its call.
func (j *journal) end(remember bool) error {
	j.f.Close()
	if remember && j.record != "" {
		return j.remember()
	}
	return j.disk.remove(j.path)
}

// read reads a journal without changing it: somebody may be writing it. The records are those that are complete; whole
// is how many bytes header and records take, 0 when not even the header is complete.
func read(path string) (h header, records []record, whole int64, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return h, nil, 0, err
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	if !bytes.HasSuffix(lines[0], []byte("\n")) || json.Unmarshal(lines[0], &h) != nil {
		return h, nil, 0, nil
	}
	if h.Version != journalVersion {
		return h, nil, 0, errOtherVersion
	}
	whole = int64(len(lines[0]))
	for _, line := range lines[1:] {
		var r record
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &r) != nil {
			break
		}
		records = append(records, r)
		whole += int64(len(line))
	}
	return h, records, whole, nil
}

// reopen goes on writing a journal behind its complete lines. The caller holds the lock of its roots.
func (w *Writer) reopen(path string, h header, whole int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(whole); err != nil {
		f.Close()
		return nil, err
	}
	return &journal{disk: &w.disk, path: path, record: w.recordFor(h), f: f}, nil
}

// left are the paths of the journals there are.
func (w *Writer) left() ([]string, error) {
	entries, err := os.ReadDir(w.journals())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, filepath.Join(w.journals(), e.Name()))
		}
	}
	return out, err
}
