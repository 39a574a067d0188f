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

// A host waits for a call of a tool. The process that serves the call may be killed at any moment, and another process
// then has to tell the host what became of its edit. So the journal of an edit names the call, and a journal that has
// ended is not deleted but moved to the folder of records, by one rename: a committed edit is in one of the two places
// at every moment, and no second file has to be written and synced.

// callRecord is what a journal says of the call whose edit it is.
type callRecord struct {
	Digest  string            `json:"digest"`           // of the call's id, which itself is not written
	Undoes  bool              `json:"undoes,omitempty"` // [ApplyOptions.Undoes]
	Files   []ChangedFile     `json:"files"`
	Totals  Totals            `json:"totals"`
	Backups map[string]string `json:"backups,omitempty"` // by labels
}

// ChangedFile is one file of an edit, as its record has it.
type ChangedFile struct {
	Path         string `json:"path"` // as in [File]
	From         string `json:"from,omitempty"`
	Label        string `json:"label"`                // of Path, by [Options.Label]
	FromLabel    string `json:"from_label,omitempty"` // of From
	Kind         Kind   `json:"kind"`
	BeforeSHA256 string `json:"before_sha256,omitempty"`
	AfterSHA256  string `json:"after_sha256,omitempty"`
	Edits        int    `json:"edits,omitempty"`
	Folder       bool   `json:"folder,omitempty"`
	Contains     int    `json:"contains,omitempty"`
	Binary       bool   `json:"binary,omitempty"`

	Now Content `json:"-"` // what [Writer.Outcome] found on disk
}

// Content says which text a file has now.
type Content string

// The contents. For a file that the edit makes, moves or deletes, they also say where it is.
const (
	ContentNew   Content = "new"   // as the call wanted it
	ContentOld   Content = "old"   // as before the call
	ContentOther Content = "other" // neither: somebody else changed it
)

// keepRecordsFor is how long records and marks are kept when nobody removes them. Hosts wait for minutes.
const keepRecordsFor = 24 * time.Hour

// maxRemembered bounds the number of records and marks together, since a host that edits all day leaves one for each
// edit; tests change it.
var maxRemembered = 1000

// toldSuffix ends the name of a mark beside the records, which says that the host was told what became of its call.
const toldSuffix = ".told"

func (w *Writer) records() string { return filepath.Join(w.dir, "done") }

// recordOf returns the path of the record of the call whose id has a digest.
func (w *Writer) recordOf(digest string) string { return filepath.Join(w.records(), digest) }

// recordFor returns where a journal is kept after its end; "" for the edit of no call.
func (w *Writer) recordFor(h header) string {
	if h.Call == nil {
		return ""
	}
	return w.recordOf(h.Call.Digest)
}

func callDigest(id string) string { return DigestText(id)[:32] }

// callRecord returns what the journal of the plan says of the call; nil when there is none.
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

// keepAsRecord moves the journal, which has ended, to the record of its call, where it replaces that of an earlier
// edit of the same call. It does not sync: the record is for the time after the death of the process. After a crash
// of the system the hosts are gone too.
func (j *journal) keepAsRecord() error {
	if err := os.MkdirAll(filepath.Dir(j.record), 0o700); err != nil {
		return err
	}
	pruneRecords(filepath.Dir(j.record))
	return j.disk.do("record", j.path, func() error { return os.Rename(j.path, j.record) })
}

// pruneRecords removes records that are older than keepRecordsFor, and the oldest when there are too many. The next
// call tries again to remove what cannot be removed.
func pruneRecords(dir string) {
	entries, _ := os.ReadDir(dir)
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, info := range all {
		if i >= maxRemembered-1 || time.Since(info.ModTime()) > keepRecordsFor {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// Forget removes the record of a call, once its host has the answer. It is no error when there is no record.
func (w *Writer) Forget(call string) error {
	err := os.Remove(w.recordOf(callDigest(call)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// wasTold reports whether the host was told what became of a call, so that the call may change nothing more. It is
// asked when the journal exists, and [Writer.Outcome] makes the mark before it looks for journals: one of the two
// sees the other.
func (w *Writer) wasTold(call string) bool {
	return call != "" && exists(w.recordOf(callDigest(call))+toldSuffix)
}

// markTold makes the mark. [Writer.Forget] leaves it: a process that was only stopped may continue hours later.
func (w *Writer) markTold(call string) error {
	if err := os.MkdirAll(w.records(), 0o700); err != nil {
		return err
	}
	pruneRecords(w.records())
	f, err := os.OpenFile(w.recordOf(callDigest(call))+toldSuffix, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lookAtContents sets what each file of an edit has now.
func lookAtContents(all []ChangedFile) {
	// The edit may make a new file at a path that it removes. What is there now belongs to the entry of the new file.
	var before, after []string
	for i := range all {
		if f := &all[i]; f.Kind != Create {
			before = append(before, f.pathBefore())
		}
		if f := &all[i]; f.Kind != Delete {
			after = append(after, f.Path)
		}
	}
	for i := range all {
		switch f := &all[i]; {
		case f.Kind != Delete && has(f.Path, f.AfterSHA256), f.Kind == Delete && lacks(f.Path, f.BeforeSHA256, after):
			f.Now = ContentNew
		case f.Kind != Create && has(f.pathBefore(), f.BeforeSHA256), f.Kind == Create &&
			lacks(f.Path, f.AfterSHA256, before):
			f.Now = ContentOld
		default:
			f.Now = ContentOther
		}
	}
}

// has reports whether what is at a path has the digest; for a folder without one, whether a folder is there.
func has(path, want string) bool {
	path = realPath(path)
	if want == "" {
		return isFolder(path)
	}
	found, err := digestOf(path)
	return err == nil && found == want
}

// lacks reports whether nothing is at a path, or something else that another entry of the edit has put there.
func lacks(path, gone string, others []string) bool {
	return !exists(realPath(path)) || overlap([]string{path}, others) && !has(path, gone)
}

// pathBefore returns the path before the edit.
func (f *ChangedFile) pathBefore() string {
	if f.From != "" {
		return f.From
	}
	return f.Path
}

// keptTexts finds the texts that the edit with this journal has moved to the writer's folder.
func (w *Writer) keptTexts(h *header) []Kept {
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
