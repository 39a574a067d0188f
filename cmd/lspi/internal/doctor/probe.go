package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/tools"
)

// Probed is what a server did when it was started and asked.
type Probed struct {
	Err      error // why it did not start, or did not answer
	Snapshot lsp.State
	Memory   uint64 // of its processes, in bytes; 0 when not known
	Root     string
	Project  *spec.ProjectFile // what its project lacks; nil when all is there
	Start    time.Duration
	Ready    time.Duration
	Status   lsp.Status
	Question string
	Answer   string
	Asked    time.Duration
	Empty    bool // it answered, but found no symbols
	// Load says why the project could not be loaded; its Reason is "" when it could, as far as the server tells.
	Load lsp.LoadFailure
	// Paths are the pairs of folders of a server that runs elsewhere, as they were compared.
	Paths   []lsp.ComparedPair
	Check   error       // why its external checker does not run; nil when it does, or there is none
	Imports []Import    // unresolved imports in the files that were tried
	Linked  *lsp.Linked // projects that use this one by path, or are used by it; nil when there are none
	Join    string      // the command that joins them; "" when there is none
	Holds   bool        // it answers no request until it is ready, so its first answer is the sign of readiness
}

// The limits of one probe.
const (
	startLimit = 60 * time.Second
	readyLimit = 60 * time.Second
	askLimit   = 20 * time.Second
	// importsLimit and maxImporting bound the search for unresolved imports.
	importsLimit = 10 * time.Second
	maxImporting = 8
	// maxAsked bounds the files that are asked about until one has symbols.
	maxAsked = 4
	// maxSampleBytes keeps huge generated files out of the question.
	maxSampleBytes = 256 << 10
)

// Live is a [Prober] that starts real servers, through the pool that the tools use.
type Live struct {
	Table *router.Table
	Files source.Files
	Pool  *router.Pool
	Keep  bool // the pool belongs to the shared process: servers are not ended after the probe
}

// Watching waits until the journal of the workspace has been set up; see [Prober].
func (l Live) Watching(ctx context.Context) (bool, string) {
	ctx, cancel := context.WithTimeout(ctx, surveyLimit)
	defer cancel()
	j := l.Pool.Journal(l.Table.Workspace)
	if _, err := j.Barrier(ctx); err != nil {
		return true, "" // not known, so nothing is reported
	}
	mode, reason := j.Mode()
	return mode == watch.Events, reason
}

// Probe starts the server, waits until it is ready, asks it, and ends it unless Keep is set.
func (l Live) Probe(ctx context.Context, sp *spec.Spec, samples []string, progress Progress) Probed {
	progress.Say(sp.ID, "starting")
	route, sample, err := l.route(sp, samples)
	if err != nil {
		return Probed{Err: err}
	}
	p := Probed{Root: route.Root, Holds: sp.Readiness.Waits || sp.Readiness.Sign == spec.SignWaits}
	began := time.Now()
	starting, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s, release, err := l.Pool.NewCaller().Get(starting, route)
	if err != nil {
		p.Err = err
		return p
	}
	if !l.Keep {
		defer l.Pool.Discard(s)
	}
	defer release()
	p.Start = time.Since(began)
	files := append([]string{sample}, samples...)
	p.Err = l.question(ctx, s, &p, files, progress)
	p.Load, _ = s.Health().LoadFailed(ctx, s.Root())
	p.Paths = s.ComparePaths()
	if p.Err == nil {
		l.project(ctx, s, &p, files, progress)
	}
	p.Snapshot, p.Memory, p.Status, p.Project = s.State(), s.Memory(), s.Status(), s.Projects().Missing(route.Root)
	return p
}

