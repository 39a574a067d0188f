package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// What a server said about a file is made a report here, in the host's terms, with the code that the server does
// not build.

// addPushed adds to d the diagnostics that the server pushed for a file that still exists.
func (q *Diagnostics) addPushed(path string, d *Diagnosis) {
	text, err := q.docs.Text(path)
	if err != nil {
		return
	}
	// Servers go on pushing about deleted files, or keep what they pushed; a file that is gone has no findings,
	// unless an overlay shows it.
	if _, err := os.Stat(path); err != nil && q.docs.overlaid(path) == nil {
		return
	}
	// A file without a push is reported on as well, with no findings: the callers have made sure that the server
	// has said what it has to say.
	p, _ := q.store.get(path)
	q.Report(d, path, text, p.items, p.more)
	for _, r := range p.inactive.regions {
		// Report has just appended it.
		last := &d.Reports[len(d.Reports)-1]
		last.Inactive = append(last.Inactive, text.OutwardRange(q.conn.encoding, r.rng()))
	}
}

var severityNames = [...]string{"error", "error", "warning", "information", "hint"}

var tagNames = map[int]string{1: "unnecessary", 2: "deprecated"}

// Report adds to d what the server said about a text; a severity that it leaves to the client is an error.
func (q *Diagnostics) Report(d *Diagnosis, path string, text *source.Text, items []Diagnostic, more int) {
	r := Report{Path: path, Text: text, Findings: make([]Finding, 0, len(items)), More: more}
	isInactive := q.hooks.IsInactive
	for _, i := range items {
		f := q.conn.finding(text, i)
		if refused := q.hooks.Refused; refused != nil && f.Severity == severityNames[2] && refused(f) {
			f.Severity = severityNames[1]
		}
		r.Findings = append(r.Findings, f)
		// Such a finding stays a finding, too: the caller decides whether hints are shown, but not whether the
		// stretch was checked.
		if isInactive != nil && isInactive(f) {
			r.Inactive = append(r.Inactive, f.Range)
		}
	}
	d.Reports = append(d.Reports, r)
}

// finding is a diagnostic about a text. One without a source gets the server as its source: the source is a part of
// what makes two the same.
func (c *Connection) finding(text *source.Text, d Diagnostic) Finding {
	f := Finding{Path: text.Path, Text: text, Range: text.OutwardRange(c.encoding, d.Range.rng()), Severity: "error",
		Code: CodeOf(d.Code), Source: cmp.Or(d.Source, c.spec.ID), Message: strings.TrimSpace(d.Message), said: d}
	// LSP leaves a missing severity to the client (3.17, Diagnostic.severity). The worst is assumed, because an
	// error that is shown as a hint is overlooked.
	if d.Severity > 0 && d.Severity < len(severityNames) {
		f.Severity = severityNames[d.Severity]
	}
	for _, t := range d.Tags {
		if name := tagNames[t]; name != "" {
			f.Tags = append(f.Tags, name)
		}
	}
	return f
}

// CodeOf is a diagnostic's code as text: a string or a number in LSP.
func CodeOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	// Read as it is written, so that a large number keeps its digits.
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// Unlinked notes the files of which a diagnosis says that they belong to no project.
func (q *Diagnostics) Unlinked(d *Diagnosis) {
	if q.hooks.Unlinked == nil {
		return
	}
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			// One finding is enough: the file has one reason.
			if u := q.hooks.Unlinked(r.Path, f); u != nil {
				u.Path = r.Path
				d.Excluded = append(d.Excluded, *u)
				break
			}
		}
	}
}

// Inactive are the stretches of a file that the server does not build, as far as it tells
// ([DiagnosticHooks]).
func (d *Diagnosis) Inactive(path string) (out []contract.Range) {
	for _, r := range d.Reports {
		if r.Path == path {
			out = append(out, r.Inactive...)
		}
	}
	return out
}

// InactiveRanges are the stretches of an open document that its last build left out; told is false when the server
// does not tell before ctx ends ([DiagnosticHooks].RegionsMethod).
func (q *Diagnostics) InactiveRanges(ctx context.Context, path string) (ranges []contract.Range, told bool) {
	// The push of the current version comes first: regions that are in the store before it are of an older build.
	if !q.docs.IsOpen(path) || !q.awaitPush(ctx, path) {
		return nil, false
	}
	q.awaitRegions(ctx, path)
	p, _ := q.store.get(path)
	text, err := q.docs.Text(path)
	if err != nil || !p.inactive.told {
		return nil, false
	}
	ranges = []contract.Range{}
	for _, r := range p.inactive.regions {
		ranges = append(ranges, text.OutwardRange(q.conn.encoding, r.rng()))
	}
	return ranges, true
}

