//go:build unix

package router

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// staying are the hooks of a server whose separate process may stay.
func staying(mark *string) *lsp.Hooks {
	return &lsp.Hooks{SyncHooks: lsp.SyncHooks{
		Surroundings: func(string) string { return *mark },
		BuiltAsIs:    func(context.Context, string, int32) bool { return true },
		KeepsStderr:  func(string) bool { return true },
	}}
}

// stayed is a pool with a separate process that stays for a.w, and the mark of its surroundings.
func stayed(t *testing.T) (p *fixture, mark *string) {
	t.Helper()
	mark = new(string)
	*mark = "one"
	p = newFixture(t, &lsptest.Script{}, nil, "a.w", "x\n", "b.w", "x\n", "sub/c.w", "x\n")
	p.opt.Launcher = func(*spec.Spec) lsp.Launcher {
		return lsp.NewHooks(func(*lsp.Server) *lsp.Hooks { return staying(mark) })
	}
	p.separately("a.w", true)
	return p, mark
}

// separately asks a separate process about a file, and gives its id.
func (p *fixture) separately(name string, stay bool) int {
	p.Helper()
	path := filepath.Join(p.dir, name)
	s, release, err := p.Separate(p.Context(), p.route().Spec, p.route(), path)
	testkit.Must(p, err)
	_, err = s.Documents().OpenDocument(p.Context(), path)
	testkit.Must(p, err)
	release(stay)
	return s.PID()
}

// A separate process stays for questions about its file while nothing else changes, and is no server of the pool.
func TestASeparateProcessStays(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(p *fixture, mark *string)
		file   string
		same   bool
	}{
		{"nothing", func(*fixture, *string) {}, "a.w", true},
		{"its file", func(p *fixture, _ *string) { testkit.Write(p, filepath.Join(p.dir, "a.w"), "y\n") }, "a.w", true},
		{"another file", func(p *fixture, _ *string) {
			testkit.Write(p, filepath.Join(p.dir, "b.w"), "y\n")
		}, "a.w", false},
		{"the surroundings", func(_ *fixture, mark *string) { *mark = "two" }, "a.w", false},
		{"a question about another file", func(*fixture, *string) {}, "b.w", false},
		{"one that was not done", func(p *fixture, _ *string) { p.separately("a.w", false) }, "a.w", false},
		{"some time", func(p *fixture, _ *string) { p.takeIdle(time.Now().Add(2 * keepFor)) }, "a.w", false},
		{"a moment", func(p *fixture, _ *string) { p.takeIdle(time.Now()) }, "a.w", true},
		{"a stop", func(p *fixture, _ *string) { p.Stop(func(*spec.Spec) bool { return true }) }, "a.w", false},
		{"no session any more", func(p *fixture, _ *string) { p.LeaveWarm() }, "a.w", false},
		{"too many servers", func(p *fixture, _ *string) {
			p.opt.MaxServers = 1
			p.get(p.route())
			p.get(p.route("sub"))
		}, "a.w", false},
		{"too much memory", func(p *fixture, _ *string) {
			p.opt.MaxMemory, p.opt.memoryOf = 100<<20, func(*lsp.Server) uint64 { return 60 << 20 }
			s := p.get(p.route())
			p.checkMemory()
			testkit.Equal(p, p.Running()[0], s, "the server of the pool")
		}, "a.w", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, mark := stayed(t)
			if len(p.Running())+len(p.Status()) > 0 {
				t.Error("it is listed")
			}
			pid := p.kept.server.PID()
			c.before(p, mark)
			testkit.Equal(t, p.separately(c.file, true) == pid, c.same, "the same process")
			s := p.kept.server
			p.Close()
			<-s.Done()
		})
	}
}