// route chooses the file to ask about and the route of its server: the first ordinary source file that has a project.
func (l Live) route(spec *spec.Spec, samples []string) (router.Route, string, error) {
	var best router.Route
	var sample string
	var failure error
	for _, path := range samples {
		routes, err := l.Table.Route(l.Files, path)
		if err != nil {
			failure = err
			continue
		}
		for _, r := range routes {
			if r.Spec != spec {
				continue
			}
			if best.Spec == nil || best.NoMarker && !r.NoMarker || best.NoMarker == r.NoMarker && poorSample(sample) &&
				!poorSample(path) {
				best, sample = r, path
			}
		}
	}
	switch {
	case best.Spec != nil:
		return best, sample, nil
	case failure != nil:
		return best, "", failure
	}
	return best, "", fmt.Errorf("no file of the workspace is routed to %s", spec.ID)
}

// poorSample reports whether a question about the file would show little: tests, generated files, empty and huge ones.
func poorSample(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	for _, word := range []string{"test", "generated", ".pb.", ".min.", "__init__", "doc.go"} {
		if strings.Contains(base, word) {
			return true
		}
	}
	if strings.Contains(filepath.ToSlash(path), "/testdata/") {
		return true
	}
	info, err := os.Stat(path)
	return err != nil || info.Size() < 16 || info.Size() > maxSampleBytes
}

// question brings the server up to date, waits until it is ready, and asks for the symbols of a file and the definition
// of the first of them. It tries further files until one has symbols.
func (l Live) question(ctx context.Context, s *lsp.Server, p *Probed, files []string, progress Progress) error {
	if err := s.Sync(ctx); err != nil {
		return err
	}
	if _, err := s.Documents().Open(ctx, files[0]); err != nil {
		return err
	}
	began := time.Now()
	progress.Say(s.ID(), "loading the project")
	s.Ready(ctx, readyLimit, func(st lsp.Status) { progress.Say(s.ID(), Loading(st)) })
	p.Ready = time.Since(began)
	progress.Say(s.ID(), "asking about "+l.show(files[0]))
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if !s.Offers(lsp.MethodDocumentSymbol) {
		return nil
	}
	began = time.Now()
	defer func() { p.Asked = time.Since(began) }()
	asked := map[string]bool{}
	for _, path := range files {
		if asked[path] || path != files[0] && (poorSample(path) || !l.same(s, path)) {
			continue
		}
		if asked[path] = true; len(asked) > maxAsked {
			break
		}
		done, err := l.ask(ctx, s, p, path)
		if done || err != nil {
			return err
		}
	}
	p.Empty = true
	return nil
}

// Loading describes how far a server is with loading the project.
func Loading(st lsp.Status) string {
	text := "loading the project"
	if st.Percent >= 0 {
		text += fmt.Sprintf(", %d %%", st.Percent)
	}
	if st.Message != "" {
		text += ": " + st.Message
	}
	return text
}

// project looks for what makes answers about a loaded project incomplete: other projects that belong to it, a checker
// that does not run, and unresolved imports.
func (l Live) project(ctx context.Context, s *lsp.Server, p *Probed, files []string, progress Progress) {
	ctx, cancel := context.WithTimeout(ctx, importsLimit)
	defer cancel()
	if p.Linked = lsp.LinkedApart(ctx, s, s.Root()); p.Linked != nil {
		p.Join = p.Linked.JoinCommand(s.Hooks().Link, s.Root())
	}
	if c := s.Spec().Diagnostics.Check; c != nil && p.Load.Reason == "" {
		progress.Say(s.ID(), "starting "+c.Title)
		p.Check = l.check(ctx, s, files[0])
	}
	u := s.Spec().Diagnostics.Unresolved
	if u == nil {
		return
	}
	progress.Say(s.ID(), "looking for imports that lead to nothing")
	var plain []string
	for _, path := range files {
		if len(plain) < maxImporting && !slices.Contains(plain, path) && l.same(s, path) && !poorSample(path) {
			plain = append(plain, path)
		}
	}
	d := &lsp.Diagnosis{}
	if s.Diagnostics().Add(ctx, plain, d) != nil {
		return // not known; answers of the tools report such an error
	}
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if name, ok := importedBy(u, f); ok {
				p.Imports = append(p.Imports, Import{Name: name, File: l.show(r.Path), Line: f.Range.Start.Line})
			}
		}
	}
}

