package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lspi/contract"
	"lspi/internal/source"
)

// Diagnostic is LSP's Diagnostic, decoded locally: the library's own type keeps its over-allocated slices (a factor of
// 605 with related information) and refuses a message for one odd field.
type Diagnostic struct {
	Range    span            `json:"range"`
	Severity int             `json:"severity"` // 1 error to 4 hint; 0 when the server does not say
	Code     json.RawMessage `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Tags     []int           `json:"tags"`
	Data     json.RawMessage `json:"data"` // for the server's own use in code actions; nil where it would be too much
}

// wireDiagnostic is a Diagnostic as a server gets it back (LSP 3.17, CodeActionContext). What servers do not look
// at there is left out: codeDescription and relatedInformation.
type wireDiagnostic struct {
	Range    protocol.Range  `json:"range"`
	Severity int             `json:"severity,omitempty"`
	Code     json.RawMessage `json:"code,omitempty"`
	Source   string          `json:"source,omitempty"`
	Message  string          `json:"message"`
	Tags     []int           `json:"tags,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// wire is the diagnostic as it goes back to its server. Code and data are as they came: some servers compare them.
func (d Diagnostic) wire() wireDiagnostic {
	return wireDiagnostic{d.Range.rng(), d.Severity, given(d.Code), d.Source, d.Message, d.Tags, given(d.Data)}
}

// The bounds of what is kept of a server that floods.
const (
	MaxKept      = 2_000  // diagnostics of one file
	maxKeptFiles = 20_000 // files with diagnostics

	// Data is what a server puts into a diagnostic to recognise it in a code action; without it the finding is
	// shown all the same, and only some fixes of it are not offered.
	maxData    = 16 << 10 // bytes of one diagnostic's data
	maxAllData = 8 << 20  // and of all
)

// published is the last push for one file.
type published struct {
	version int32 // -1 when the push had none
	items   []Diagnostic
	more    int // diagnostics beyond MaxKept, and those that could not be read
	data    int // bytes of the data of items
	at      time.Time

	inactive inactive
}

// bound drops the data that does not fit into what is left for it, and gives the size of the rest.
// The findings themselves stay: only what serves code actions is dropped.
func (p *published) bound(left int) int {
	for i := range p.items {
		n := len(p.items[i].Data)
		if n > left-p.data {
			p.items[i].Data = nil
			continue
		}
		p.data += n
	}
	return p.data
}

// diagnosticStore keeps what the server pushed (textDocument/publishDiagnostics), the last of each file.
// Notifications write it in the order in which the server sent them; whoever waits for a push reads changed and the
// files under one lock, so that no push falls between the look and the wait.
type diagnosticStore struct {
	lostImport func(message string) bool // [DiagnosticHooks].LostImport, or nil; set before the server starts

	mu     sync.Mutex
	files  map[string]published // by path; guarded by mu
	lost   int                  // pushes for files beyond maxKeptFiles; guarded by mu
	data   int                  // bytes of the data in files; guarded by mu
	pushes int                  // all of them; guarded by mu
	// a file whose errors say that its imports are lost, since the process began; guarded by mu
	lostIn  string
	changed chan struct{} // closed and replaced at every push; guarded by mu
}

// newDiagnosticStore is the empty store of one process: what the process before pushed was about its own documents.
func newDiagnosticStore() *diagnosticStore {
	return &diagnosticStore{files: map[string]published{}, changed: make(chan struct{})}
}

// publish takes textDocument/publishDiagnostics (LSP 3.17). Each push replaces the one before as a whole, and none
// is merged: that is what the specification says, and an empty list is how a server says that a file is clean.
func (d *diagnosticStore) publish(params json.RawMessage) {
	var p struct {
		URI         string          `json:"uri"`
		Version     json.RawMessage `json:"version"`
		Diagnostics json.RawMessage `json:"diagnostics"`
	}
	// A push that cannot be read costs itself alone. It names no file, so that nothing in the store can be marked
	// by it.
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path, ok := URIToPath(p.URI)
	if !ok {
		return
	}
	// What cannot be read takes the place of what was known before all the same: that is no longer what the server
	// says. version -1: a push without a version is never taken for one about a version that was sent.
	entry := published{version: -1, at: time.Now()}
	var list []json.RawMessage
	if json.Unmarshal(p.Diagnostics, &list) == nil {
		entry.items, entry.more = decodeDiagnostics(list)
	} else {
		// The list is no list: one finding that could not be read, so that the file is not reported as clean.
		entry.more = 1
	}
	// A pointer, because null is no version and 0 is one.
	var version *int32
	if json.Unmarshal(p.Version, &version) == nil && version != nil {
		entry.version = *version
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pushes++
	// It stays set until the process ends, also when the file has no errors any more: that the error is gone does
	// not bring the imports back ([DiagnosticHooks].LostImport).
	if d.lostImport != nil && slices.ContainsFunc(entry.items, func(i Diagnostic) bool {
		return d.lostImport(i.Message)
	}) {
		d.lostIn = path
	}
	// A file that is known may always be replaced; only new ones have no room beyond maxKeptFiles, and an empty
	// push for one of these loses nothing. The data of the push before is free for the new one.
	if before, known := d.files[path]; known || len(d.files) < maxKeptFiles {
		d.data += entry.bound(maxAllData-d.data+before.data) - before.data
		d.files[path] = entry
	} else if len(entry.items) > 0 {
		d.lost++
	}
	close(d.changed)
	d.changed = make(chan struct{})
}

// decodeDiagnostics leaves out what cannot be read, item by item, and what is too much; it counts both.
func decodeDiagnostics(raw []json.RawMessage) (out []Diagnostic, more int) {
	out = make([]Diagnostic, 0, min(len(raw), MaxKept))
	for i, r := range raw {
		// What is beyond is not even looked at: a server that floods must not cost the time of reading it either.
		if len(out) == MaxKept {
			return out, more + len(raw) - i
		}
		d, ok := decodeDiagnostic(r)
		if !ok {
			more++
			continue
		}
		out = append(out, d)
	}
	return out, more
}

// decodeDiagnostic reads one diagnostic; a field of the wrong type leaves the others, unless it says what and where.
func decodeDiagnostic(raw json.RawMessage) (d Diagnostic, ok bool) {
	err := json.Unmarshal(raw, &d)
	if len(d.Data) > maxData {
		d.Data = nil
	}
	var wrong *json.UnmarshalTypeError
	// encoding/json goes on behind a field of the wrong type, so that the rest of d is filled. Range, message or
	// code of the wrong type would make another finding of it.
	if errors.As(err, &wrong) {
		field, _, _ := strings.Cut(wrong.Field, ".")
		return d, field == "severity" || field == "source" || field == "tags"
	}
	return d, err == nil && string(raw) != "null"
}

// forget drops what was pushed for a closed document: its text is no longer the server's.
func (d *diagnosticStore) forget(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// Also for a file without a push: the zero value has no data.
	d.data -= d.files[path].data
	delete(d.files, path)
}

// lostImports is a file whose imports the server has lost ([DiagnosticHooks].LostImport); "" when there is none.
func (d *diagnosticStore) lostImports() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lostIn
}

// LostImports notes that the server has lost the imports of a file ([DiagnosticHooks].LostImport), which it did not
// tell yet.
func (q *Diagnostics) LostImports(path string) {
	q.store.mu.Lock()
	defer q.store.mu.Unlock()
	q.store.lostIn = path
}

// refresh wakes those who wait for a push, although none came: the server says that its diagnostics are outdated.
// Who waits looks at the store once more.
func (d *diagnosticStore) refresh() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.changed)
	d.changed = make(chan struct{})
}

