package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/source"
)

// Diagnose asks for the diagnostics of files as they are on disk; the caller has synchronised. What is not known when
// ctx ends is named in the diagnosis and is no error.
func (s *Server) Diagnose(ctx context.Context, paths []string) (*Diagnosis, error) {
	d := &Diagnosis{}
	if err := s.runCheck(ctx, d); err != nil {
		return nil, err
	}
	for part := range slices.Chunk(paths, maxOpenDocuments/2) {
		if err := s.AddDiagnostics(ctx, part, d); err != nil {
			return nil, err
		}
	}
	s.Unlinked(d)
	return d, nil
}

// DiagnoseAll asks for the diagnostics of all files that the server tells of: the workspace, or the open files of one
// that looks at nothing else ([spec.Diagnostics].Workspace).
func (s *Server) DiagnoseAll(ctx context.Context) (*Diagnosis, error) {
	d := &Diagnosis{}
	if s.spec.Diagnostics.OpenFolders {
		if err := s.openFolders(ctx, d); err != nil {
			return nil, err
		}
	}
	if err := s.runCheck(ctx, d); err != nil {
		return nil, err
	}
	open := s.docs.paths()
	slices.Sort(open)
	d.Open = open
	if command := s.spec.Diagnostics.Command; command == "" || !s.capabilities.executes(command) {
		if err := s.AddDiagnostics(ctx, open, d); err != nil {
			return nil, err
		}
	} else {
		if err := s.askUnbuilt(ctx, open, d); err != nil {
			return nil, err
		}
		if err := s.execute(ctx, s.anyOfEachFolder(), d); err != nil {
			return nil, err
		}
	}
	s.addKnown(d)
	if s.spec.Diagnostics.Workspace {
		s.unchecked(ctx, d)
	}
	return d, nil
}

// AddDiagnostics asks about files by the means that this server has.
func (s *Server) AddDiagnostics(ctx context.Context, paths []string, d *Diagnosis) error {
	switch means, own := s.spec.Diagnostics, diagnoserOf(s); {
	case means.Pull && s.Offers(MethodDocumentDiag):
		return s.each(ctx, paths, d, s.pull)
	case means.Command != "" && s.capabilities.executes(means.Command):
		return s.byCommand(ctx, paths, d)
	case own != nil:
		return s.each(ctx, paths, d, own.DiagnoseFile)
	}
	return s.awaitPushes(ctx, paths, d)
}

// each asks for one file after the other. A file that cannot be read or asked for is not reported on.
func (s *Server) each(ctx context.Context, paths []string, d *Diagnosis,
	ask func(context.Context, string, *Diagnosis) error) error {
	for _, path := range paths {
		if err := ask(ctx, path, d); err != nil {
			if FatalAnswer(err) {
				return err
			}
			d.Silent = append(d.Silent, path)
		}
	}
	return nil
}

// FatalAnswer reports whether an error voids the whole diagnosis, not one file's: the server ended, or nobody waits.
func FatalAnswer(err error) bool {
	var e *contract.Error
	return !errors.As(err, &e) || e.Kind == contract.KindServerCrashed || e.Category() == contract.Cancelled
}

// documentReport is LSP's DocumentDiagnosticReport. gopls 0.21 and 0.23 leave kind empty.
type documentReport struct {
	Kind    string                    `json:"kind"`
	Items   *[]json.RawMessage        `json:"items"`
	Related map[string]documentReport `json:"relatedDocuments"`
}