// By reports whether a finding is such an error.
func By(s *spec.Stops, f Finding) bool {
	return f.Severity == "error" && (s.Sources == nil || slices.Contains(s.Sources, f.Source)) &&
		(s.Codes == nil || slices.Contains(s.Codes, f.Code))
}

// awaitRegions returns when the server has told which stretches of an open document its last build left out, or
// will not tell: of a text that it could not build there are only diagnostics. clangd tells right behind the
// diagnostics, and before the worker of the document takes the next request about it (22.1.8); so an answer to one
// is the sign.
func (q *Diagnostics) awaitRegions(ctx context.Context, path string) {
	if q.hooks.RegionsMethod == "" {
		return
	}
	// Told after the diagnostics that are kept, so they belong to the current build: nothing to wait for.
	if p, ok := q.store.get(path); ok && p.inactive.told {
		return
	}
	// The answer itself, and an error, do not matter: only that it comes after the regions.
	_ = q.conn.Request(ctx, MethodHover,
		protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}}, nil)
}

// keptReports are the answers of a server that is asked for each file's diagnostics, so that a trial of an edit
// need not ask again for what the files said before it. A report counts while the server has been told of no other
// text, and has not loaded its project anew. That is no proof that the server would say the same again: it may have
// read a dependency that nobody told it of. So who uses a kept report asks again before a finding rests on it.
type keptReports struct {
	mu     sync.Mutex
	byPath map[string]keptReport // guarded by mu
}

type keptReport struct {
	report  Report
	edition uint64 // [Documents.edition] at which the server was asked
	load    Status // of the same moment
}

// maxKeptReports bounds the files whose reports are kept; a trial looks at fewer.
const maxKeptReports = 64

func (k *keptReports) put(r keptReport) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.byPath[r.report.Path]; k.byPath == nil || !known && len(k.byPath) >= maxKeptReports {
		k.byPath = map[string]keptReport{}
	}
	k.byPath[r.report.Path] = r
}

func (k *keptReports) get(path string) (keptReport, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.byPath[path]
	return r, ok
}

// Kept are the reports of files that the server gave already about the texts that are on disk now, and the files
// that have to be asked about. The caller has synchronised.
func (q *Diagnostics) Kept(paths []string) (known []Report, rest []string) {
	now, edition := q.health.ready.status(), q.docs.editionNow()
	for _, path := range paths {
		r, ok := q.kept.get(path)
		if !ok || r.edition != edition || !r.load.SameLoad(now) || !q.saysOf(r.report) {
			rest = append(rest, path)
			continue
		}
		known = append(known, r.report)
	}
	return known, rest
}

// saysOf reports whether a report is about the text that its file has now.
func (q *Diagnostics) saysOf(r Report) bool {
	text, err := q.docs.Load(r.Path)
	return err == nil && text.Sendable().Content() == r.Text.Content()
}

// keep keeps the report that was added last, if it is about texts on disk and nothing changed since the server was
// asked for it. What the server was asked while it was not ready may be less than it says later, and what an
// external checker found belongs to one run of it.
func (q *Diagnostics) keep(d *Diagnosis, told uint64, before Status) {
	checked := q.check != nil && d.Check == nil
	if checked || q.docs.overlay.Load() != nil || !before.Ready || !before.SameLoad(q.health.ready.status()) ||
		told != q.docs.lastEdition() {
		return
	}
	q.kept.put(keptReport{d.Reports[len(d.Reports)-1], q.docs.editionNow(), before})
}

// sweptFiles are what a [Sweep] found in files that are closed again. A report counts until a change comes on which
// it may rest: of the file, of what it imports or includes, of the project. What its texts do not tell counts as that.
type sweptFiles struct {
	turn chan struct{} // held by a Sweep

	byPath  map[string]sweptFile // needs the turn
	load    Status               // of the project by which these were checked; needs the turn
	imports map[string]imports   // of the sources of the server; needs the turn

	changes []watch.Change // that were told since the last Sweep began; needs the document lock
	many    bool           // there were more than these; needs the document lock
}

type sweptFile struct {
	report Report // without its text where it has no findings
	unsure bool
}

// imports are what a source says of its relations to others.
type imports struct {
	names  []string // by which it names what it imports
	global bool     // it declares for others that do not import it
}

// maxNoted bounds the changes between two sweeps that are looked at one by one.
const maxNoted = 1000

// note notes changes that the server is told of. It needs the document lock.
func (c *sweptFiles) note(changes []watch.Change) {
	if c.many = c.many || len(c.changes)+len(changes) > maxNoted; c.many {
		c.changes = nil
		return
	}
	c.changes = append(c.changes, changes...)
}

