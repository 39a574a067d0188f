package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestFindWorkspace(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, d := range []string{"repo/.git", "repo/a/b", "hg/.hg", "hg/x", "jj/.jj", "tree", "plain/deep", "home/.git",
		"home/p", "sp ace#%"} {
		testkit.Must(t, os.MkdirAll(at(filepath.FromSlash(d)), 0o755))
	}
	testkit.Write(t, at("tree", ".git"), "gitdir: elsewhere")
	testkit.Must(t, os.Mkdir(at("tree", "src"), 0o755))
	if err := os.Symlink(at("repo", "a"), at("link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, c := range []struct {
		name, flag string
		host       []string
		claude     string
		cwd        string
		want, from string // want relative to dir, or the error
		others     []string
	}{
		{name: "current folder, lifted", cwd: "repo/a/b", want: "repo", from: "the current folder"},
		{name: "mercurial", cwd: "hg/x", want: "hg", from: "the current folder"},
		{name: "jujutsu", cwd: "jj", want: "jj", from: "the current folder"},
		{name: "worktree", cwd: "tree/src", want: "tree", from: "the current folder"},
		{name: "no repository", cwd: "plain/deep", want: "plain/deep", from: "the current folder"},
		{name: "the home folder is not lifted to", cwd: "home/p", want: "home/p", from: "the current folder"},
		{name: "the home folder itself", cwd: "home", want: "home", from: "the current folder"},
		{name: "symbolic link", cwd: "link/b", want: "repo", from: "the current folder"},
		{name: "claude over current", cwd: "plain", claude: "repo/a", want: "repo", from: "CLAUDE_PROJECT_DIR"},
		{name: "host over claude", cwd: "plain", claude: "hg", host: []string{"repo/a"}, want: "repo",
			from: "the host's roots"},
		{name: "several roots", cwd: "plain", host: []string{"repo/a", "hg/x", "repo"}, want: "repo",
			from: "the host's roots", others: []string{"hg/x"}},
		{name: "a root that is gone", cwd: "plain", host: []string{"gone", "hg"}, want: "hg", from: "the host's roots"},
		{name: "flag over all, not lifted", cwd: "plain", flag: "repo/a", host: []string{"hg"}, want: "repo/a",
			from: "--workspace-root"},
		{name: "URI", cwd: "plain", host: []string{"file://DIR/sp%20ace%23%25"}, want: "sp ace#%",
			from: "the host's roots"},
		{name: "missing flag", cwd: "plain", flag: "gone",
			want: "finding the workspace: --workspace-root: DIR/gone does not exist"},
		{name: "file", cwd: "plain", flag: "tree/.git",
			want: "finding the workspace: --workspace-root: DIR/tree/.git is a file, not a folder"},
		{name: "missing claude", cwd: "plain", claude: "gone",
			want: "finding the workspace: CLAUDE_PROJECT_DIR: DIR/gone does not exist"},
		{name: "no root is there", cwd: "plain", host: []string{"gone"},
			want: "finding the workspace: the host's roots: DIR/gone does not exist"},
		{name: "a remote root", cwd: "plain", host: []string{"file://server/share"},
			want: `finding the workspace: the host's roots: "file://server/share" is not the URI of a local folder`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := func(p string) string {
				if p == "" || strings.Contains(p, ":") {
					return strings.ReplaceAll(p, "DIR", filepath.ToSlash(dir))
				}
				return at(filepath.FromSlash(p))
			}
			env := map[string]string{"CLAUDE_PROJECT_DIR": path(c.claude), "HOME": at("home")}
			var host []string
			for _, h := range c.host {
				host = append(host, path(h))
			}
			got, err := FindWorkspace(path(c.flag), host, User{Getenv: func(k string) string {
				return env[k]
			}}, path(c.cwd))
			if c.from == "" {
				if err == nil || strings.ReplaceAll(err.Error(), dir, "DIR") != c.want {
					t.Fatalf("%v, want %s", err, c.want)
				}
				return
			}
			testkit.Must(t, err)
			want := FoundWorkspace{Root: path(c.want), From: c.from}
			for _, o := range c.others {
				want.Others = append(want.Others, path(o))
			}
			testkit.Diff(t, got, want)
		})
	}
}

// A relative XDG variable would make the current folder, and so a repository, its own user.
func TestRelativeXDGIsIgnored(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have folders of their own")
	}
	for _, value := range []string{"", "conf"} {
		user := User{Home: "/home/u", Getenv: func(string) string { return value }}
		testkit.Equal(t, user.ConfigFile(), "/home/u/.config/lspi/config.toml", "configuration in")
		testkit.Equal(t, user.StateDir(), "/home/u/.local/state/lspi", "state in")
	}
	relative := User{Home: "relative", Getenv: func(string) string { return "" }}
	if file, dir := relative.ConfigFile(), relative.StateDir(); file != "" || dir != "" {
		t.Errorf("%q and %q in a relative home folder", file, dir)
	}
}
