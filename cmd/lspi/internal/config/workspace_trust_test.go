package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// trusts are worlds in which nothing but what a test writes speaks for the workspace.
func trusts(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	delete(w.env, trustVariable)
	return w
}

// decided is by what, and whether, the workspace is trusted.
func (w *world) decided() string {
	w.t.Helper()
	c := w.load()
	if c.Trust.Why == "" || (c.spec("gopls").Untrusted == nil) != c.Trust.Trusted {
		w.t.Errorf("%+v, restricted to %v", c.Trust, c.spec("gopls").Untrusted)
	}
	if c.Trust.Trusted {
		return c.Trust.By
	}
	return "no"
}

func (w *world) trust(path string, below bool) {
	w.t.Helper()
	e, err := DescribeWorkspace(path, below)
	if err == nil {
		err = w.store().TrustWorkspace(e)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func remote(url string) string {
	return "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n"
}

func TestWorkspaceTrust(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(w *world)
		want string
	}{
		{"nothing speaks for it", func(*world) {}, "no"},
		{"CI is no user", func(w *world) { w.env["CI"] = "true" }, "no"},
		{"lspi trust", func(w *world) { w.trust(w.workspace, false) }, byUser},
		{"lspi trust of a part", func(w *world) { w.trust(filepath.Dir(w.workspace), false) }, "no"},
		{"lspi trust of all below", func(w *world) { w.trust(filepath.Dir(w.workspace), true) }, byFolder},
		{"all below, with ask", func(w *world) { w.trust(filepath.Dir(w.workspace), true); w.user(`trust = "ask"`) }, "no"},
		{"lspi trust, with ask", func(w *world) { w.trust(w.workspace, false); w.user(`trust = "ask"`) }, byUser},
		{"all", func(w *world) { w.user(`trust = "all"`) }, byPolicy},
		{"all by the variable", func(w *world) { w.env[trustVariable] = "all" }, byPolicy},
		{"the flag wins", func(w *world) { w.env[trustVariable] = "all"; w.Flags.Trust = "ask" }, "no"},
		{"all by the workspace's own file", func(w *world) { w.repo(`trust = "all"`) }, "no"},
		{"all by its trusted file", func(w *world) {
			if _, err := w.store().Trust(w.repo(`trust = "all"`)); err != nil {
				w.t.Fatal(err)
			}
		}, "no"},
		{"the workspace's file narrows", func(w *world) { w.user(`trust = "all"`); w.repo(`trust = "ask"`) }, "no"},
		{"another clone of the remote", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("git@github.com:a/b.git"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("https://token@GitHub.com/a/b"))
		}, byRemote},
		{"another remote", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("https://github.com/a/b"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("https://github.com/a/c"))
		}, "no"},
		{"a folder as remote", func(w *world) {
			other := filepath.Join(w.home, "other")
			w.write(other+"/.git/config", remote("/srv/x"))
			w.trust(other, false)
			w.write(w.workspace+"/.git/config", remote("/srv/x"))
		}, "no"},
		{"the remote changed since", func(w *world) {
			w.write(w.workspace+"/.git/config", remote("https://github.com/a/b"))
			w.trust(w.workspace, false)
			w.write(w.workspace+"/.git/config", remote("https://github.com/evil/b"))
		}, "no"},
		{"a worktree", func(w *world) { w.worktree(true) }, byWorktree},
		{"a worktree that the repository does not know", func(w *world) { w.worktree(false) }, "no"},
		{"Codex", func(w *world) { w.codex("trusted") }, byHost},
		{"Codex, with ask", func(w *world) { w.codex("trusted"); w.user(`trust = "ask"`) }, "no"},
		{"Codex says no", func(w *world) { w.codex("untrusted"); w.claude("") }, "no"},
		{"Codex says no, lspi trust yes", func(w *world) { w.codex("untrusted"); w.trust(w.workspace, false) }, byUser},
		{"CODEX_HOME", func(w *world) {
			w.env["CODEX_HOME"] = filepath.Join(w.home, "c")
			w.write(w.home+"/c/config.toml", "[projects.\""+w.workspace+"\"]\ntrust_level = \"trusted\"\n")
		}, byHost},
		{"CODEX_HOME in the workspace", func(w *world) {
			w.env["CODEX_HOME"] = w.workspace
			w.write(w.workspace+"/config.toml", "[projects.\""+w.workspace+"\"]\ntrust_level = \"trusted\"\n")
		}, "no"},
		{"Claude Code", func(w *world) { w.claude("") }, byHost},
		{"CLAUDE_CONFIG_DIR", func(w *world) { w.env["CLAUDE_CONFIG_DIR"] = filepath.Join(w.home, "c"); w.claude("c/") }, byHost},
		{"Claude Code has not asked", func(w *world) {
			w.write(w.home+"/.claude.json", `{"projects": {"`+w.workspace+`": {"hasTrustDialogAccepted": false}, "/x": 3}}`)
		}, "no"},
		{"Claude Code about the folder above", func(w *world) {
			w.write(w.home+"/.claude.json", `{"projects": {"`+filepath.Dir(w.workspace)+`": {"hasTrustDialogAccepted": true}}}`)
		}, "no"},
		{"gemini", func(w *world) { w.gemini(w.workspace, "TRUST_FOLDER") }, byHost},
		{"gemini, the folder above", func(w *world) { w.gemini(filepath.Dir(w.workspace), "TRUST_FOLDER") }, byHost},
		{"gemini, the parent of another", func(w *world) { w.gemini(w.home, "TRUST_PARENT") }, byHost},
		{"gemini says no", func(w *world) { w.gemini(w.workspace, "DO_NOT_TRUST"); w.claude("") }, "no"},
		{"gemini about everything", func(w *world) { w.gemini("/", "TRUST_FOLDER") }, "no"},
		{"records that are none", func(w *world) {
			w.write(w.home+"/.claude.json", "[")
			w.write(w.home+"/.codex/config.toml", "projects = 3")
			w.write(w.home+"/.gemini/trustedFolders.json", `{"`+w.workspace+`": {"x": 1}}`)
		}, "no"},
		{"a record that others may write", func(w *world) {
			w.claude("")
			if err := os.Chmod(w.home+"/.claude.json", 0o666); err != nil {
				w.t.Fatal(err)
			}
		}, "no"},
		{"a store that others may write", func(w *world) {
			w.trust(w.workspace, false)
			if err := os.Chmod(filepath.Join(w.home, ".state", "lspi"), 0o777); err != nil {
				w.t.Fatal(err)
			}
		}, "no"},
		{"a further root of the host", func(w *world) {
			w.trust(w.workspace, false)
			w.HostRoots = []string{w.workspace, filepath.Join(filepath.Dir(w.home), "outside")}
		}, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(c.name, "others") {
				t.Skip("no modes")
			}
			w := trusts(t)
			c.make(w)
			if got := w.decided(); got != c.want {
				t.Errorf("%s, want %s: %+v", got, c.want, w.load().Trust)
			}
		})
	}
}

