package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

const wanting = "[[servers]]\nid = \"gopls\"\ncommand = \"evil\"\nrequest_timeout_ms = 70000\n"

func (w *world) store() trust.Store { return trust.Open(w.userFolders()) }

func TestTrust(t *testing.T) {
	w := newWorld(t)
	path := w.repo(wanting)

	c := w.load()
	want := []Finding{{
		Severity: SeverityWarning, Kind: FindingUntrusted, File: path, Line: 3, Column: 1, Key: "servers[0].command",
		Message: "this file is not trusted; not applied: servers[0].command (line 3); the rest is",
		Fix:     "lspi trust " + path,
	}}
	testkit.Diff(t, c.Findings, want)
	if c.Err() != nil || c.Sources[0].Trusted || c.spec("gopls").Commands[0].Name != "gopls" ||
		c.spec("gopls").Timeouts.Request == 0 {
		t.Errorf("untrusted: %v %+v", c.Err(), c.Specs)
	}
	testkit.Diff(t, c.Configured[0].Untrusted, []string{"servers[0].command"})

	entry, err := w.store().TrustFile(path)
	testkit.Must(t, err)
	c = w.sound()
	if !c.Sources[0].Trusted || c.spec("gopls").Commands[0].Name != "evil" || entry.SHA256 != c.Sources[0].SHA256 {
		t.Errorf("trusted: %+v", c)
	}

	w.repo(wanting + "args = [\"-x\"]\n")
	c = w.load()
	if c.Sources[0].Trusted || len(c.Findings) != 1 ||
		c.Findings[0].Message != "this file changed since it was trusted; not applied: servers[0].command (line 3), servers[0].args (line 5); the rest is" {
		t.Errorf("changed: %v", c.Findings)
	}

	w.repo(wanting)
	w.sound()
	if was, err := w.store().Untrust(path); !was || err != nil {
		t.Errorf("%v %v", was, err)
	}
	if was, err := w.store().Untrust(path); was || err != nil {
		t.Errorf("again: %v %v", was, err)
	}
	if c = w.load(); c.Sources[0].Trusted {
		t.Error("still trusted")
	}
}

// Trust is about what runs: a workspace's file adds protected places, and takes none away.
func TestTrustedFileAddsProtectedPlaces(t *testing.T) {
	w := newWorld(t)
	w.user("edit.protected = [\"mine\"]")
	path := w.repo("edit.protected = [\"theirs\"]\nedit.confirm = []")
	for _, trusted := range []bool{false, true} {
		if trusted {
			if _, err := w.store().TrustFile(path); err != nil {
				t.Fatal(err)
			}
		}
		got := w.sound().Edit
		testkit.Diff(t, got, Edit{Protected: []string{"mine", "theirs"}, Confirm: []string{".github/workflows"}},
			"trusted", trusted)
	}
}

// A list of trusted files that somebody else could have written, or that lies in the workspace, does not count, and the
// session is told; package trust has the further cases.
func TestTrustStoreThatDoesNotCount(t *testing.T) {
	for name, spoil := range map[string]func(w *world){
		"writable for others": func(w *world) {
			if runtime.GOOS == "windows" {
				w.t.Skip("no permission bits")
			}
			testkit.Must(w.t, os.Chmod(w.store().Dir(), 0o777))
		},
		"inside the workspace": func(w *world) {
			w.env["XDG_STATE_HOME"] = filepath.Join(w.workspace, "state")
			if _, err := w.store().TrustFile(filepath.Join(w.workspace, "lspi.toml")); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.store().TrustFile(w.repo(wanting)); err != nil {
				t.Fatal(err)
			}
			spoil(w)
			if c := w.load(); c.Sources[0].Trusted || c.Findings[0].Kind != FindingTrustStore {
				t.Errorf("%v", c.Findings)
			}
		})
	}
}

func TestTwoFiles(t *testing.T) {
	w := newWorld(t)
	second := w.repo("catalogue = false")
	first := w.write(filepath.Join(w.workspace, ".lspi", "config.toml"), "")
	c := w.load()
	want := []Finding{{Severity: SeverityWarning, Kind: FindingTwoFiles, File: first,
		Message: "lspi.toml is not read, because this file is there too",
		Fix:     "put everything into one of them and remove the other: " + second}}
	testkit.Diff(t, c.Findings, want)
	if len(c.Specs) != 3 || c.Err() != nil {
		t.Error("lspi.toml was read, or a warning stops the tools")
	}
}

