package recall

import (
	"maps"
	"path/filepath"
	"testing"
)

func TestEnvironmentOf(t *testing.T) {
	home := t.TempDir()
	other := filepath.Join(home, "other")
	in := func(name string) string { return filepath.Join(home, name) }
	all := Folders{Codex: in(".codex"), Claude: in(".claude"), VSCode: vscodeHome(func(string) string { return "" }, home,
		"linux"), Copilot: in(".copilot"), Gemini: in(".gemini"), Qwen: in(".qwen"), Opencode: in(".local/share/opencode")}
	for name, c := range map[string]struct {
		env  map[string]string
		home string
		want Folders
		ids  map[Client]string
	}{
		"nothing":                {nil, home, all, nil},
		"no home":                {nil, "", Folders{}, nil},
		"a home that is no path": {nil, "here", Folders{}, nil},
		"variables": {map[string]string{"CODEX_HOME": other, "CLAUDE_CONFIG_DIR": other + "/", "CLAUDECODE": "1",
			"CLAUDE_CODE_SESSION_ID": "s", "QWEN_CODE_SESSION_ID": "q", "COPILOT_AGENT_SESSION_ID": "c",
			"COPILOT_HOME": other, "GEMINI_CLI_HOME": other, "QWEN_HOME": other, "VSCODE_APPDATA": other,
			"XDG_DATA_HOME": other}, home,
			Folders{Codex: other, Claude: other, VSCode: other, Copilot: other,
				Gemini: filepath.Join(other, ".gemini"), Qwen: other, Opencode: filepath.Join(other, "opencode")},
			map[Client]string{Claude: "s", Qwen: "q", Copilot: "c"}},
		"variables without home": {map[string]string{"CODEX_HOME": other}, "", Folders{Codex: other}, nil},
		"relative ones": {map[string]string{"CODEX_HOME": "x", "CLAUDE_CONFIG_DIR": "./y", "VSCODE_PORTABLE": "z",
			"COPILOT_HOME": "x", "GEMINI_CLI_HOME": "x", "QWEN_HOME": other, "QWEN_RUNTIME_DIR": "x",
			"XDG_DATA_HOME": "x"}, home, Folders{}, nil},
		"not within Claude Code": {map[string]string{"CLAUDE_CODE_SESSION_ID": "s"}, "", Folders{}, nil},
	} {
		got := EnvironmentOf(func(name string) string { return c.env[name] }, c.home)
		if got.Folders != c.want || !maps.Equal(got.SessionIDs, c.ids) {
			t.Errorf("%s: %+v, want %+v with %v", name, got, c.want, c.ids)
		}
	}
}

func TestFolderOfVSCode(t *testing.T) {
	home := t.TempDir()
	for system, want := range map[string]string{"linux": ".config", "darwin": "Library/Application Support",
		"windows": "AppData/Roaming"} {
		if got := vscodeHome(func(string) string { return "" }, home, system); got != filepath.Join(home, want) {
			t.Errorf("%s: %s", system, got)
		}
	}
	set := func(name string) func(string) string {
		return func(asked string) string {
			if asked == name {
				return filepath.Join(home, "set")
			}
			return ""
		}
	}
	for name, system := range map[string]string{"XDG_CONFIG_HOME": "linux", "APPDATA": "windows",
		"VSCODE_PORTABLE": "darwin"} {
		if got := vscodeHome(set(name), home, system); got != filepath.Join(home, "set") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