// await waits for a push that belongs to at least this version; false when ctx or the server ends first.
// A later version is enough: versions only grow, and nobody waits for the text before any more.
func (d *diagnosticStore) await(ctx context.Context, path string, version int32, gone <-chan struct{}) bool {
	return d.until(ctx, path, gone, func(p published) bool { return p.version >= version })
}

// until waits for a push about a file that is enough.
func (d *diagnosticStore) until(ctx context.Context, path string, gone <-chan struct{},
	enough func(published) bool) bool {
	for {
		d.mu.Lock()
		// Read together with changed: a push between the two would close the channel that was read, so that the
		// wait ends at once.
		have, ok := d.files[path]
		changed := d.changed
		d.mu.Unlock()
		if ok && enough(have) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-gone:
			return false
		}
	}
}

// count is how many pushes came.
// It tells whether any came between two moments, which the files in the store do not: a push may repeat what is there.
func (d *diagnosticStore) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pushes
}

// get is the last push for a file.
func (d *diagnosticStore) get(path string) (published, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.files[path]
	return p, ok
}

// known are the files with diagnostics, and how many were not kept.
func (d *diagnosticStore) known() (paths []string, lost int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, p := range d.files {
		if len(p.items) > 0 {
			paths = append(paths, path)
		}
	}
	return paths, d.lost
}