// undecided is a world in which nothing but what a test writes speaks for the workspace.
func undecided(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	delete(w.env, trustVariable)
	return w
}

// Who chooses the policy; package trust has what each policy means.
func TestTrustPolicy(t *testing.T) {
	for _, c := range []struct {
		name, want string // "" when the workspace is not trusted
		make       func(w *world)
	}{
		{"nothing speaks for it", "", func(*world) {}},
		{"CI is no user", "", func(w *world) { w.env["CI"] = "true" }},
		{"the user's file", trust.ByPolicy, func(w *world) { w.user(`trust = "all"`) }},
		{"the variable over the file", trust.ByPolicy, func(w *world) {
			w.user(`trust = "ask"`)
			w.env[trustVariable] = "all"
		}},
		{"the flag over the variable", "", func(w *world) { w.env[trustVariable] = "all"; w.Flags.Trust = "ask" }},
		{"the workspace's own file", "", func(w *world) { w.repo(`trust = "all"`) }},
		{"its trusted file", "", func(w *world) {
			if _, err := w.store().TrustFile(w.repo(`trust = "all"`)); err != nil {
				w.t.Fatal(err)
			}
		}},
		{"the workspace's file narrows", "", func(w *world) { w.user(`trust = "all"`); w.repo(`trust = "ask"`) }},
		{"a further root of the host", "", func(w *world) {
			w.user(`trust = "owned"`)
			w.trust(w.workspace)
			w.HostRoots = []string{w.workspace, filepath.Join(filepath.Dir(w.home), "outside")}
		}},
		{"only the root that is trusted", trust.ByUser, func(w *world) {
			w.trust(w.workspace)
			w.HostRoots = []string{w.workspace}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := undecided(t)
			c.make(w)
			cfg := w.load()
			if cfg.Trust.By != c.want || (cfg.spec("gopls").Untrusted == nil) != cfg.Trust.Trusted {
				t.Errorf("%+v, restricted to %v; want %q", cfg.Trust, cfg.spec("gopls").Untrusted, c.want)
			}
		})
	}
}

func (w *world) trust(path string) {
	w.t.Helper()
	e, err := trust.DescribeWorkspace(path, false)
	if err == nil {
		err = w.store().TrustWorkspace(e)
	}
	testkit.Must(w.t, err)
}

// What is not trusted is the whole repository, though the workspace is a folder of it, by flag or because the
// repository brings a mark in it. Tools read configuration in all folders above the one that they work in.
func TestUntrustedRepositoryAboveTheWorkspace(t *testing.T) {
	w := undecided(t)
	w.write(w.home+"/.git/config", "") // of dot files
	repo := filepath.Join(w.home, "repo")
	part := filepath.Join(repo, "part", "sub")
	w.write(repo+"/.git/config", "")
	w.write(part+"/.hg/requires", "")
	for _, c := range []struct {
		dir, flag string
		want      []string
	}{{part, "", []string{part, repo}}, {repo, part, []string{part, repo}}, {repo, "", []string{repo}}} {
		w.WorkDir, w.WorkspaceFlag = c.dir, c.flag
		testkit.Diff(t, w.load().spec("gopls").Untrusted, c.want, "in", c.dir, "with", c.flag)
	}
}

// A server that is not there only because its file is not trusted is known, so that an error about its files can
// say so.
func TestServersOfAnUntrustedFileAreWithheld(t *testing.T) {
	const entry = "[[servers]]\nid = \"own\"\ncommand = \"own-ls\"\nextensions = [\"zz\"]\n"
	w := newWorld(t)
	for _, c := range []struct{ repo, want string }{
		{entry, "own: zz"}, {entry + "enabled = false\n", ""}, {"[[servers]]\nid = \"gopls\"\ncommand = \"evil\"\n",
			""},
	} {
		path := w.repo(c.repo)
		var got []string
		for _, s := range w.load().Table().Withheld {
			got = append(got, s.ID+": "+strings.Join(s.Extensions(), " "))
			testkit.Equal(t, s.File, path)
		}
		testkit.Equal(t, strings.Join(got, ", "), c.want, c.repo)
	}
	path := w.repo(entry)
	_, err := w.store().TrustFile(path)
	testkit.Must(t, err)
	testkit.Equal(t, len(w.sound().Withheld), 0, "of a file that is trusted")
}
