package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A call is what a host waits for. The process that serves it may be killed at any instant, and then another
// process has to tell the host what became of its edit. So the journal of an edit says whose it is, and a journal
// that ends is not deleted but moved to the folder of records in one step: a committed edit is in one of the two
// places at every instant, and no second file has to be written and synced.

// callRecord is what a journal says of the call whose edit it is.
type callRecord struct {
	Digest  string            `json:"digest"`           // of the id, which is written nowhere
	Undoes  bool              `json:"undoes,omitempty"` // [ApplyOptions.Undoes]
	Files   []ChangedFile     `json:"files"`
	Totals  Totals            `json:"totals"`
	Backups map[string]string `json:"backups,omitempty"` // by labels
}

// ChangedFile is one file of an edit as its record has it.
type ChangedFile struct {
	Path         string `json:"path"` // as [File] has it
	From         string `json:"from,omitempty"`
	Label        string `json:"label"`                // Path as [Options.Label] names it
	FromLabel    string `json:"from_label,omitempty"` // From likewise
	Kind         Kind   `json:"kind"`
	BeforeSHA256 string `json:"before_sha256,omitempty"`
	AfterSHA256  string `json:"after_sha256,omitempty"`
	Edits        int    `json:"edits,omitempty"`
	Folder       bool   `json:"folder,omitempty"`
	Contains     int    `json:"contains,omitempty"`
	Binary       bool   `json:"binary,omitempty"`

	Now Content `json:"-"` // what [Writer.Outcome] found on disk
}

// Content says which of its texts a file has.
type Content string

// The contents; for a file that is made, moved or deleted also where it is.
const (
	ContentNew   Content = "new"   // as the call wanted it
	ContentOld   Content = "old"   // as before the call
	ContentOther Content = "other" // neither: somebody else changed it
)

// remembered is how long records and marks are kept that nobody removes. Hosts wait for minutes.
const remembered = 24 * time.Hour

// maxRemembered is how many of both are kept; a variable for tests.
var maxRemembered = 1000

// toldSuffix ends the name of a mark beside the records: the host of the call was told what became of it.
const toldSuffix = ".told"

func (w *Writer) records() string { return filepath.Join(w.dir, "done") }

// recordOf is where the record of the call with an id is.
func (w *Writer) recordOf(digest string) string { return filepath.Join(w.records(), digest) }

// recordFor is where a journal is kept once it has ended; "" when it is of no call.
func (w *Writer) recordFor(h header) string {
	if h.Call == nil {
		return ""
	}
	return w.recordOf(h.Call.Digest)
}

func callDigest(id string) string { return DigestText(id)[:32] }

// callRecord is what the journal of the plan says of a call; nil without an id.
func (p *Plan) callRecord(o ApplyOptions, backups map[string]string) *callRecord {
	if o.Call == "" {
		return nil
	}
	label := func(path string) string {
		if path == "" || p.label == nil {
			return path
		}
		return p.label(path)
	}
	r := &callRecord{Digest: callDigest(o.Call), Undoes: o.Undoes, Totals: p.Totals}
	for i := range p.Files {
		f := &p.Files[i]
		r.Files = append(r.Files, ChangedFile{Path: f.Path, From: f.From, Label: label(f.Path),
			FromLabel: label(f.From), Kind: f.Kind,
			BeforeSHA256: f.BeforeSHA256, AfterSHA256: f.AfterSHA256, Edits: len(f.Edits), Folder: f.Folder,
			Contains: f.Contains, Binary: f.Binary})
	}
	for path, backup := range backups {
		if r.Backups == nil {
			r.Backups = map[string]string{}
		}
		r.Backups[label(path)] = label(backup)
	}
	return r
}

// remember moves the journal, which has ended, to the record of its call, where it replaces that of an earlier edit
// of the same call. No sync: the record is for the time after the death of a process, not of the system, whose
// hosts die with it.
func (j *journal) remember() error {
	if err := os.MkdirAll(filepath.Dir(j.record), 0o700); err != nil {
		return err
	}
	forgetOld(filepath.Dir(j.record))
	return j.disk.do("record", j.path, func() error { return os.Rename(j.path, j.record) })
}

// forgetOld removes what nobody asked for in a day, and makes room for one more. What cannot be removed is tried
// again by the next one.
func forgetOld(dir string) {
	entries, _ := os.ReadDir(dir)
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, info := range all {
		if i >= maxRemembered-1 || time.Since(info.ModTime()) > remembered {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// Forget removes the record of a call, once its host has the answer. A call without a record is no error.
func (w *Writer) Forget(call string) error {
	err := os.Remove(w.recordOf(callDigest(call)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// wasTold reports whether the host of a call was told what became of it, so that the call may change nothing more.
// It is asked once the journal is there: [Writer.Outcome] makes the mark before it looks for journals, so one of
// the two sees the other.
func (w *Writer) wasTold(call string) bool {
	return call != "" && exists(w.recordOf(callDigest(call))+toldSuffix)
}

// markTold makes the mark. [Writer.Forget] leaves it: a process that was only stopped may go on hours later.
func (w *Writer) markTold(call string) error {
	if err := os.MkdirAll(w.records(), 0o700); err != nil {
		return err
	}
	forgetOld(w.records())
	f, err := os.OpenFile(w.recordOf(callDigest(call))+toldSuffix, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lookAtContents finds out what each file of an edit has now.
func lookAtContents(all []ChangedFile) {
	// A path that is taken away may be made anew by the same edit. What is there then is told with the file that it is.
	var before, after []string
	for i := range all {
		if f := &all[i]; f.Kind != Create {
			before = append(before, f.before())
		}
		if f := &all[i]; f.Kind != Delete {
			after = append(after, f.Path)
		}
	}
	for i := range all {
		switch f := &all[i]; {
		case f.Kind != Delete && has(f.Path, f.AfterSHA256), f.Kind == Delete && lacks(f.Path, f.BeforeSHA256, after):
			f.Now = ContentNew
		case f.Kind != Create && has(f.before(), f.BeforeSHA256), f.Kind == Create &&
			lacks(f.Path, f.AfterSHA256, before):
			f.Now = ContentOld
		default:
			f.Now = ContentOther
		}
	}
}

// has reports whether what is at a path has the digest; of a folder without one, whether it is there.
func has(path, want string) bool {
	path = realPath(path)
	if want == "" {
		return isFolder(path)
	}
	found, err := digest(path)
	return err == nil && found == want
}

// lacks reports whether nothing is at a path, or something else in the place of others.
func lacks(path, gone string, others []string) bool {
	return !exists(realPath(path)) || overlap([]string{path}, others) && !has(path, gone)
}

// before is the path before the edit.
func (f *ChangedFile) before() string {
	if f.From != "" {
		return f.From
	}
	return f.Path
}

// kept finds the texts that the edit with this journal put aside.
func (w *Writer) kept(h *header) []Kept {
	dir := filepath.Join(w.dir, "kept")
	entries, _ := os.ReadDir(dir) // nearly always there is none
	var out []Kept
	for _, e := range entries {
		i := slices.IndexFunc(h.Steps, func(s step) bool {
			aux := filepath.Base(s.Aux)
			return s.Aux != "" && (strings.HasPrefix(e.Name(), aux+"-") ||
				strings.HasPrefix(e.Name(), aux+besideSuffix+"-"))
		})
		if i >= 0 {
			out = append(out, Kept{Path: h.Steps[i].Path, Kept: filepath.Join(dir, e.Name())})
		}
	}
	return out
}
