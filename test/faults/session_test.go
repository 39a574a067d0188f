//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// faultSession is lspi in this process on a project, with one server.
type faultSession struct {
	testing.TB
	dir     string
	project *project
	session *session.Session
}

// options adapt a session.
type options struct {
	cache   string // of lspi, "" for none
	watch   watch.Mode
	timeout time.Duration   // of a call; 0 is lspi's default
	script  *lsptest.Script // of the scripted server; nil is a decent one
	spec    func(*spec.Spec)
	memory  uint64 // of all servers, in bytes; 0 is no limit
}

// open writes the project into a folder of its own and opens a session on it.
func (p *project) open(t testing.TB, o options) *faultSession {
	t.Helper()
	testkit.Need(t, p.programs...)
	dir := testkit.TempDir(t)
	p.create(t, dir)
	return p.openIn(t, dir, o)
}

func (p *project) openIn(t testing.TB, dir string, o options) *faultSession {
	t.Helper()
	spec := p.spec(t, o.script)
	if o.spec != nil {
		o.spec(&spec)
	}
	s := &faultSession{TB: t, dir: dir, project: p}
	s.session = toolstest.OpenWith(t, dir, func(po *router.PoolOptions) {
		po.Watch, po.MaxMemory, po.Cache = o.watch, o.memory, o.cache
	}, spec)
	s.session.Workspace.Process.EditDir, s.session.Settings.CallTimeout = "", o.timeout
	return s
}

// spec is the catalogue's row, or for the scripted server one that makes no warnings of its own.
func (p *project) spec(t testing.TB, script *lsptest.Script) spec.Spec {
	t.Helper()
	if p.server != scripted {
		spec := toolstest.Catalogue(p.server)[0]
		spec.Env = p.env
		return spec
	}
	return toolstest.Scripted(scripted, lsptest.NewProgram(t, script))
}

// ask asks for every reference of the symbol.
func (s *faultSession) ask() *reply {
	s.Helper()
	return s.call("find_references", s.project.question())
}

func (s *faultSession) call(tool string, arguments map[string]any) *reply {
	s.Helper()
	raw, err := json.Marshal(arguments)
	testkit.Must(s, err)
	began := time.Now()
	r := tools.Run(context.Background(), s.session, nil, answer.Request{Tool: tool, Arguments: raw})
	return parse(s, r.Structured, r.Text, time.Since(began))
}

// truth is what is on disk now.
func (s *faultSession) truth() []string { return s.project.truth(s, s.dir) }

// sound checks that the session answers right before the fault is made.
func (s *faultSession) sound() {
	s.Helper()
	truth := s.truth()
	if len(truth) < 3 {
		s.Fatalf("the project has only %v", truth)
	}
	if wrong := loaded(s.ask).wrong(truth); wrong != "" {
		s.Fatalf("before the fault: %s", wrong)
	}
}

// right checks that an answer is the whole truth, and says what came back.
func (c *cell) right(a *reply, truth []string) {
	c.says("%s", a.shape())
	if wrong := a.wrong(truth); wrong != "" {
		c.breaks("%s", wrong)
	}
}

// verifiedVersion is the version of a server that the catalogue was verified with, which the tests run.
func verifiedVersion(server string) string {
	for _, spec := range servers.Servers() {
		if spec.ID == server {
			return spec.Verified
		}
	}
	return ""
}
