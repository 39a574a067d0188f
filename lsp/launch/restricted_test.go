package launch

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

func TestBarForbids(t *testing.T) {
	bar := spec.Bar{Allowed: []string{"alias", "build.jobs", "registries.*.index"}}
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"1.95.0\n", ""}, {"[alias]\nx = 'run'\n[build]\njobs = 2\n[registries.a]\nindex = 'u'", ""},
		{"[build]\njobs = 2\nrustc = 'x'", "build.rustc"}, {"build.jobs.x = 1", ""},
		{"[registries.a]\ncredential-provider = ['x']", "registries.a.credential-provider"},
		{"[env]\nLD_PRELOAD = { value = 'x', force = true }", "env.LD_PRELOAD.value"}, {"[env]\n", ""},
		{"include = 'x'", "include"},
		{"[[x]]\ny = 1", "x"}, {"not toml", "it is not valid TOML"}, {"evil/path", "it is not valid TOML"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		testkit.Write(t, path, c.text)
		testkit.Equal(t, forbids(bar, path), c.want, c.text)
	}
	testkit.Equal(t, forbids((spec.Bar{}), "any"), "its presence", "without allowed keys")
	testkit.Equal(t, forbids(bar, t.TempDir()), "it cannot be read", "a folder")
}

// A bar above the project counts in all of what is not trusted, and above that when another user put it there.
func TestBarredAboveTheProject(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	root := filepath.Join(top, "above", "repo", "sub", "crate")
	testkit.Must(t, os.MkdirAll(root, 0o755))
	sp := &spec.Spec{Untrusted: []string{filepath.Join(top, "above", "repo", "sub"),
		filepath.Join(top, "above", "repo")}}
	for _, c := range []struct {
		folder string
		owner  int
		barred bool
	}{{"above/repo/sub/crate", 0, true}, {"above/repo/sub", 0, true}, {"above/repo", 0, true}, {"above", 0, false},
		{"above", 12345, true}} {
		if c.owner != 0 && os.Geteuid() != 0 {
			continue // only root gives files to others
		}
		path := filepath.Join(top, filepath.FromSlash(c.folder), "evil.toml")
		err := os.WriteFile(path, nil, 0o644)
		if err == nil && c.owner != 0 {
			err = os.Chown(path, c.owner, c.owner)
		}
		testkit.Must(t, err)
		if file, _ := barred(sp, root, spec.Bar{Files: []string{"evil.toml"}}); (file == path) != c.barred {
			t.Errorf("%s of %d: barred by %q", path, c.owner, file)
		}
		testkit.Must(t, os.Remove(path))
	}
}

// The file that a server takes from a project is found where the server is installed, also by way of a script.
func TestOwnFileOfAServer(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	in := func(p string) string { return filepath.Join(top, filepath.FromSlash(p)) }
	write := func(p, text string) {
		t.Helper()
		testkit.Must(t, os.MkdirAll(filepath.Dir(in(p)), 0o755))
		testkit.WriteProgram(t, in(p), text)
	}
	for _, dir := range []string{"npm/lib", "script", "work"} {
		write(dir+"/node_modules/typescript/lib/tsserver.js", "")
		write(dir+"/node_modules/server/cli.js", "")
	}
	write("bin/script", "#!/bin/sh\nexec '/no/such/node' '"+in("script/node_modules/server/cli.js")+"' \"$@\"\n")
	testkit.Must(t, os.Symlink(in("npm/lib/node_modules/server/cli.js"), in("bin/linked")))
	write("npm/bin/copied", "")
	sp := &spec.Spec{Untrusted: []string{in("work")}, Env: map[string]string{"PATH": in("bin")}}
	own := &spec.OwnFile{Option: "tsserver.path", Path: "typescript/lib/tsserver.js", Folder: "node_modules",
		Programs: []string{"none"}}
	for program, want := range map[string]string{
		"bin/script": "script", "bin/linked": "npm/lib", "npm/bin/copied": "npm/lib",
		"work/node_modules/server/cli.js": "",
	} {
		if want != "" {
			want = in(want + "/node_modules/typescript/lib/tsserver.js")
		}
		testkit.Equal(t, ownFile(sp, own, []Candidate{{Path: in(program)}}), want, program)
	}
	inside := nameOwnFile(sp, map[string]any{"tsserver": map[string]any{"path": "node_modules/x", "a": 1}},
		[]string{"tsserver", "path"}, "/own")
	if got := inside["tsserver"].(map[string]any); got["path"] != "/own" || got["a"] != 1 {
		t.Errorf("a path of the project stays: %v", got)
	}
	given := nameOwnFile(sp, map[string]any{"tsserver": map[string]any{"path": "/users/own"}},
		[]string{"tsserver", "path"}, "/own")
	testkit.Equal(t, given["tsserver"].(map[string]any)["path"], "/users/own", "the user's own is replaced by")
}
