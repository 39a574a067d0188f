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

// errOtherVersion says that another version of lspi has written the journal in another format.
var errOtherVersion = errors.New("the journal is of another version of lspi")

// journalVersion is in each journal; a journal with another one is left alone.
const journalVersion = 1

// header is the first line of a journal: everything that will be done. While it is incomplete, nothing was done.
type header struct {
	Version int         `json:"version"`
	ID      string      `json:"id"`
	Roots   []string    `json:"roots"` // links resolved
	Steps   []step      `json:"steps"`
	Call    *callRecord `json:"call,omitempty"` // nil for an edit of no call
}

// state is how far the edit has come. The last complete line of a journal decides what a recovery does:
//
//	no line               nothing was changed yet: auxiliary files, perhaps incomplete ones, are removed
//	staged, begin         every step that is done is undone; or the rest is done, when somebody has changed a file
//	                      that already had its new text, since undoing would lose that change
//	undo                  the undoing goes on
//	committed, undone     only auxiliary files are left to be removed
//
// Swaps have no lines of their own: there may be hundreds, each line costs a sync, and the texts of the two files say
// whether a swap was done (run.inspectSwap). Each of the other steps has a line before it, since the existence of a
// path does not say who made it.
type state string

const (
	stateStaged    state = "staged"    // all new texts are written; swaps may have begun
	stateBegin     state = "begin"     // the steps before Step are done; Step may be
	stateUndo      state = "undo"      // of the steps behind Step only Done are still done; Step may be
	stateCommitted state = "committed" // all steps are done; auxiliary files are being removed
	stateUndone    state = "undone"    // only Done are still done; auxiliary files are being removed
)

type record struct {
	State state `json:"moment"`
	Step  int   `json:"step,omitempty"`
	Done  []int `json:"done,omitempty"`
}

// journal is the file of one plan that is being applied. At the end it is deleted, or becomes the record of its call.
type journal struct {
	disk   *disk
	path   string
	record string // where it is kept at the end; "" for an edit of no call
	f      *os.File
	// uncertain: the last line may or may not be in the file, since writing it failed and truncating it failed too.
	uncertain bool
}

func (w *Writer) journals() string { return filepath.Join(w.dir, "journals") }

// newJournal creates a journal and writes its header, durably.
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
		j.uncertain = false // the last line alone counts, whatever precedes it
	} else if j.disk.do("truncate", j.path, func() error { return j.f.Truncate(before) }) != nil {
		j.uncertain = true
	}
	return err
}

// end deletes the journal; with remember, one that belongs to a call becomes its record.
func (j *journal) end(remember bool) error {
	j.f.Close()
	if remember && j.record != "" {
		return j.keepAsRecord()
	}
	return j.disk.remove(j.path)
}

// read reads a journal without changing it, since another process may be writing it. records are the complete ones;
// whole is how many bytes the header and they take, 0 when the header is incomplete.
func read(path string) (h header, records []record, whole int64, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return h, nil, 0, err
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	// A line without its end may be one that is being written, or one that a crash has cut.
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

// reopen opens a journal to continue it behind its complete lines. The caller holds the lock of its roots.
func (w *Writer) reopen(path string, h header, whole int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	// What a crash has left of an incomplete line would else stand before the next one.
	if err := f.Truncate(whole); err != nil {
		f.Close()
		return nil, err
	}
	return &journal{disk: &w.disk, path: path, record: w.recordFor(h), f: f}, nil
}

// left returns the paths of all journals. Its error is edit_rejected with [ReasonNoJournal].
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
	if err != nil {
		return nil, rejected(ReasonNoJournal, "",
			"the folder of the journals that make an edit safe cannot be read: %s: %w", w.journals(), systemError(err))
	}
	return out, nil
}
