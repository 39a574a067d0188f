package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// world is a home folder, a workspace and a folder outside of both, in which nothing but what a test writes speaks
// for the workspace.
type world struct {
	t                        *testing.T
	home, workspace, outside string
	env                      map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	w := &world{t: t, home: filepath.Join(dir, "home"), workspace: filepath.Join(dir, "ws"),
		outside: filepath.Join(dir, "outside")}
	w.env = map[string]string{"XDG_STATE_HOME": filepath.Join(w.home, ".state")}
	for _, d := range []string{w.home, filepath.Join(w.workspace, ".git"), w.outside} {
		testkit.Must(t, os.MkdirAll(d, 0o755))
	}
	return w
}

func (w *world) user() User {
	return User{Getenv: func(name string) string { return w.env[name] }, Home: w.home}
}

func (w *world) store() Store { return Open(w.user()) }

func (w *world) write(path, text string) string {
	w.t.Helper()
	testkit.Must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.Must(w.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (w *world) trustFile(path string) {
	w.t.Helper()
	if _, err := w.store().TrustFile(path); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) trust(path string, below bool) {
	w.t.Helper()
	e, err := DescribeWorkspace(path, below)
	if err == nil {
		err = w.store().TrustWorkspace(e)
	}
	testkit.Must(w.t, err)
}

func (w *world) decide(policy string, others ...string) Decision {
	w.t.Helper()
	d := Decide(w.user(), policy, append([]string{w.workspace}, others...)...)
	if d.Why == "" || d.Policy != policy || d.Trusted != (d.By != "") {
		w.t.Errorf("%+v", d)
	}
	return d
}

func remote(url string) string {
	return "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n"
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		make         func(w *world)
		want         string // what it is trusted by; "" when it is not
	}{
		{"nothing speaks for it", "owned", func(*world) {}, ""},
		{"lspi trust", "owned", func(w *world) { w.trust(w.workspace, false) }, ByUser},
		{"lspi trust of a part", "owned", func(w *world) { w.trust(filepath.Dir(w.workspace), false) }, ""},
		{"lspi trust of all below", "owned", func(w *world) { w.trust(filepath.Dir(w.workspace), true) }, ByFolder},
		{"all below, with ask", "ask", func(w *world) { w.trust(filepath.Dir(w.workspace), true) }, ""},
		{"lspi trust, with ask", "ask", func(w *world) { w.trust(w.workspace, false) }, ByUser},
		{"all", "all", func(*world) {}, ByPolicy},
		{"another clone of the remote", "owned", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("git@github.com:a/b.git"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("https://token@GitHub.com/a/b"))
		}, ByRemote},
		{"another remote", "owned", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("https://github.com/a/b"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("https://github.com/a/c"))
		}, ""},
		{"a folder as remote", "owned", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("/srv/x"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("/srv/x"))
		}, ""},
		{"the remote changed since", "owned", func(w *world) {
			w.write(w.workspace+"/.git/config", remote("https://github.com/a/b"))
			w.trust(w.workspace, false)
			w.write(w.workspace+"/.git/config", remote("https://github.com/evil/b"))
		}, ""},
		{"a worktree", "owned", func(w *world) { w.worktree(true) }, ByWorktree},
		{"a worktree that the repository does not know", "owned", func(w *world) { w.worktree(false) }, ""},
		{"Codex", "owned", func(w *world) { w.codex("trusted") }, ByHost},
		{"Codex, with ask", "ask", func(w *world) { w.codex("trusted") }, ""},
		{"Codex says no", "owned", func(w *world) { w.codex("untrusted"); w.claude("") }, ""},
		{"Codex says no, lspi trust yes", "owned", func(w *world) {
			w.codex("untrusted")
			w.trust(w.workspace, false)
		}, ByUser},
		{"CODEX_HOME", "owned", func(w *world) {
			w.env["CODEX_HOME"] = filepath.Join(w.home, "c")
			w.write(w.home+"/c/config.toml", "[projects.\""+w.workspace+"\"]\ntrust_level = \"trusted\"\n")
		}, ByHost},
		{"CODEX_HOME in the workspace", "owned", func(w *world) {
			w.env["CODEX_HOME"] = w.workspace
			w.write(w.workspace+"/config.toml", "[projects.\""+w.workspace+"\"]\ntrust_level = \"trusted\"\n")
		}, ""},
		{"Claude Code", "owned", func(w *world) { w.claude("") }, ByHost},
		{"CLAUDE_CONFIG_DIR", "owned", func(w *world) {
			w.env["CLAUDE_CONFIG_DIR"] = filepath.Join(w.home, "c")
			w.claude("c/")
		}, ByHost},
		{"Claude Code has not asked", "owned", func(w *world) {
			w.write(w.home+"/.claude.json", `{"projects": {"`+w.workspace+
				`": {"hasTrustDialogAccepted": false}, "/x": 3}}`)
		}, ""},
		{"Claude Code about the folder above", "owned", func(w *world) {
			w.write(w.home+"/.claude.json", `{"projects": {"`+filepath.Dir(w.workspace)+
				`": {"hasTrustDialogAccepted": true}}}`)
		}, ""},
		{"gemini", "owned", func(w *world) { w.gemini(w.workspace, "TRUST_FOLDER") }, ByHost},
		{"gemini, the folder above", "owned", func(w *world) {
			w.gemini(filepath.Dir(w.workspace), "TRUST_FOLDER")
		}, ByHost},
		{"gemini, the parent of another", "owned", func(w *world) { w.gemini(w.home, "TRUST_PARENT") }, ByHost},
		{"gemini says no", "owned", func(w *world) { w.gemini(w.workspace, "DO_NOT_TRUST"); w.claude("") }, ""},
		{"gemini about everything", "owned", func(w *world) { w.gemini("/", "TRUST_FOLDER") }, ""},
		{"records that are none", "owned", func(w *world) {
			w.write(w.home+"/.claude.json", "[")
			w.write(w.home+"/.codex/config.toml", "projects = 3")
			w.write(w.home+"/.gemini/trustedFolders.json", `{"`+w.workspace+`": {"x": 1}}`)
		}, ""},
		{"a record that others may write", "owned", func(w *world) {
			w.claude("")
			testkit.Must(w.t, os.Chmod(w.home+"/.claude.json", 0o666))
		}, ""},
		{"a store that others may write", "owned", func(w *world) {
			w.trust(w.workspace, false)
			testkit.Must(w.t, os.Chmod(filepath.Join(w.home, ".state", "lspi"), 0o777))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(c.name, "others") {
				t.Skip("no permission bits")
			}
			w := newWorld(t)
			c.make(w)
			if got := w.decide(c.policy); got.By != c.want {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
}

// One root that is not trusted restricts all: servers are shared by them.
func TestDecideAboutSeveralRoots(t *testing.T) {
	w := newWorld(t)
	w.trust(w.workspace, false)
	if d := w.decide("owned", w.outside); d.Trusted || !strings.HasPrefix(d.Why, w.outside+": ") {
		t.Errorf("%+v", d)
	}
	w.trust(w.outside, false)
	if d := w.decide("owned", w.outside); d.By != ByUser {
		t.Errorf("%+v", d)
	}
}

func (w *world) codex(level string) {
	w.write(w.home+"/.codex/config.toml", "model = \"x\"\n[projects.\""+w.workspace+"\"]\ntrust_level = \""+level+
		"\"\n[mcp_servers.lspi]\ncommand = \"lspi\"\n")
}

func (w *world) claude(dir string) {
	w.write(w.home+"/"+dir+".claude.json", `{"numStartups": 3, "projects": {"`+w.workspace+
		`": {"allowedTools": [], "hasTrustDialogAccepted": true}}}`)
}

func (w *world) gemini(path, level string) {
	w.write(w.home+"/.gemini/trustedFolders.json", "// written by gemini\n{\""+path+"\": \""+level+"\"}")
}

// worktree makes the workspace a linked worktree of a repository that is trusted; known says whether that names it.
func (w *world) worktree(known bool) {
	main := filepath.Join(w.home, "main")
	back := "/elsewhere/.git\n"
	if known {
		back = w.workspace + "/.git\n"
	}
	w.write(main+"/.git/worktrees/x/gitdir", back)
	testkit.Must(w.t, os.RemoveAll(w.workspace+"/.git"))
	w.write(w.workspace+"/.git", "gitdir: "+main+"/.git/worktrees/x\n")
	w.trust(main, false)
}
