package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// What a server sees of the environment tells sessions apart; what a terminal or a host has for itself does not.
func TestSharedEnvironment(t *testing.T) {
	base := []string{"PATH=/bin", "HOME=/home/a", "GOFLAGS=", "TERM=xterm", "XDG_SESSION_ID=1", "CLAUDECODE=1",
		"SSH_TTY=/dev/pts/1"}
	gopls := spec.Spec{ID: "gopls", Variables: []string{"GO*"}}
	with := func(entry string) []string { return append(slices.Clone(base), entry) }
	for entry, counts := range map[string]bool{
		"PATH=/elsewhere": true, "GOFLAGS=-tags=x": true, "GOOS=js": true, "LANG=C": true, "HTTP_PROXY=http://a": true,
		"TERM=dumb": false, "XDG_SESSION_ID=2": false, "XDG_RUNTIME_DIR=/run/user/1": false, "SHELL=/bin/fish": false,
		"CODEX_SANDBOX=1": false, "SHLVL=3": false, "WINDOWID=7": false, "VIRTUAL_ENV=/v": false,
	} {
		one, other := gopls, gopls
		one.Environ, other.Environ = base, with(entry)
		if same := slices.Equal(SharedEnvironment(&one), SharedEnvironment(&other)); same == counts {
			t.Errorf("%s: the same for one server: %v", entry, same)
		}
		if same := slices.Equal(SharedAmong([]spec.Spec{gopls}, base),
			SharedAmong([]spec.Spec{gopls}, with(entry))); same == counts {
			t.Errorf("%s: the same for all servers: %v", entry, same)
		}
	}
	python := spec.Spec{ID: "python",
		Packages: &spec.Packages{Homes: []spec.Home{{Folder: ".venv"}, {Variable: "VIRTUAL_ENV"}}}}
	// lspi itself looks there, whatever the server gets
	for _, entry := range []string{"VIRTUAL_ENV=/v", "GOBIN=/b", "GOPATH=/p"} {
		if slices.Equal(SharedAmong([]spec.Spec{python}, base), SharedAmong([]spec.Spec{python}, with(entry))) {
			t.Errorf("%s: does not count for all servers", entry)
		}
	}
	gopls.Pass = []string{"TERM"} // the user's own word
	if slices.Equal(SharedAmong([]spec.Spec{gopls}, base), SharedAmong([]spec.Spec{gopls}, with("TERM=dumb"))) {
		t.Error("a variable that the configuration passes on does not count")
	}
}

// Folders on PATH that a host makes for each of its processes keep nobody from sharing, nor links that a shell
// makes for itself; others do.
func TestSharedPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"v20/bin", "v22/bin", "codex-arg0abc", "codex-arg0xyz"} {
		testkit.Must(t, os.MkdirAll(at(name), 0o700))
	}
	for link, to := range map[string]string{"shell1": "v20", "shell2": "v20", "shell3": "v22"} {
		testkit.Must(t, os.Symlink(at(to), at(link)))
	}
	path := func(names ...string) []string {
		for i := range names {
			names[i] = at(names[i])
		}
		return []string{"FNM_MULTISHELL_PATH=" + filepath.Dir(names[len(names)-1]),
			"PATH=" + strings.Join(names, string(filepath.ListSeparator))}
	}
	first := path("codex-arg0abc", "shell1/bin")
	for _, c := range []struct {
		name  string
		other []string
		same  bool
	}{
		{"another process of Codex", path("codex-arg0xyz", "shell1/bin"), true},
		{"another shell", path("shell2/bin"), true},
		{"twice", path("shell2/bin", "shell1/bin"), true},
		{"another version", path("shell3/bin"), false},
		{"one more", path("gone", "shell1/bin"), false},
	} {
		one, other := spec.Spec{Environ: first}, spec.Spec{Environ: c.other}
		if same := slices.Equal(SharedEnvironment(&one), SharedEnvironment(&other)); same != c.same {
			t.Errorf("%s: the same for one server: %v: %v, %v", c.name, same, SharedEnvironment(&one),
				SharedEnvironment(&other))
		}
		if same := slices.Equal(SharedAmong(nil, first), SharedAmong(nil, c.other)); same != c.same {
			t.Errorf("%s: the same for all servers: %v", c.name, same)
		}
	}
	if !strings.Contains(strings.Join(Environment(&spec.Spec{Environ: first}), "\n"), "codex-arg0abc") {
		t.Error("the server does not get PATH as it is")
	}
}
