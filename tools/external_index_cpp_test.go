//go:build unix

package tools

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/index"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// externalProject is a project of C++ in a repository, with a configuration of clangd for its user.
type externalProject struct {
	t         *testing.T
	dir, home string
}

func newExternal(t *testing.T) *externalProject {
	testkit.Need(t, "clangd")
	p := &externalProject{t: t, home: testkit.TempDir(t), dir: project(t, map[string]string{
		"f.h": "#pragma once\nint foo(long);\n", "f.cc": "#include \"f.h\"\nint foo(long n) { return int(n); }\n",
		"use.cc":     "#include \"f.h\"\nint use() { return foo(1); }\n",
		".gitignore": "compile_commands.json\n.cache/\n*.idx\n*.commit\n"})}
	write(t, p.dir, "compile_commands.json", database(p.dir, "f.cc", "use.cc"))
	testkit.Must(t, os.RemoveAll(filepath.Join(p.dir, ".git")))
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "one")
	return p
}

func (p *externalProject) git(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=t", "-c", "user.email=t@example.com"},
		args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// configure writes the user's configuration: an index for the files of the project.
func (p *externalProject) configure(key, value string) {
	testkit.Write(p.t, filepath.Join(p.home, "clangd", "config.yaml"),
		fmt.Sprintf("Index:\n  External:\n    %s: %s\n    MountPoint: %s\n", key, value, p.dir))
}

func (p *externalProject) open() *session.Session {
	return toolstest.RealWith(p.t, p.dir, map[string]string{"XDG_CONFIG_HOME": p.home}, "clangd")
}

// says is the completeness of an answer, its warnings about the index with their reasons, and where its uses are.
func (p *externalProject) says(s *session.Session, tool string, args map[string]any) string {
	p.t.Helper()
	a := run(p.t, s, tool, args)
	out := []string{fmt.Sprint(a["completeness"])}
	warnings, _ := a["warnings"].([]any)
	for _, w := range warnings {
		w := w.(map[string]any)
		switch w["kind"] {
		case "load_failed", "index_unproven":
			out = append(out, fmt.Sprintf("%v(%v)", w["kind"], w["reason"]))
		}
	}
	if tool == "find_references" {
		out = append(out, lines(a["files"], "references"))
	}
	return strings.Join(out, " ")
}

var usesOfFoo = map[string]any{"file_path": "f.h", "line": 2, "symbol_name": "foo"}

// Where the index that the configuration names is not there, clangd says nothing of it, and that its index is made.
func TestExternalIndexNotThere(t *testing.T) {
	p := newExternal(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	nobody := l.Addr().String()
	testkit.Must(t, l.Close())
	p.configure("Server", nobody)
	s := p.open()
	uses := func(reason string) {
		t.Helper()
		// The uses are there all the same, by what lspi asks about each place of the name.
		got := p.says(s, "find_references", usesOfFoo)
		testkit.Holds(t, got, "partial load_failed("+reason)
		testkit.Holds(t, got, " f.cc:2 f.h:2 use.cc:2")
	}
	uses("no clangd-index-server answers at " + nobody + ", which")
	testkit.Holds(t, p.says(s, "search_workspace_symbols", map[string]any{"query": "use"}),
		"partial load_failed(no clangd-index-server answers at "+nobody)

	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	p.configure("Server", other.Listener.Addr().String())
	uses("no clangd-index-server answers at " + other.Listener.Addr().String())
	p.configure("File", filepath.Join(p.home, "none.idx"))
	uses("there is no index ")
}

// An index that others made counts for what did not change since its commit. A shard of clangd's own index is such an
// index, of one source.
func TestExternalIndexOfCommit(t *testing.T) {
	testkit.OwnServer(t)
	p := newExternal(t)
	own := toolstest.Open(t, p.dir, toolstest.Catalogue("clangd")...) // without a cache the index is in the tree
	testkit.Equal(t, p.says(own, "find_references", usesOfFoo), "complete f.cc:2 f.h:2 use.cc:2")
	shards, _ := filepath.Glob(filepath.Join(p.dir, ".cache/clangd/index/use.cc.*.idx"))
	if len(shards) != 1 {
		t.Fatalf("%v", shards)
	}
	idx := filepath.Join(p.home, "uses.idx")
	raw, err := os.ReadFile(shards[0])
	testkit.Must(t, err)
	testkit.Write(t, idx, string(raw))
	p.configure("File", idx)
	commit := func(id string) { testkit.Write(t, idx+index.CommitSuffix, id) }
	head := p.git("rev-parse", "HEAD")

	// Each of a new process, whose first answer comes before it has read the index.
	for _, c := range []struct {
		name   string
		before func()
		want   string
	}{
		{"unknown commit", func() {}, "partial index_unproven(commit_unknown) f.cc:2 f.h:2 use.cc:2"},
		{"no such commit", func() { commit(strings.Repeat("a", 40)) },
			"partial index_unproven(commit_not_found) f.cc:2 f.h:2 use.cc:2"},
		{"the commit", func() { commit(head) }, "complete f.cc:2 f.h:2 use.cc:2"},
		{"a use that came", func() {
			write(t, p.dir, "use.cc", "#include \"f.h\"\nint use() { return foo(1); }\nint more() { return foo(2); }\n")
		}, "complete f.cc:2 f.h:2 use.cc:2 use.cc:3"},
		{"committed", func() { p.git("commit", "-q", "-a", "-m", "two") },
			"complete f.cc:2 f.h:2 use.cc:2 use.cc:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			c.before()
			testkit.Equal(t, p.says(p.open(), "find_references", usesOfFoo), c.want)
		})
	}
	t.Run("read", func(t *testing.T) {
		p.t = t
		p.git("reset", "-q", "--hard", head)
		s := p.open()
		until(t, "the index is read", func() bool {
			a := run(t, s, "search_workspace_symbols", map[string]any{"query": "use"})
			symbols, _ := a["symbols"].([]any)
			testkit.Equal(t, fmt.Sprint(a["completeness"]), map[bool]string{true: "complete", false: "partial"}[len(symbols) > 0])
			return len(symbols) > 0
		})
		// Without a change of its own use.cc calls another function now, of which the index does not know.
		write(t, p.dir, "f.h", "#pragma once\nint foo(long);\nint foo(int);\n")
		testkit.Equal(t, p.says(s, "find_references", usesOfFoo), "complete f.cc:2 f.h:2")
	})
}

// The answers by a clangd-index-server are those by clangd's own index, and after a change those of the files as they
// are. scripts/clangd_index.sh makes the server, for the nightly run.
func TestExternalIndexServer(t *testing.T) {
	testkit.OwnServer(t)
	testkit.Path()
	for _, program := range []string{"clangd-indexer", "clangd-index-server"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not there: run scripts/clangd_index.sh")
		}
	}
	p := newExternal(t)
	write(t, p.dir, "shape.h", "#pragma once\nstruct Shape {\n  virtual int area() { return 0; }\n};\n")
	write(t, p.dir, "square.cc", "#include \"shape.h\"\n#include \"f.h\"\nstruct Square : Shape {\n"+
		"  int area() override { return foo(4); }\n};\nint twice(Shape &s) { return s.area() + foo(2) + foo(3); }\n")
	write(t, p.dir, "compile_commands.json", database(p.dir, "f.cc", "use.cc", "square.cc"))
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "shapes")
	raw, err := exec.Command("clangd-indexer", "--executor=all-TUs", filepath.Join(p.dir,
		"compile_commands.json")).Output()
	testkit.Must(t, err)
	idx := filepath.Join(p.home, "project.idx")
	testkit.Must(t, os.WriteFile(idx, raw, 0o600))
	write(t, p.dir, "clangd-index.commit", p.git("rev-parse", "HEAD"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	address := l.Addr().String()
	testkit.Must(t, l.Close())
	p.configure("Server", address)
	s, own := p.open(), toolstest.Real(t, p.dir, "clangd")
	testkit.Holds(t, p.says(s, "find_references", usesOfFoo), "partial load_failed(")
	server := exec.Command("clangd-index-server", idx, p.dir, "--server-address="+address, "--log=error")
	testkit.Must(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	until(t, "the index server listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})

	until(t, "a server that has come is asked", func() bool {
		return p.says(s, "find_references", usesOfFoo) == "complete f.cc:2 f.h:2 square.cc:4 square.cc:6 square.cc:6 use.cc:2"
	})
	all := []struct {
		tool string
		args map[string]any
	}{
		{"find_references", usesOfFoo},
		{"call_hierarchy", map[string]any{"file_path": "f.h", "line": 2, "symbol_name": "foo", "direction": "incoming"}},
		{"find_implementations", map[string]any{"file_path": "shape.h", "line": 3, "symbol_name": "area"}},
		{"type_hierarchy", map[string]any{"file_path": "shape.h", "line": 2, "symbol_name": "Shape",
			"direction": "subtypes"}},
		{"search_workspace_symbols", map[string]any{"query": "twice"}},
		{"find_definition", map[string]any{"symbol_name": "Square"}},
	}
	for _, q := range all {
		a, b := run(t, s, q.tool, q.args), run(t, own, q.tool, q.args)
		for _, answer := range []reply{a, b} {
			delete(answer, "request_id")
			delete(answer, "elapsed_ms")
		}
		testkit.Equal(t, fmt.Sprint(a), fmt.Sprint(b), q.tool)
		testkit.Equal(t, fmt.Sprint(a["completeness"]), "complete", q.tool)
	}
	says := func(references, callers string) {
		t.Helper()
		testkit.Equal(t, p.says(s, "find_references", usesOfFoo), "complete "+references)
		a := run(t, s, all[1].tool, all[1].args)
		testkit.Equal(t, fmt.Sprint(a["completeness"], " ", a["incoming"]), "complete "+callers)
	}
	// clangd's own index goes on listing what the sources that did not change called before.
	write(t, p.dir, "f.h", "#pragma once\nint foo(long);\nint foo(int);\n")
	says("f.cc:2 f.h:2", "[]")
	p.git("checkout", "-q", "f.h")
	write(t, p.dir, "square.cc", "#include \"shape.h\"\nint twice(Shape &s) { return s.area(); }\n")
	says("f.cc:2 f.h:2 use.cc:2", "[use.cc:2 @2 function use]")
}
