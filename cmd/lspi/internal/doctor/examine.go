package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
)

// Options say what to examine, and how.
type Options struct {
	Config   *config.Config
	From     string // what chose the workspace, for the report
	Version  string // of lspi
	Machine  Machine
	Files    source.Files
	Probe    Prober
	Strict   bool     // warnings and stray files count as well
	Progress Progress // told what is being done; may be nil
	Cache    string   // lspi's own cache of this user, absolute; "" when there is none
	// Sharing checks the shared process; nil when sharing is off.
	Sharing func(context.Context) []Check
	// Indexes checks the indexes of the code; roots are those of projects. nil where nobody looks.
	Indexes func(ctx context.Context, roots []string) []Check
	// MCPServers are the other MCP servers that a session here would have; MCPClient makes the client for one of them
	// and may be nil when there are none.
	MCPServers []session.MCPServer
	MCPClient  func(mcpclient.Spec) (*mcpclient.Client, error)
}

// Progress is told what is being done about a subject, such as a server; an empty text ends the subject. It is called
// concurrently, for several subjects at the same time.
type Progress func(subject, doing string)

// Say calls f unless it is nil.
func (f Progress) Say(subject, doing string) {
	if f != nil {
		f(subject, doing)
	}
}

// Prober asks servers.
type Prober interface {
	// Probe starts a server, asks it about one of the files samples, and ends it.
	Probe(ctx context.Context, spec *spec.Spec, samples []string, progress Progress) Probed
	// Watching reports whether changes of the workspace's files are found by events, and if not, why.
	Watching(ctx context.Context) (byEvents bool, reason string)
}

// surveyLimit bounds the search of the workspace.
const surveyLimit = 20 * time.Second

// examination is one run of the checks.
type examination struct {
	Options
	table  *router.Table
	found  *router.Survey
	report *Report
	notRun map[string][]string          // by server id: code that is not run, because the workspace is not trusted
	probed map[*spec.Spec]*Server       // servers that are in the report already, for another language
	probes map[*spec.Spec]<-chan Probed // probes that have begun; each sends its result once

	counting time.Duration // how long caches were counted so far

	loginPath func() []string // folders on the PATH of a login shell
}

// Examine runs all checks. When ctx ends, it returns what it has found so far.
func Examine(ctx context.Context, o Options) *Report {
	e := &examination{Options: o, table: o.Config.Table(), probed: map[*spec.Spec]*Server{}, report: &Report{
		SchemaVersion: SchemaVersion, Version: o.Version, Platform: o.Machine.OS + "/" + runtime.GOARCH,
		Strict: o.Strict, Languages: []Language{}, Servers: []Server{}, MCPServers: []MCPServer{}, Hosts: []Host{},
		Checks: []Check{},
	}}
	e.askLogin(ctx)
	defer e.loginPath() // waits for the shell to end
	e.configuration()
	others := e.askMCPServers(ctx)
	defer others() // waits for the MCP servers to end
	e.workspace(ctx)
	languages := e.languages()
	e.startProbes(ctx, languages)
	defer e.awaitProbes()
	for _, l := range languages {
		e.language(ctx, l)
	}
	for _, check := range machineChecks {
		if ctx.Err() != nil {
			break
		}
		e.Progress.Say("machine", "checking")
		e.report.Checks = append(e.report.Checks, check(ctx, e)...)
	}
	e.Progress.Say("machine", "")
	e.report.MCPServers = others()
	e.original()
	e.report.conclude()
	return e.report
}

func (e *examination) configuration() {
	e.report.Config = Config{append([]config.Source{}, e.Config.Sources...),
		append([]config.Finding{}, e.Config.Findings...)}
}

// workspace looks at the files of the workspace, within surveyLimit. An incomplete survey is a warning, and then the
// doctor does not claim that no server is needed.
func (e *examination) workspace(ctx context.Context) {
	e.Progress.Say("workspace", "looking at the files of "+e.Config.Workspace)
	defer e.Progress.Say("workspace", "")
	ctx, cancel := context.WithTimeout(ctx, surveyLimit)
	defer cancel()
	w := &e.report.Workspace
	*w = Workspace{Root: e.Config.Workspace, From: e.From, Others: e.Config.Roots[1:], Trust: e.Config.Trust}
	w.Checks = append(w.Checks, untrusted(e.Config.Trust)...)
	found, err := router.SurveyWorkspace(ctx, e.table, e.Files)
	if err != nil {
		w.Checks = append(w.Checks, Check{Name: "survey", Level: Warning,
			Message: "the workspace is so large that lspi did not search all of it; languages may be missing here",
			Fix:     []string{"Start lspi on the part that you work on: --workspace-root."}})
	}
	if !e.Config.Trust.Trusted {
		e.findCodeNotRun(ctx)
	}
	w.Folders, e.found = found.Folders, found
	if e.Indexes != nil {
		w.Checks = append(w.Checks, e.Indexes(ctx, e.projectRoots())...)
	}
	if err == nil && !slices.ContainsFunc(e.languages(), func(l workspaceLanguage) bool { return l.Needed }) {
		w.Checks = append(w.Checks, Check{Name: nothingToServe, Level: Note,
			Message: "there is no source code in " + w.Root + ", so no language server is needed",
			Fix:     []string{"Run lspi doctor in a project, or name one: --workspace-root FOLDER."}})
	}
}