// forgetOutdated drops the reports that may rest on what changed since they were made. It needs the turn and the
// document lock.
func (q *Diagnostics) forgetOutdated(ctx context.Context) {
	c := &q.swept
	changes, many := c.changes, c.many
	c.changes, c.many = nil, false
	var paths []string
	for _, change := range changes {
		paths = append(paths, change.Path)
	}
	if many {
		clear(c.imports)
	}
	was := map[string]imports{}
	for _, path := range paths {
		if of, known := c.imports[path]; known {
			was[path] = of
			delete(c.imports, path)
		}
	}
	switch {
	case len(c.byPath) == 0 || len(paths) == 0 && !many && q.sameLoad(c.load, q.health.ready.status()):
		return
	case many, !q.sameLoad(c.load, q.health.ready.status()), slices.ContainsFunc(paths, q.decidesAll):
		clear(c.byPath)
		return
	}
	for _, path := range paths {
		delete(c.byPath, path)
	}
	means := q.spec.Diagnostics
	switch {
	case q.hooks.MayInclude != nil:
		maps.DeleteFunc(c.byPath, func(path string, _ sweptFile) bool {
			return ctx.Err() != nil || q.hooks.MayInclude(ctx, path, paths)
		})
	case means.Apart:
	case means.Imports == nil || slices.ContainsFunc(changes, func(change watch.Change) bool {
		before, known := was[change.Path]
		return q.seenByAll(change, before, known)
	}):
		clear(c.byPath)
	default:
		imported := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !q.isImported(path) })
		users := lang.Importing(imported, slices.Collect(maps.Keys(c.imports)), func(path string) []string {
			return c.imports[path].names
		})
		maps.DeleteFunc(c.byPath, func(path string, _ sweptFile) bool { return users[path] })
	}
}

// decidesAll reports whether a file may decide what the server says of any other one, whatever its text: a project
// file, the configuration of a tool, an installed package.
func (q *Diagnostics) decidesAll(path string) bool {
	base, root := baseName(path), q.folders.journal.Root()
	_, below := source.RelativeTo(root, path)
	return q.spec.LoadedBy(base) || strings.HasPrefix(base, ".") || !below || q.folders.Skips(root, path) ||
		q.spec.Diagnostics.Apart && q.isImported(path) && !q.spec.Serves(base)
}

// isImported reports whether a source may import a file by its name.
func (q *Diagnostics) isImported(path string) bool {
	base := baseName(path)
	return q.spec.Serves(base) || slices.ContainsFunc(q.spec.Diagnostics.DataFiles, func(glob string) bool {
		return source.Match(glob, base)
	})
}

// seenByAll reports whether sources may have what is in a changed file without naming it. before is what the file
// said before, if that is known.
func (q *Diagnostics) seenByAll(change watch.Change, before imports, known bool) bool {
	path := change.Path
	if !q.spec.Serves(baseName(path)) {
		return false
	}
	if before.global || !known && change.Kind != watch.Created && q.spec.Diagnostics.Global != nil {
		return true
	}
	if text, err := source.Read(path); err == nil {
		of := importsOf(q, path, text.Content())
		if q.swept.imports[path] = of; of.global {
			return true
		}
	}
	return q.namedByProject(path)
}

// namedByProject reports whether a project file gives a source another name, by which others may import it: an alias
// of tsconfig.json, the main file or an export of a package.
func (q *Diagnostics) namedByProject(path string) bool {
	p := q.spec.Packages
	if p == nil || p.Manifest == "" {
		return false // names in imports are those of files
	}
	names := lang.ImportNames(path)
	if len(names) > 1 {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), p.Manifest)); err == nil {
			return true // the main file of a package, without a word
		}
	}
	for file := range q.folders.Files() {
		if !q.spec.LoadedBy(baseName(file)) || q.folders.Skips(q.folders.journal.Root(), file) {
			continue
		}
		text, err := source.Read(file)
		if err != nil || slices.ContainsFunc(names, func(name string) bool { return namesFile(text.Content(), name) }) {
			return true
		}
	}
	return false
}

// namesFile reports whether a text in JSON may name a file or a folder of this name, with or without its extension.
func namesFile(text, name string) bool {
	for _, before := range []string{"/", `["`} {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, before+name)
			if !found {
				break
			}
			if after == "" || strings.ContainsRune(`./"`, rune(after[0])) {
				return true
			}
			rest = after
		}
	}
	return strings.Contains(text, `"`+name+".") || strings.Contains(text, `"`+name+"/")
}
