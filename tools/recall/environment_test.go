package recall

import (
	"path/filepath"
	"testing"
)

func TestEnvironmentOf(t *testing.T) {
	home := t.TempDir()
	other := filepath.Join(home, "other")
	in := func(name string) string { return filepath.Join(home, name) }
	for name, c := range map[string]struct {
		env  map[string]string
		home string
		want Environment
	}{
		"nothing":                {nil, home, Environment{Folders{in(".codex"), in(".claude")}, ""}},
		"no home":                {nil, "", Environment{}},
		"a home that is no path": {nil, "here", Environment{}},
		"variables": {map[string]string{"CODEX_HOME": other, "CLAUDE_CONFIG_DIR": other + "/", "CLAUDECODE": "1",
			"CLAUDE_CODE_SESSION_ID": "s"}, home,
			Environment{Folders{other, other}, "s"}},
		"variables without home": {map[string]string{"CODEX_HOME": other}, "", Environment{Folders{other, ""}, ""}},
		"relative ones": {map[string]string{"CODEX_HOME": "x", "CLAUDE_CONFIG_DIR": "./y"}, home,
			Environment{}},
		"not within Claude Code": {map[string]string{"CLAUDE_CODE_SESSION_ID": "s"}, "", Environment{}},
	} {
		if got := EnvironmentOf(func(name string) string { return c.env[name] }, c.home); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
