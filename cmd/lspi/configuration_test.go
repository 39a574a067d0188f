package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// ask opens a session on a workspace with this lspi.toml, trusted as an explicit file, and calls a tool.
func ask(t *testing.T, toml, tool string) (map[string]any, tools.Result) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state"))
	t.Setenv("LSPI_CONFIG_PATH", "")
	file := filepath.Join(t.TempDir(), "lspi.toml")
	for path, text := range map[string]string{file: toml, filepath.Join(dir, "main.rs"): "fn main() {}\n"} {
		testkit.Write(t, path, text)
	}
	s := newWiring(&sessionFlags{workspaceRoot: dir, config: file}, io.Discard)
	session, err := s.open(context.Background(), nil)
	if session != nil {
		t.Cleanup(session.Close)
	}
	r := tools.Run(context.Background(), session, err, answer.Request{Tool: tool})
	var envelope map[string]any
	testkit.Must(t, json.Unmarshal(r.Structured, &envelope))
	return envelope, r
}

// The example configuration of lspi's guide gives the answer that tools/testdata has, to the letter.
func TestGuideConfigurationFromItsFile(t *testing.T) {
	got, r := ask(t,
		"catalogue = false\n[[servers]]\nid = \"rust-analyzer\"\nkind = \"rust_analyzer\"\nextensions = [\"rs\"]\n"+
			"language_id = \"rust\"\ncommand = \"rust-analyzer\"\n", "get_current_config")
	servers, _ := got["servers"].([]any)
	if len(servers) != 1 || got["server_count"] != 1.0 {
		t.Fatalf("%s", r.Structured)
	}
	server := servers[0].(map[string]any)
	for name, want := range map[string]any{"id": "rust-analyzer", "kind": "rust_analyzer", "language_id": "rust",
		"adapter": nil,
		"env":     nil, "initialize_timeout_ms": nil, "request_timeout_ms": nil, "cwd": got["workspace_root"],
		"root_dir": got["workspace_root"]} {
		if have, there := server[name]; !there || have != want {
			t.Errorf("%s is %v, not %v", name, have, want)
		}
	}
	if mcp, there := got["mcp"]; !there || mcp != nil || got["config_ok"] != true {
		t.Errorf("mcp is %v", mcp)
	}
}

// A server is shown with the keys of the configuration and the values that files set.
func TestConfiguredServers(t *testing.T) {
	for f := range reflect.TypeFor[session.ServerConfig]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		isKey := slices.ContainsFunc(config.KeyTable(), func(k config.KeyDoc) bool {
			return k.Key == "servers[]."+name
		})
		if !isKey && !slices.Contains([]string{"-", "file", "untrusted"}, name) {
			t.Errorf("%s is not a key", name)
		}
	}
	got, r := ask(t,
		"[[servers]]\nid = \"gopls\"\nextensions = [\".go\"]\nroot_dir = \".\"\nadapter = \"gopls\"\nrestart_interval_minutes = 2\n"+
			"warmup_timeout_ms = 3\nrequest_timeout_overrides_ms = { \"textDocument/hover\" = 4 }\nenv = { TOKEN = \"s3cret\" }\n", "get_current_config")
	server := got["servers"].([]any)[0].(map[string]any)
	for name, want := range map[string]any{"kind": "gopls", "extensions": []any{"go"},
		"root_dir": got["workspace_root"], "cwd": got["workspace_root"],
		"adapter": "gopls", "restart_interval_minutes": 2.0, "warmup_timeout_ms": 3.0, "request_timeout_ms": nil,
		"request_timeout_overrides_ms": map[string]any{"textDocument/hover": 4.0}} {
		if !reflect.DeepEqual(server[name], want) {
			t.Errorf("%s is %v, not %v", name, server[name], want)
		}
	}
	if strings.Contains(string(r.Structured), "s3cret") {
		t.Errorf("a value of env is shown: %s", r.Structured)
	}
}

func TestConfigurationShowsTheMCPTable(t *testing.T) {
	got, r := ask(t, "[mcp]\ncontext = \"codex\"\n[mcp.output]\necho_input = \"always\"\n", "get_current_config")
	want := `{"context":"codex","output":{"echo_input":"always"}}`
	if have, _ := json.Marshal(got["mcp"]); string(have) != want || got["read_only"] != true {
		t.Errorf("%s", r.Structured)
	}
}

// While the configuration has a mistake, every other tool refuses calls, and get_current_config shows where it is.
func TestConfigurationWithAMistake(t *testing.T) {
	got, r := ask(t, "[mcp]\nread_onyl = true\n", "get_current_config")
	findings, _ := got["config_findings"].([]any)
	if !r.OK || got["config_ok"] != false || len(findings) != 1 || findings[0].(map[string]any)["line"] != 2.0 {
		t.Errorf("%s", r.Structured)
	}
	if _, r := ask(t, "[mcp]\nread_onyl = true\n", "find_references"); r.OK {
		t.Errorf("%s", r.Structured)
	}
}
