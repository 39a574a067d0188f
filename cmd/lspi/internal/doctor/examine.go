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

// Options are what is examined, and how.
type Options struct {
	Config   *config.Config
	From     string // what chose the workspace
	Version  string // of lspi
	Machine  Machine
	Files    source.Files
	Probe    Prober
	Strict   bool     // warnings and stray files count as well
	Progress Progress // hears what is being done; nil for nobody
	// Sharing says how it stands with the process that hosts share; nil says nothing.
	Sharing func(context.Context) []Check
	// MCPServers are the other MCP servers that a session here would have, and MCPClient makes the client of one.
	// nil where there are none.
	MCPServers []session.MCPServer
	MCPClient  func(mcpclient.Spec) (*mcpclient.Client, error)
}

// Progress hears what is being done about a subject, such as a server; several are at the same time. An empty text
// ends the subject. It may be called from several goroutines.
type Progress func(subject, doing string)

// Say tells f, if there is somebody who hears.
func (f Progress) Say(subject, doing string) {
	if f != nil {
		f(subject, doing)
	}
}

// Prober starts a server for one language, asks it, and ends it.
type Prober interface {
	Probe(ctx context.Context, spec *spec.Spec, samples []string, progress Progress) Probed
	// Watching is how changes of the workspace's files are found, and why not by events.
	Watching(ctx context.Context) (byEvents bool, reason string)
}

// surveyLimit bounds the search of the workspace.
const surveyLimit = 20 * time.Second

// examination is one run.
type examination struct {
	Options
	table *router.Table
	kinds []router.FileKind
	// manifests are the files of the workspace that name dependencies, absolute.
	manifests []string
	report    *Report
	notRun    map[string][]string          // by server id: code of the workspace, which is not trusted
	probed    map[*spec.Spec]*Server       // looked at already, for another language
	probes    map[*spec.Spec]<-chan Probed // under way; each gives its outcome once

	loginPath func() []string // folders on the PATH of a login shell
}

// Examine runs all checks. It ends early with ctx, with what it has.
func Examine(ctx context.Context, o Options) *Report {
	e := &examination{Options: o, table: o.Config.Table(), probed: map[*spec.Spec]*Server{}, report: &Report{
		SchemaVersion: SchemaVersion, Version: o.Version, Platform: o.Machine.OS + "/" + runtime.GOARCH,
		Strict: o.Strict, Languages: []Language{}, Servers: []Server{}, MCPServers: []MCPServer{}, Hosts: []Host{},
		Checks: []Check{},
	}}
	e.askLogin(ctx)
	defer e.loginPath() // the shell has ended
	e.configuration()
	others := e.askMCPServers(ctx)
	defer others() // they have ended
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
	e.report.conclude()
	return e.report
}

func (e *examination) configuration() {
	e.report.Config = Config{append([]config.Source{}, e.Config.Sources...),
		append([]config.Finding{}, e.Config.Findings...)}
}

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
	w.Folders, e.kinds, e.manifests = found.Folders, found.Kinds(), found.Manifests
	if err == nil && !slices.ContainsFunc(e.languages(), func(l workspaceLanguage) bool { return l.Needed }) {
		w.Checks = append(w.Checks, Check{Name: nothingToServe, Level: Note,
			Message: "there is no source code in " + w.Root + ", so no language server is needed",
			Fix:     []string{"Run lspi doctor in a project, or name one: --workspace-root FOLDER."}})
	}
}

// nameUntrusted is the check of what is not run because the workspace is not trusted.
const nameUntrusted = "untrusted"

// trustFix is what to do about it.
var trustFix = []string{"Run lspi trust in a terminal: it lists what would run, and asks."}

// untrusted is a note about a workspace whose code is not run.
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

// languages are those of the workspace for which some server navigates: those that need one first, then by files.
func (e *examination) languages() []workspaceLanguage {
	var out []workspaceLanguage
	code := map[string]bool{}
	for _, k := range e.kinds {
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

// startProbes starts the server that each language tries first, all side by side, so that the slowest one decides
// how long it takes. Another one is tried only when that does not work. It does not wait; [examination.probe] does.
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

// probe is the outcome for one server, of the probe that runs already where there is one.
func (e *examination) probe(ctx context.Context, sp *spec.Spec, l workspaceLanguage) Probed {
	if done := e.probes[sp]; done != nil {
		delete(e.probes, sp)
		return <-done
	}
	defer e.Progress.Say(sp.ID, "")
	return e.Probe.Probe(ctx, sp, l.samples, e.Progress)
}

// awaitProbes waits for those that nobody asked for: a process is ended before the report is there.
func (e *examination) awaitProbes() {
	for _, done := range e.probes {
		<-done
	}
}

// language looks for a server that works: the installed ones in their order until one does, as the tools do.
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
			// As the tools do: that a program is not there which somebody names is a mistake to tell, and no reason
			// to ask another server.
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
	// None is there: the first in order of preference is what to install.
	l.Servers = append(l.Servers, missing.ID)
	if e.probed[row] == nil {
		e.keep(row, missing)
	}
}

func (e *examination) keep(spec *spec.Spec, s *Server) {
	e.probed[spec] = s
	e.report.Servers = append(e.report.Servers, *s)
}

// server is what there is to tell of a server for a language.
func (e *examination) server(ctx context.Context, sp *spec.Spec, l workspaceLanguage) *Server {
	s := &Server{ID: sp.ID, Title: sp.Title, Language: l.ID, Needed: l.Needed, Verified: sp.Verified, State: Missing,
		NotRun: e.notRun[sp.ID], Fetches: spec.FetchedBy(sp)}
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
		if len(s.Checks) == 0 { // else it is there, and PATH lacks its folder
			s.Repair = e.repairBy(sp)
		}
		return s
	}
	s.Command, s.From = found[0].Path, found[0].From
	s.Checks = append(s.Checks, e.programs(ctx, sp, s, found)...)
	s.record(e.probe(ctx, sp, l))
	for _, t := range serverChecks {
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

// soften makes what is wrong with something that the workspace does not need worth a note.
func soften(checks []Check) {
	for i := range checks {
		if checks[i].Level != OK {
			checks[i].Level = Note
		}
	}
}