// projectRoots are the roots of all projects that servers see.
func (e *examination) projectRoots() (out []string) {
	for i := range e.table.Specs {
		for _, p := range e.found.Projects(&e.table.Specs[i]) {
			if !slices.Contains(out, p.Root) {
				out = append(out, p.Root)
			}
		}
	}
	return out
}

// nameUntrusted is the name of checks about what is not run because the workspace is not trusted.
const nameUntrusted = "untrusted"

// trustFix is what to do about it.
var trustFix = []string{"Run lspi trust in a terminal: it lists what would run, and asks."}

// untrusted returns a note when code of the workspace is not run.
func untrusted(t trust.Decision) []Check {
	if t.Trusted {
		return nil
	}
	return []Check{{Name: nameUntrusted, Level: Note,
		Message: "code of this workspace is not run, because it is not trusted: " + t.Why, Fix: trustFix}}
}

// findCodeNotRun looks for the code that servers do not run.
func (e *examination) findCodeNotRun(ctx context.Context) {
	e.notRun = map[string][]string{}
	found, _ := router.ProjectCode(ctx, e.table, e.Files)
	for _, f := range found {
		what := f.What
		if len(f.Files) > 0 {
			what += " (" + f.Files[0] + ")"
		}
		e.notRun[f.Spec.ID] = append(e.notRun[f.Spec.ID], what)
	}
}

// workspaceLanguage is a language of the workspace with the servers for it.
type workspaceLanguage struct {
	Language
	candidates []*spec.Spec
	samples    []string
}

// languages returns the languages of the workspace that some server can navigate: code first, then by number of files.
func (e *examination) languages() []workspaceLanguage {
	var out []workspaceLanguage
	code := map[string]bool{}
	for _, k := range e.found.Kinds() {
		candidates := slices.DeleteFunc(slices.Clone(k.Candidates), func(s *spec.Spec) bool {
			return !s.Roles.Has(spec.RoleNavigation)
		})
		if len(candidates) == 0 {
			continue
		}
		id := candidates[0].LanguageID(filepath.Base(k.Samples[0]))
		i := slices.IndexFunc(out, func(l workspaceLanguage) bool { return l.ID == id })
		if i < 0 {
			code[id] = !servers.OptionalLanguage(id)
			out = append(out, workspaceLanguage{Language: Language{ID: id, Needed: code[id], Servers: []string{}},
				candidates: candidates})
			i = len(out) - 1
		}
		out[i].Files += k.Files
		out[i].samples = append(out[i].samples, k.Samples...)
	}
	e.markStray(out)
	rank := func(l workspaceLanguage) int {
		if code[l.ID] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b workspaceLanguage) int { return cmp.Or(rank(a)-rank(b), b.Files-a.Files) })
	return out
}

// maxProbes bounds how many servers are probed at the same time.
const maxProbes = 8

// startProbes begins to probe the first choice of each language, side by side: the slowest one decides how long the
// doctor takes. Further servers are tried only when that one does not work. startProbes does not wait;
// [examination.probe] does.
func (e *examination) startProbes(ctx context.Context, languages []workspaceLanguage) {
	e.probes = map[*spec.Spec]<-chan Probed{}
	room := make(chan struct{}, maxProbes)
	for _, l := range languages {
		installed := false
		first := slices.IndexFunc(l.candidates, func(s *spec.Spec) bool {
			found, _ := e.Machine.Find(s)
			installed = len(found) > 0
			return installed || s.Configured() != nil // see examination.language
		})
		if first < 0 || !installed || e.probes[l.candidates[first]] != nil {
			continue
		}
		sp, done := l.candidates[first], make(chan Probed, 1)
		e.probes[sp] = done
		go func() {
			room <- struct{}{}
			defer func() { <-room }()
			defer e.Progress.Say(sp.ID, "")
			done <- e.Probe.Probe(ctx, sp, l.samples, e.Progress)
		}()
	}
}

// probe returns the result for one server; it waits for a probe that has begun, else it begins one.
func (e *examination) probe(ctx context.Context, sp *spec.Spec, l workspaceLanguage) Probed {
	if done := e.probes[sp]; done != nil {
		delete(e.probes, sp)
		return <-done
	}
	defer e.Progress.Say(sp.ID, "")
	return e.Probe.Probe(ctx, sp, l.samples, e.Progress)
}