// pull is textDocument/diagnostic (LSP 3.17). No previous result is named, so none should be called unchanged.
func (s *Server) pull(ctx context.Context, path string, d *Diagnosis) error {
	text, err := s.Open(ctx, path)
	if err != nil {
		return err
	}
	raw, err := s.RequestRaw(ctx, MethodDocumentDiag, map[string]any{"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)}})
	if err != nil {
		return err
	}
	var report documentReport
	if err := json.Unmarshal(raw, &report); err != nil {
		return s.Undecodable(MethodDocumentDiag, raw, err)
	}
	switch {
	case report.Kind == "unchanged":
		return s.Undecodable(MethodDocumentDiag, raw, errors.New("unchanged since a result that was not named"))
	case report.Items == nil:
		return s.Undecodable(MethodDocumentDiag, raw, errors.New("a report without items"))
	}
	items, more := decodeDiagnostics(*report.Items)
	for u, other := range report.Related {
		if p, ok := URIToPath(u); ok && p == path && other.Items != nil {
			extra, beyond := decodeDiagnostics(*other.Items)
			items, more = append(items, extra...), more+beyond
		}
	}
	if s.check != nil && d.Check == nil { // what the checker found is only pushed
		p, _ := s.diagnostics.get(path)
		items, more = append(p.items[:len(p.items):len(p.items)], items...), more+p.more
	}
	d.Add(s, path, text, items, more)
	return nil
}

// byCommand makes the server push what it knows and takes it. The files are opened, because analysers look only at
// what is open.
func (s *Server) byCommand(ctx context.Context, paths []string, d *Diagnosis) error {
	for _, path := range paths {
		if _, err := s.OpenDocument(ctx, path); err != nil {
			return err
		}
	}
	if err := s.askUnbuilt(ctx, paths, d); err != nil {
		return err
	}
	silent := len(d.Silent)
	if err := s.execute(ctx, paths, d); err != nil {
		return err
	}
	if len(d.Silent) > silent {
		return nil
	}
	for _, path := range paths {
		s.pushed(path, d)
	}
	return nil
}

// execute runs Diagnostics.Command; out of time, the files are silent.
func (s *Server) execute(ctx context.Context, paths []string, d *Diagnosis) error {
	if len(paths) == 0 {
		return nil
	}
	files := make([]uri.URI, len(paths))
	for i, p := range paths {
		files[i] = uri.File(s.sourceFor(p))
	}
	_, err := s.RequestRaw(ctx, MethodExecuteCommand, map[string]any{
		"command": s.spec.Diagnostics.Command, "arguments": []any{map[string]any{"Files": files}},
	})
	if err != nil && !FatalAnswer(err) {
		d.Silent = append(d.Silent, paths...)
		return nil
	}
	return err
}

// sourceFor is the file to name to a command that passes over project files (Diagnostics.CommandSources): of those a
// source that lies below, else the file itself.
func (s *Server) sourceFor(path string) string {
	if !s.spec.Diagnostics.CommandSources || s.isSource(path) {
		return path
	}
	for other := range s.journal.Files() {
		if _, below := source.RelativeTo(filepath.Dir(path), other); below && s.isSource(other) {
			return other
		}
	}
	return path
}

// isSource reports whether a file is of the server's first language.
func (s *Server) isSource(path string) bool {
	return len(s.spec.Languages) > 0 && s.spec.LanguageID(baseName(path)) == s.spec.Languages[0].ID
}

// awaitPushes opens the files and waits for what the server pushes about their current texts.
func (s *Server) awaitPushes(ctx context.Context, paths []string, d *Diagnosis) error {
	d.Unsure = d.Unsure || !s.spec.Diagnostics.Versioned
	unsent := map[string]bool{} // out of time: a push about a text before would pass for one about this
	for _, path := range paths {
		err := s.provoke(ctx, path)
		if err != nil && (s.alive() != nil || !errors.Is(ctx.Err(), context.DeadlineExceeded)) {
			return err
		}
		unsent[path] = err != nil
	}
	for _, path := range paths {
		if unsent[path] || !s.awaitPush(ctx, path) {
			if err := s.alive(); err != nil {
				return err
			}
			d.Silent = append(d.Silent, path)
			continue
		}
		awaitRegions(ctx, s, path)
		s.pushed(path, d)
	}
	return nil
}

// provoke opens a file, and makes a server report anew that would keep silent although files around it changed.
func (s *Server) provoke(ctx context.Context, path string) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	text, err := s.OpenLocked(ctx, path)
	if err != nil || !s.spec.Diagnostics.Rebuild {
		return err
	}
	doc := s.docs.get(path)
	if doc == nil || doc.news == s.news {
		return nil
	}
	return s.sendText(ctx, doc, text)
}

// unsurePatience bounds the wait for a server whose pushes carry no version: it may have nothing more to say.
const unsurePatience = 5 * time.Second

func (s *Server) awaitPush(ctx context.Context, path string) bool {
	s.docs.mu.Lock()
	doc := s.docs.open[path]
	if doc == nil {
		s.docs.mu.Unlock()
		return false
	}
	version, sent := doc.version, doc.sent
	s.docs.mu.Unlock()
	if s.spec.Diagnostics.Versioned {
		return s.diagnostics.await(ctx, path, version, s.life.Done())
	}
	ctx, cancel := context.WithTimeout(ctx, unsurePatience)
	defer cancel()
	return s.diagnostics.until(ctx, path, s.life.Done(), func(p published) bool { return p.at.After(sent) })
}

// pushed reports what was pushed about a file that still exists.
func (s *Server) pushed(path string, d *Diagnosis) {
	text, err := s.Text(path)
	if err != nil {
		return
	}
	if _, err := os.Stat(path); err != nil && s.overlaid(path) == nil {
		return
	}
	p, _ := s.diagnostics.get(path)
	d.Add(s, path, text, p.items, p.more)
	for _, r := range p.inactive.regions {
		last := &d.Reports[len(d.Reports)-1]
		last.Inactive = append(last.Inactive, text.OutwardRange(s.encoding, r.rng()))
	}
}

var severityNames = [...]string{"error", "error", "warning", "information", "hint"}

var tagNames = map[int]string{1: "unnecessary", 2: "deprecated"}

// Add converts what the server said about a text; a severity that it leaves to the client is an error.
func (d *Diagnosis) Add(s *Server, path string, text *source.Text, items []Diagnostic, more int) {
	r := Report{Path: path, Text: text, Findings: make([]Finding, 0, len(items)), More: more}
	marks, _ := s.adapter.(FindingReader)
	for _, i := range items {
		f := s.finding(text, i)
		r.Findings = append(r.Findings, f)
		if marks != nil && marks.IsInactive(f) {
			r.Inactive = append(r.Inactive, f.Range)
		}
	}
	d.Reports = append(d.Reports, r)
}

// finding is a diagnostic about a text.
func (s *Server) finding(text *source.Text, d Diagnostic) Finding {
	f := Finding{Range: text.OutwardRange(s.encoding, d.Range.rng()), Severity: "error", Code: CodeOf(d.Code),
		Source: d.Source, Message: strings.TrimSpace(d.Message), said: d}
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
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// executes reports whether the server offers a workspace/executeCommand.
func (o *capabilities) executes(command string) bool {
	var p struct {
		Commands []string `json:"commands"`
	}
	return o.options(MethodExecuteCommand, &p) && slices.Contains(p.Commands, command)
}

// maxFolderFiles bounds the files that are opened only so that analysers look at their folders.
const maxFolderFiles = maxOpenDocuments * 3 / 4

// openFolders opens a file of each folder, and a test file where there is one, which may be another package.
func (s *Server) openFolders(ctx context.Context, d *Diagnosis) error {
	var missing []string
	have := map[string]bool{}
	for _, path := range s.docs.paths() {
		have[folderKey(path)] = true
	}
	outside, _ := s.outsideBuild(ctx) // which would not make the analysers look at their folder
	for path := range s.journal.Files() {
		key := folderKey(path)
		if have[key] || outside[path] || !s.spec.Serves(baseName(path)) || !s.Inside(path) || filepath.Ext(path) != "."+s.spec.Extensions()[0] {
			continue
		}
		have[key] = true
		missing = append(missing, path)
	}
	slices.Sort(missing)
	room := max(maxFolderFiles-s.docs.count(), 0)
	for i, path := range missing {
		if i >= room {
			d.Folders = len(missing) - i
			return nil
		}
		if _, err := s.OpenDocument(ctx, path); err != nil && FatalAnswer(err) {
			return err
		}
	}
	return nil
}

// folderKey is the folder of a file; test files count apart.
func folderKey(path string) string {
	key := filepath.Dir(path)
	if name := strings.TrimSuffix(baseName(path), filepath.Ext(path)); strings.HasSuffix(name, "_test") {
		key += "\x00test"
	}
	return key
}

// anyOfEachFolder is a file that the server serves in each of its workspace folders.
func (s *Server) anyOfEachFolder() []string {
	s.foldersMu.Lock()
	folders := slices.Clone(s.folders)
	s.foldersMu.Unlock()
	var out []string
	for path := range s.journal.Files() {
		if len(folders) == 0 {
			break
		}
		if !s.isSource(path) {
			continue
		}
		before := len(folders)
		folders = slices.DeleteFunc(folders, func(dir string) bool { _, ok := source.RelativeTo(dir, path); return ok })
		if len(folders) < before {
			out = append(out, path)
		}
	}
	return out
}

// DiagnoseAround is Diagnose of files together with what the server then says of others, where it looks at whole projects
// ([spec.Diagnostics].Workspace).
func (s *Server) DiagnoseAround(ctx context.Context, paths []string) (*Diagnosis, error) {
	if len(paths) == 0 {
		paths = s.anyPaths()
	}
	d, err := s.Diagnose(ctx, paths)
	if err == nil {
		s.addKnown(d)
	}
	return d, err
}

// addKnown adds what the server pushed of files that were not asked for, unless it may be of older texts.
func (s *Server) addKnown(d *Diagnosis) {
	if !s.spec.Diagnostics.Workspace || d.Check != nil || len(d.Silent) > 0 {
		return
	}
	known, lost := s.diagnostics.known()
	d.Lost = lost
	for _, path := range known {
		if !slices.ContainsFunc(d.Reports, func(r Report) bool { return r.Path == path }) {
			s.pushed(path, d)
		}
	}
}

// Unlinked notes the files of which a diagnosis says that they belong to no project.
func (s *Server) Unlinked(d *Diagnosis) {
	a, ok := s.adapter.(FindingReader)
	if !ok {
		return
	}
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if u := a.Unlinked(f); u != nil {
				u.Path = r.Path
				d.Unbuilt = append(d.Unbuilt, *u)
				break
			}
		}
	}
}