// check returns why the external checker of a server cannot run; nil when it runs, or when that cannot be found out in
// time.
func (l Live) check(ctx context.Context, s *lsp.Server, path string) error {
	d, err := s.Diagnostics().Of(ctx, []string{path})
	if running := (*lsp.CheckRunningError)(nil); err != nil || errors.As(d.Check, &running) || ctx.Err() != nil {
		return nil
	}
	return d.Check
}

// same reports whether the file belongs to the project that the server was started for.
func (l Live) same(s *lsp.Server, path string) bool {
	routes, _ := l.Table.Route(l.Files, path)
	for _, r := range routes {
		if r.Spec.ID == s.ID() && r.Root == s.Root() {
			return true
		}
	}
	return false
}

// ask asks about one file and records question and answer; done reports that the file has symbols.
func (l Live) ask(ctx context.Context, s *lsp.Server, p *Probed, path string) (done bool, err error) {
	symbols, _, err := s.Unverified().DocumentSymbols(ctx, path)
	if err != nil {
		return false, err
	}
	p.Question, p.Answer = "symbols of "+l.show(path),
		fmt.Sprintf("%d %s", count(symbols), plural(count(symbols), "symbol"))
	if len(symbols) == 0 {
		return false, nil
	}
	if !s.Offers(lsp.MethodDefinition) {
		return true, nil
	}
	first := leaf(symbols)
	places, err := s.Unverified().Locate(ctx, lsp.MethodDefinition, path, first.NameAt.Start)
	if err != nil {
		return false, err
	}
	p.Question += ", definition of " + first.Name
	if len(places) == 0 {
		p.Answer += ", no definition"
		return true, nil
	}
	p.Answer += fmt.Sprintf(", %s:%d", l.show(places[0].Path), places[0].Range.Start.Line)
	return true, nil
}

// leaf returns the first declaration inside namespaces and the like, which have no definition of their own.
func leaf(symbols []lsp.Symbol) lsp.Symbol {
	for _, s := range symbols {
		switch s.Kind {
		case "function", "method", "class", "struct", "interface", "enum", "constant", "variable", "field":
			return s
		}
		if len(s.Children) > 0 {
			return leaf(s.Children)
		}
	}
	return symbols[0]
}

func count(symbols []lsp.Symbol) int {
	n := len(symbols)
	for _, s := range symbols {
		n += count(s.Children)
	}
	return n
}