// awaitProbes waits for probes whose result nobody asked for, so that no server outlives the examination.
func (e *examination) awaitProbes() {
	for _, done := range e.probes {
		<-done
	}
}

// language looks for a server that works: it tries the installed ones in order, as the tools do.
func (e *examination) language(ctx context.Context, l workspaceLanguage) {
	defer func() { e.report.Languages = append(e.report.Languages, l.Language) }()
	var missing *Server
	var row *spec.Spec // of missing
	for _, spec := range l.candidates {
		if ctx.Err() != nil {
			return
		}
		s, known := e.probed[spec]
		if !known {
			s = e.server(ctx, spec, l)
		}
		if s.State == Missing && spec.Configured() != nil {
			// As in the tools, a missing program that the configuration names is a mistake to report, and no reason to
			// ask another server.
			missing, row = s, spec
			break
		}
		if s.State == Missing {
			if missing == nil {
				missing, row = s, spec
			}
			continue
		}
		if !known {
			e.keep(spec, s)
		}
		l.Servers = append(l.Servers, s.ID)
		if s.State == Works {
			l.OK = true
			return
		}
	}
	if len(l.Servers) > 0 || missing == nil {
		return
	}
	// None is installed: report the first in order of preference as the one to install.
	l.Servers = append(l.Servers, missing.ID)
	if e.probed[row] == nil {
		e.keep(row, missing)
	}
}

func (e *examination) keep(spec *spec.Spec, s *Server) {
	e.probed[spec] = s
	e.report.Servers = append(e.report.Servers, *s)
}

// caches counts the caches of a server. All of a report have one limit: someone waits for it.
func (e *examination) caches(ctx context.Context, sp *spec.Spec, root string) []Cache {
	ctx, cancel := context.WithTimeout(ctx, countedLimit-e.counting)
	defer cancel()
	began := time.Now()
	e.Progress.Say(sp.ID, "counting caches")
	defer e.Progress.Say(sp.ID, "")
	all := e.Machine.Caches(ctx, sp, root, e.Cache)
	e.counting += time.Since(began)
	return all
}

// server examines one server for a language.
func (e *examination) server(ctx context.Context, sp *spec.Spec, l workspaceLanguage) *Server {
	s := &Server{ID: sp.ID, Title: sp.Title, Language: l.ID, Needed: l.Needed, Verified: sp.Verified, State: Missing,
		NotRun: e.notRun[sp.ID], Fetches: spec.FetchedBy(sp)}
	s.originalOf(sp, e.Config.Workspace)
	for _, p := range e.found.Projects(sp) {
		folder, ok := source.RelativeTo(e.Config.Workspace, p.Root)
		if !ok {
			folder = p.Root
		}
		s.Projects = append(s.Projects, Project{folder, p.Files, !p.NoMarker})
	}
	found, tried := e.Machine.Find(sp)
	s.Tried = tried
	if c := sp.Configured(); c != nil && len(found) == 0 {
		s.Install = []string{
			fmt.Sprintf(
				"Correct `command` in line %d of %s, which names %s, or remove it, so that lspi looks for the program itself.", c.Line, c.File, c.Name)}
		return s
	}
	if len(found) == 0 {
		s.Install = e.installs(sp)
		s.Checks = append(s.Checks, e.foundByShell(sp)...)
		if path := e.Machine.Withheld(sp); path != "" {
			s.Checks = append(s.Checks, Check{Name: nameUntrusted, Level: Note, Message: path +
				" is not run, because this workspace is not trusted", Fix: trustFix})
		}
		if len(s.Checks) == 0 { // otherwise it is installed in a folder that is not on PATH
			s.Repair = e.repairBy(sp)
		}
		return s
	}
	s.Command, s.From = found[0].Path, found[0].From
	here := !sp.RunsElsewhere() // else the program here only starts it, and its tools are where it runs
	if here {
		s.Checks = append(s.Checks, e.programs(ctx, sp, s, found)...)
	}
	s.record(e.probe(ctx, sp, l))
	if s.Root != "" {
		s.Caches = e.caches(ctx, sp, s.Root)
	}
	for _, t := range serverChecks {
		if !here && t.languages != nil {
			continue
		}
		if t.languages == nil || slices.Contains(t.languages, l.ID) {
			s.Checks = append(s.Checks, t.check(ctx, e, sp, s)...)
		}
	}
	if s.State != Works {
		s.Install = e.installs(sp)
	}
	if !s.Needed {
		soften(s.Checks)
	}
	return s
}

// soften lowers checks to notes, for a server that the workspace does not need.
func soften(checks []Check) {
	for i := range checks {
		if checks[i].Level != OK {
			checks[i].Level = Note
		}
	}
}