// Inactive are the stretches of a file that the server does not build, as far as it tells ([FindingReader], [RegionTeller]).
func (d *Diagnosis) Inactive(path string) (out []contract.Range) {
	for _, r := range d.Reports {
		if r.Path == path {
			out = append(out, r.Inactive...)
		}
	}
	return out
}

// unchecked notes in a diagnosis of the workspace which sources the server did not look at: what the build leaves out, but
// for open files that it loaded for themselves.
func (s *Server) unchecked(ctx context.Context, d *Diagnosis) {
	files, all := s.outsideBuild(ctx)
	for _, path := range d.Open {
		if !slices.ContainsFunc(d.Unbuilt, func(u Unbuilt) bool { return u.Path == path }) {
			delete(files, path)
		}
	}
	d.Unknown, d.Unbuilt = !all, nil
	d.LeftOut = slices.Sorted(maps.Keys(files))
}

// InactiveRanges are the stretches of an open document that its last build left out; told is false when the server does not tell before
// ctx ends ([RegionTeller]).
func (s *Server) InactiveRanges(ctx context.Context, path string) (ranges []contract.Range, told bool) {
	if !IsOpen(s, path) || !s.awaitPush(ctx, path) {
		return nil, false
	}
	awaitRegions(ctx, s, path)
	p, _ := s.diagnostics.get(path)
	text, err := s.Text(path)
	if err != nil || !p.inactive.told {
		return nil, false
	}
	ranges = []contract.Range{}
	for _, r := range p.inactive.regions {
		ranges = append(ranges, text.OutwardRange(s.encoding, r.rng()))
	}
	return ranges, true
}

