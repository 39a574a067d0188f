package launch

import (
	"slices"
	"testing"

	"lspi/lsp/spec"
)

// What a server sees of the environment tells sessions apart; what a terminal or a host has for itself does not.
func TestSharedEnvironment(t *testing.T) {
	base := []string{"PATH=/bin", "HOME=/home/a", "GOFLAGS=", "TERM=xterm", "XDG_SESSION_ID=1", "CLAUDECODE=1", "SSH_TTY=/dev/pts/1"}
	gopls := spec.Spec{ID: "gopls", Variables: []string{"GO*"}}
	with := func(entry string) []string { return append(slices.Clone(base), entry) }
	for entry, counts := range map[string]bool{
		"PATH=/usr/bin": true, "GOFLAGS=-tags=x": true, "GOOS=js": true, "LANG=C": true, "HTTP_PROXY=http://a": true,
		"TERM=dumb": false, "XDG_SESSION_ID=2": false, "XDG_RUNTIME_DIR=/run/user/1": false, "SHELL=/bin/fish": false,
		"CODEX_SANDBOX=1": false, "SHLVL=3": false, "WINDOWID=7": false, "VIRTUAL_ENV=/v": false,
	} {
		one, other := gopls, gopls
		one.Environ, other.Environ = base, with(entry)
		if same := slices.Equal(SharedEnvironment(&one), SharedEnvironment(&other)); same == counts {
			t.Errorf("%s: the same for one server: %v", entry, same)
		}
		if same := slices.Equal(SharedAmong([]spec.Spec{gopls}, base), SharedAmong([]spec.Spec{gopls}, with(entry))); same == counts {
			t.Errorf("%s: the same for all servers: %v", entry, same)
		}
	}
	gopls.Pass = []string{"TERM"} // the user's own word
	if slices.Equal(SharedAmong([]spec.Spec{gopls}, base), SharedAmong([]spec.Spec{gopls}, with("TERM=dumb"))) {
		t.Error("a variable that the configuration passes on does not count")
	}
}