// inactive are the stretches of a document that its build left out (#if, #ifdef), as some servers tell beside the
// diagnostics of that build ([DiagnosticHooks].RegionsMethod).
type inactive struct {
	told    bool // after the diagnostics that are kept
	regions []span
}

// regions keeps what a server says of the build whose diagnostics it has just pushed.
func (d *diagnosticStore) regions(params json.RawMessage) {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Regions []span `json:"regions"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path, ok := URIToPath(p.TextDocument.URI)
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// Without a push the regions belong to nothing that is kept. The next push of the file drops them: they are of
	// the build before.
	if have, known := d.files[path]; known {
		have.inactive = inactive{told: true, regions: p.Regions[:min(len(p.Regions), MaxKept)]}
		d.files[path] = have
	}
}

// Diagnosis is what one server says now, and how far that can be trusted.
type Diagnosis struct {
	Reports  []Report    // of every file asked for that it reported on; of the workspace, those with findings
	Unsure   bool        // the server gives no sign of when it has said all
	Silent   []string    // files whose current text it did not report on in time
	Check    error       // why the findings of its external checker are missing; nil when they are there
	Pending  []string    // what the server has not looked at yet, of [Diagnostics.First]; nil when it has said all
	Open     []string    // the files that are open, sorted; of the workspace
	Folders  []string    // a file of each folder whose files its analysers did not look at; of the workspace
	Lost     int         // files whose findings were too many to keep
	Excluded []Exclusion // files asked for that the server does not check, whatever it reported
	// sources that the server did not look at, because no build it loaded has them; of the workspace
	Unchecked []string
	Unknown   bool // whether there are more of these could not be found out in time
}

// Report is what one server says about one file.
type Report struct {
	Path     string
	Text     *source.Text // that the ranges belong to
	Findings []Finding
	More     int              // findings that were too many to keep, or could not be read
	Inactive []contract.Range // code that the server does not build, as far as it tells
}

// Findings are those of all reports, in their order.
func (d *Diagnosis) Findings() (out []Finding) {
	for _, r := range d.Reports {
		out = append(out, r.Findings...)
	}
	return out
}

// Finding is one diagnostic in the host's terms.
type Finding struct {
	Path     string       // of the file
	Text     *source.Text // that the range belongs to
	Range    contract.Range
	Severity string // error, warning, information or hint
	Code     string // "" when there is none
	Source   string // the server's id when it does not tell
	Message  string
	Tags     []string // unnecessary, deprecated

	said Diagnostic // as the server has it
}

// Behind is a finding in a text that was shown behind a number of lines of lspi's own, as one of the text itself; ok is
// false for one in those lines.
func (f Finding) Behind(lines int, text *source.Text) (_ Finding, ok bool) {
	r := &f.said.Range
	f.Text, f.Range.Start.Line, f.Range.End.Line = text, f.Range.Start.Line-lines, f.Range.End.Line-lines
	r.Start.Line, r.End.Line = r.Start.Line-float64(lines), r.End.Line-float64(lines)
	return f, f.Range.Start.Line > 0
}

// Exclusion is a file that the server does not check, though it is one of its language: it is no part of what the
// server loads.
type Exclusion struct {
	Path    string   // absolute
	Why     string   // one clause, for people
	Remedy  string   // how to have it loaded, one sentence; "" when nobody knows
	Config  bool     // Remedy is instead what the server's entry in lspi's configuration has to hold
	Tags    []string // the build tags that it takes, where they are the reason
	Answers bool     // the server answers questions about it all the same
}