// anyPaths are files to ask about at a server that reports on all files when it is asked about some; none at others.
func (s *Server) anyPaths() []string {
	if !s.ReportsAll() {
		return nil
	}
	return s.anyOfEachFolder()
}

// ReportsAll reports whether the server tells the diagnostics of all files when it is asked about some.
func (s *Server) ReportsAll() bool {
	means := s.spec.Diagnostics
	return means.Workspace && s.check == nil && means.Command != "" && s.capabilities.executes(means.Command)
}

// ReportsAnew reports whether the server says something new of a file when another one changed: it is asked for it, or is
// made to build it anew with what others see of unsaved texts.
func (s *Server) ReportsAnew() bool {
	means := s.spec.Diagnostics
	return means.Pull && s.Offers(MethodDocumentDiag) || diagnoserOf(s) != nil ||
		means.Rebuild && means.Overlay != nil
}

// By reports whether a finding is such an error.
func By(s *spec.Stops, f Finding) bool {
	return f.Severity == "error" && (s.Sources == nil || slices.Contains(s.Sources, f.Source)) &&
		(s.Codes == nil || slices.Contains(s.Codes, f.Code))
}

// Compiles reports whether a file is open, and the server has reported no error for its current text.
func (s *Server) Compiles(path string) bool {
	version, open := s.docs.version(path)
	if !open {
		return false
	}
	p, ok := s.diagnostics.get(path)
	return ok && p.version >= version && !slices.ContainsFunc(p.items, func(d Diagnostic) bool { return d.Severity == 1 })
}

// awaitRegions returns when the server has told which stretches of an open document its last build left out, or will not
// tell: of a text that it could not build there are only diagnostics. clangd tells right behind the diagnostics, and before
// the worker of the document takes the next request about it (22.1.8); so an answer to one is the sign.
func awaitRegions(ctx context.Context, s *Server, path string) {
	if regionsMethod(s) == "" {
		return
	}
	if p, ok := s.diagnostics.get(path); ok && p.inactive.told {
		return
	}
	_ = s.Request(ctx, MethodHover, protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}}, nil)
}

// HasErrors reports whether a server has parsed the text that a file has on disk now, and reported an error in it.
func HasErrors(s *Server, path string) bool { return s.HasSeen(path, time.Now()) && !s.Compiles(path) }
