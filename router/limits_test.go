//go:build unix

package router

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// states are the servers of the pool by the base of their root.
func (p *fixture) states() (out string) {
	for i, st := range p.Status() {
		if i > 0 {
			out += " "
		}
		out += fmt.Sprint(st.Root[len(p.dir):], ":", st.State)
		if st.Evicted != "" {
			out += "(" + st.Evicted + ")"
		}
	}
	return out
}

// folders is a pool over a workspace of three roots.
func folders(t *testing.T) *fixture {
	t.Helper()
	p := newFixture(t, &lsptest.Script{Language: "words"}, nil)
	for _, dir := range []string{"a", "b", "c"} {
		testkit.Must(t, os.Mkdir(filepath.Join(p.dir, dir), 0o700))
	}
	return p
}

// The server that was used longest ago makes room for the next one, unless it is in use.
func TestMaxServers(t *testing.T) {
	p := folders(t)
	p.opt.MaxServers = 2
	a := p.get(p.route("a"))
	p.get(p.route("b"))
	p.get(p.route("a")) // now b is the older one
	p.get(p.route("c"))
	want := "/a:running /b:stopped(more than 2 servers would run) /c:running"
	testkit.Equal(t, p.states(), want)
	if p.get(p.route("a")) != a {
		t.Error("a was started anew")
	}
	// What was stopped for another reason later does not say this one.
	p.Restart(p.get(p.route("b")), true)
	p.get(p.route("a"))
	p.get(p.route("c"))
	testkit.Equal(t, p.states(), "/a:running /b:stopped /c:running")
	_, release, err := p.Get(t.Context(), p.route("a"))
	testkit.Must(t, err)
	defer release()
	_, release, err = p.Get(t.Context(), p.route("c"))
	testkit.Must(t, err)
	defer release()
	p.get(p.route("b")) // all others are in use: it runs nevertheless
	testkit.Equal(t, p.states(), "/a:running /b:running /c:running")
}

// The servers that were used longest ago are stopped for their memory first.
func TestMaxMemory(t *testing.T) {
	p := folders(t)
	p.opt.MaxMemory = 100 << 20
	p.opt.memoryOf = func(*lsp.Server) uint64 { return 60 << 20 }
	for _, dir := range []string{"a", "b", "c"} {
		p.get(p.route(dir))
	}
	p.checkMemory()
	const why = "(the servers had more than 100 MB of memory)"
	want := "/a:stopped" + why + " /b:stopped" + why + " /c:running"
	testkit.Equal(t, p.states(), want)
	p.get(p.route("a"))
	testkit.Equal(t, p.states(), "/a:running /b:stopped"+why+" /c:running")
}

// Limits hold over the pools of a group: what one workspace starts stops what another has not used for longest.
func TestLimitsOverPools(t *testing.T) {
	p, q := folders(t), folders(t)
	q.Pool.Close()
	o := q.opt
	o.Group, o.MaxServers = p.group, 2
	q.Pool = NewPool(o)
	t.Cleanup(q.Close)
	p.get(p.route("a"))
	p.get(p.route("b"))
	q.get(q.route("a"))
	testkit.Equal(t, p.states()+", "+q.states(), "/a:stopped(more than 2 servers would run) /b:running, /a:running")
	p.opt.MaxMemory = 100 << 20
	p.opt.memoryOf = func(*lsp.Server) uint64 { return 60 << 20 }
	p.get(p.route("b"))
	p.checkMemory()
	testkit.Equal(t, q.states(), "/a:stopped(the servers had more than 100 MB of memory)")
	testkit.Equal(t, p.group.measures(p.Pool) && !p.group.measures(q.Pool), true)
	p.Close() // its servers count no more
	q.get(q.route("a"))
	q.get(q.route("b"))
	testkit.Equal(t, q.states(), "/a:running /b:running")
}

// What is in use is ended only when that does not do, the largest first, and then started again once.
func TestMaxMemoryInUse(t *testing.T) {
	p := folders(t)
	p.table.Specs[0].Sparing = &spec.Sparing{Options: map[string]any{"little": true}}
	p.opt.MaxMemory = 100 << 20
	memory := map[string]uint64{"a": 90 << 20, "b": 40 << 20, "c": 30 << 20}
	p.opt.memoryOf = func(s *lsp.Server) uint64 { return memory[filepath.Base(s.Root())] }
	use := func(dir string) error {
		_, _, err := p.Get(context.Background(), p.route(dir))
		return err
	}
	for _, dir := range []string{"a", "b"} {
		testkit.Must(t, use(dir))
	}
	reach := func(dirs ...string) (err error) {
		for _, dir := range dirs {
			err = errors.Join(err, p.get(p.route("a")).Reach(t.Context(), filepath.Join(p.dir, dir)))
		}
		return err
	}
	testkit.Must(t, reach("b", "c", "."))
	p.get(p.route("c"))
	p.checkMemory()
	const why = "fake was ended with 90 MB of memory: all servers had 160 MB and may have 100 MB (limits.max_server_memory_mb)"
	testkit.Equal(t, p.states(), "/a:stopped("+why+") /b:running /c:running")
	if err := use("a"); err != nil {
		t.Fatalf("it was not started again: %v", err)
	}
	for i, start := range lsptest.Messages(p.seen(), "initialize") { // those of a, b, c, and a again
		testkit.Equal(t, strings.Contains(string(start.Params), `"little":true`), i == 3, "process", i)
	}
	// The next process gets half of the folders of the one that was ended, and further ones only by name.
	testkit.Must(t, reach("b", "b", "a"))
	if e := (*contract.Error)(nil); !errors.As(reach("c"), &e) || e.Kind != contract.KindMemoryLimit {
		t.Error("it got as many folders again")
	}
	testkit.Must(t, p.get(p.route("a")).AddFolder(t.Context(), filepath.Join(p.dir, "c")))
	p.checkMemory()
	err := use("a")
	if e := (*contract.Error)(nil); !errors.As(err, &e) || e.Kind != contract.KindMemoryLimit ||
		e.Facts["memory_mb"] != uint64(90) || e.Facts["limit_mb"] != uint64(100) {
		t.Errorf("after the second end: %v", err)
	}
	if st := p.Status()[0]; st.State != "disabled" || st.RetryAfter <= 0 {
		t.Errorf("status %+v", st)
	}
	p.Stop(func(*spec.Spec) bool { return true })
	if err := use("a"); err != nil {
		t.Errorf("after the user's restart: %v", err)
	}
	testkit.Must(t, reach("b", "c", "."))
}
