//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/doctor"
	"lspi/cmd/lspi/internal/warm"
	"lspi/internal/testkit"
)

// What real servers keep is there after lspi warm, the next one finds it, the doctor tells of it, and no file came into
// the project.
func TestWarmFillsCaches(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		server string
		files  map[string]string
	}{
		{"gopls", map[string]string{"go.mod": "module m\n\ngo 1.24\n", "a.go": "package m\n\nfunc F() {}\n"}},
		{"clangd", map[string]string{"a.cc": "int f() { return 1; }\n",
			"compile_commands.json": `[{"directory": "DIR", "file": "DIR/a.cc", "command": "c++ -c DIR/a.cc"}]`}},
		{"rust-analyzer", map[string]string{"src/lib.rs": "pub fn f() {}\n", "Cargo.toml": manifest, "Cargo.lock": lock}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Need(t, c.server)
			root := testkit.Project(t, c.files)
			if list := c.files["compile_commands.json"]; list != "" {
				testkit.Write(t, filepath.Join(root, "compile_commands.json"), strings.ReplaceAll(list, "DIR", root))
			}
			for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
				t.Setenv(name, testkit.TempDir(t))
			}
			t.Setenv("GOPLSCACHE", "")
			files := filesBelow(t, root)
			first, second := warmed(t, root, c.server), warmed(t, root, c.server)
			before, after := first.Before, first.After
			if before.Files != 0 || after.Files == 0 || after.Bytes == 0 || second.Before.Files < after.Files {
				t.Errorf("first %+v, second %+v", first, second)
			}
			testkit.Diff(t, filesBelow(t, root), files, "the project")
			var out, errs bytes.Buffer
			run([]string{"doctor", "--workspace-root", root, "--trust", "all", "--no-hosts", "--json"}, strings.NewReader(""),
				&out, &errs)
			var r doctor.Report
			testkit.Must(t, json.Unmarshal(out.Bytes(), &r))
			i := slices.IndexFunc(r.Servers, func(s doctor.Server) bool { return s.ID == c.server })
			if i < 0 || len(r.Servers[i].Caches) != 1 || r.Servers[i].Caches[0].Folder != first.Folder ||
				r.Servers[i].Caches[0].Files < after.Files {
				t.Errorf("the doctor: %s%s", out.String(), errs.String())
			}
		})
	}
}

// Without trust no code of the project runs: here a build script.
func TestWarmWithoutTrust(t *testing.T) {
	testkit.OwnServer(t)
	testkit.Need(t, "rust-analyzer")
	ran := filepath.Join(testkit.TempDir(t), "ran")
	root := testkit.Project(t, map[string]string{"src/lib.rs": "pub fn f() {}\n", "Cargo.toml": manifest, "Cargo.lock": lock,
		"build.rs": fmt.Sprintf("fn main() { std::fs::write(%q, \"\").unwrap(); }\n", ran)})
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, testkit.TempDir(t))
	}
	for _, trust := range []string{"ask", "all"} {
		var out, errs bytes.Buffer
		if code := run([]string{"warm", root, "--trust", trust}, strings.NewReader(""), &out, &errs); code != exitOK {
			t.Fatalf("exit %d: %s%s", code, out.String(), errs.String())
		}
		_, err := os.Stat(ran)
		testkit.Equal(t, err == nil, trust == "all", "the build script ran with trust = "+trust)
		testkit.Equal(t, strings.Contains(out.String(), "no code of it ran"), trust == "ask", out.String())
	}
}

// A crate without dependencies.
const (
	manifest = "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	lock     = "version = 4\n\n[[package]]\nname = \"m\"\nversion = \"0.1.0\"\n"
)

// warmed runs lspi warm and returns the cache of a server.
func warmed(t *testing.T, root, server string) warm.Cache {
	t.Helper()
	var out, errs bytes.Buffer
	code := run([]string{"warm", root, "--trust", "all", "--json"}, strings.NewReader(""), &out, &errs)
	var r warm.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v: %s%s", code, err, out.String(), errs.String())
	}
	i := slices.IndexFunc(r.Servers, func(s warm.Server) bool { return s.ID == server })
	if i < 0 || len(r.Servers[i].Caches) != 1 || !r.Servers[i].Ready {
		t.Fatalf("%s", out.String())
	}
	return r.Servers[i].Caches[0]
}

// filesBelow are the files below a folder.
func filesBelow(t *testing.T, root string) (out []string) {
	t.Helper()
	testkit.Must(t, fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		out = append(out, path)
		return err
	}))
	return out
}