func (l Live) show(path string) string {
	if rel, ok := source.RelativeTo(l.Table.Workspace, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// record fills in the results of a probe.
func (s *Server) record(p Probed) {
	s.State, s.Root = Works, p.Root
	s.Start, s.ReadyTime, s.Asked = p.Start.Milliseconds(), p.Ready.Milliseconds(), p.Asked.Milliseconds()
	s.Command, s.Version = cmp.Or(p.Snapshot.Command, s.Command), cmp.Or(p.Snapshot.Version, s.Version)
	if p.Holds {
		s.ReadyTime += s.Asked
	}
	s.Ready, s.Known, s.Evidence, s.Memory = p.Status.Ready, p.Status.Known, p.Status.Evidence, p.Memory
	s.Question, s.Answer, s.lacksProject = p.Question, p.Answer, p.Project != nil
	s.unresolved, s.linked, s.join = p.Imports, p.Linked, p.Join
	s.Checks = append(s.Checks, p.loadChecks()...)
	if p.Err != nil {
		s.fail(p.Err)
		if p.Load.Reason != "" { // a check gives that reason, which explains more than the error
			s.Error = "it could not load the project"
		}
		return
	}
	s.Serves, s.Lacks = toolsOf(p.Snapshot.Methods)
	s.Checks = append(s.Checks, p.checks(s)...)
}

// fail records why the server does not work, with what the error of the start knows: stderr, and the programs tried.
func (s *Server) fail(err error) {
	s.State, s.Error = Fails, err.Error()
	var e *contract.Error
	if errors.As(err, &e) {
		if e.Kind == contract.KindRestricted {
			s.Checks = append(s.Checks, Check{Name: nameUntrusted, Level: Warning,
				Message: "it needs code of the workspace, which is not trusted", Fix: trustFix})
		}
		s.Stderr, _ = e.Facts["stderr_tail"].([]string)
		if tried, ok := e.Facts["tried"].([]string); ok {
			s.Tried = tried
		}
	}
}

// maxLoadReason bounds a reason in a check, in bytes.
const maxLoadReason = 400

// loadChecks returns checks that say why a project was not loaded, or its checker does not run.
func (p Probed) loadChecks() []Check {
	var out []Check
	for _, pair := range p.Paths {
		name := pair.Local + " = " + pair.Remote
		switch {
		case pair.Differs != "":
			out = append(out, Check{Name: "paths", Level: Problem, Message: pair.Differs,
				Fix: []string{"Set servers[].paths so that both folders hold the same files."}})
		case pair.File == "":
			out = append(out, Check{Name: "paths", Level: Note, Message: name + ": no file is there to compare them by"})
		default:
			out = append(out, Check{Name: "paths", Level: OK, Message: name + ": the same files, by " + pair.File})
		}
	}
	if p.Load.Reason != "" && !slices.ContainsFunc(p.Paths, func(pair lsp.ComparedPair) bool {
		return pair.Differs == p.Load.Reason
	}) {
		c := Check{Name: string(contract.WarnLoadFailed), Level: Problem, Message: "it could not load the project: " +
			lsp.Cut(contract.OneLine(lsp.WithoutExcerpt(p.Load.Reason)), maxLoadReason)}
		for _, cure := range p.Load.Cures {
			if c.Fix = append(c.Fix, cure.Have); cure.Command != "" {
				c.Fix = append(c.Fix, inFolder(p.Root, cure.Command))
			}
		}
		if c.Fix == nil {
			c.Fix = []string{"Mend what it says, then run lspi doctor again."}
		}
		out = append(out, c)
	}
	if p.Check != nil {
		c := Check{Name: "check_not_run", Level: Warning, Message: lsp.Cut(contract.OneLine(p.Check.Error()),
			maxLoadReason)}
		if lock := (*lsp.UnlockedError)(nil); errors.As(p.Check, &lock) && lock.Command != "" {
			c.Fix = []string{inFolder(filepath.Dir(lock.Path), lock.Command)}
		}
		out = append(out, c)
	}
	return out
}

// checks returns what is worth reporting about a server that works.
func (p Probed) checks(s *Server) []Check {
	var out []Check
	if !p.Status.Ready {
		message := "it was still loading the project at the end of its time limit"
		if p.Status.Message != "" {
			message += ": " + p.Status.Message
		}
		out = append(out, Check{Name: "still_loading", Level: Note, Message: message,
			Fix: []string{
				"Nothing to do: answers say that they are partial until it has loaded the project. Raise servers[].warmup_timeout_ms to wait longer."}})
	}
	if p.Status.Health == "warning" || p.Status.Health == "error" {
		out = append(out, Check{Name: "health", Level: Warning, Message: s.ID + " says: " +
			strings.TrimSpace(p.Status.HealthNote)})
	}
	if p.Empty {
		out = append(out,
			Check{Name: "no_symbols", Level: Note, Message: "it found no symbol in any of the files that were tried"})
	}
	return out
}

// toolsOf returns the tools that a server with these LSP methods can answer, and those that it cannot.
func toolsOf(methods []string) (serves, lacks []string) {
	missing := func(method string) bool { return !slices.Contains(methods, method) }
	for _, t := range tools.All() {
		switch {
		case len(t.Methods) == 0:
		case slices.ContainsFunc(t.Methods, missing):
			lacks = append(lacks, t.Name)
		default:
			serves = append(serves, t.Name)
		}
	}
	return serves, lacks
}