// What is not trusted is the whole repository, though the workspace is a folder of it, by flag or because the repository brings a mark
// in it. Tools read configuration in all folders above the one that they work in.
func TestUntrustedRepositoryAboveTheWorkspace(t *testing.T) {
	w := trusts(t)
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
		if diff := cmp.Diff(c.want, w.load().spec("gopls").Untrusted); diff != "" {
			t.Errorf("in %s with %q: %s", c.dir, c.flag, diff)
		}
	}
}

func (w *world) codex(level string) {
	w.write(w.home+"/.codex/config.toml", "model = \"x\"\n[projects.\""+w.workspace+"\"]\ntrust_level = \""+level+"\"\n[mcp_servers.lspi]\ncommand = \"lspi\"\n")
}

func (w *world) claude(dir string) {
	w.write(w.home+"/"+dir+".claude.json", `{"numStartups": 3, "projects": {"`+w.workspace+`": {"allowedTools": [], "hasTrustDialogAccepted": true}}}`)
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
	if err := os.RemoveAll(w.workspace + "/.git"); err != nil {
		w.t.Fatal(err)
	}
	w.write(w.workspace+"/.git", "gitdir: "+main+"/.git/worktrees/x\n")
	w.trust(main, false)
}

func TestRemoteName(t *testing.T) {
	for given, want := range map[string]string{
		"git@github.com:a/b.git": "github.com/a/b", "https://u:p@GitHub.com/a/b/": "github.com/a/b", "ssh://git@h:22/a/b.git": "h/a/b",
		"/srv/x": "", "../x": "", "file:///srv/x": "", `C:\x`: "", "c:/x": "", "": "", "https://h": "", "https://h/a/../b": "", "ext::sh -c x": "",
	} {
		if got := remoteName(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestUntrustWorkspace(t *testing.T) {
	w := trusts(t)
	w.trust(w.workspace, false)
	if all, err := w.store().Workspaces(); err != nil || len(all) != 1 || all[0].Path != w.workspace {
		t.Errorf("%v %v", all, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := w.store().UntrustWorkspace(w.workspace); was != want || err != nil {
			t.Errorf("%v %v, want %v", was, err, want)
		}
	}
	if got := w.decided(); got != "no" {
		t.Error(got)
	}
}
