package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// The two examples of the lspi guide are copied into testdata as they stand. Every field of theirs must be in our
// answers with the same value; ours may have more.

// guideExample is the result of an example, with the workspace's root put in.
func guideExample(t *testing.T, name, root string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	testkit.Must(t, err)
	var example struct {
		Result map[string]any `json:"result"`
	}
	testkit.Must(t, json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "<WORKSPACE_ROOT>", root)), &example))
	return example.Result
}

// lacks are the places where got does not have what want has.
func lacks(at string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: %v instead of an object", at, got)}
		}
		var out []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, there := object[name]
			if !there {
				out = append(out, at+"."+name+" is missing")
				continue
			}
			out = append(out, lacks(at+"."+name, want[name], value)...)
		}
		return out
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return []string{fmt.Sprintf("%s: %v instead of %v", at, got, want)}
		}
		var out []string
		for i := range want {
			out = append(out, lacks(fmt.Sprintf("%s[%d]", at, i), want[i], list[i])...)
		}
		return out
	}
	if want != got {
		return []string{fmt.Sprintf("%s: %v instead of %v", at, got, want)}
	}
	return nil
}

// oneRustServer is the guide's session: one configured server, no catalogue, read-only.
func oneRustServer(t *testing.T) *session.Session {
	t.Helper()
	opened := toolstest.Real(t,
		project(t, map[string]string{"README.md": "# lspi\n", "Cargo.toml": "", "src/main.rs": "fn main() {}\n"}),
		"rust-analyzer")
	root := opened.Workspace.Root
	opened.Settings.ReadOnly, opened.Settings.EchoInput = true, "always"
	opened.Settings.Configuration = &session.Configuration{Servers: []session.ServerConfig{{
		ID: "rust-analyzer", Kind: "rust_analyzer", Extensions: []string{"rs"}, LanguageID: "rust", RootDir: root,
		Cwd:             root,
		RequestTimeouts: map[string]int64{}, WorkspaceFolders: []string{}, Enabled: true,
		File:    filepath.Join(root, "lspi.toml"),
		EnvKeys: []string{"RUST_LOG"},
	}}}
	return opened
}

func TestGuideCurrentConfig(t *testing.T) {
	opened := oneRustServer(t)
	opened.Settings.Shape = session.ShapeOriginal // whose schema_version is the guide's
	want := guideExample(t, "guide_get_current_config.json", opened.Workspace.Root)
	got := Run(context.Background(), opened, nil, answer.Request{Tool: "get_current_config",
		Arguments: json.RawMessage(`{"include_env": false, "max_total_chars": 120000}`),
		Host:      session.Host{Name: "claude-code"}})
	sameAsGuide(t, want, got)
}

func TestGuideRoutingMismatch(t *testing.T) {
	opened := oneRustServer(t)
	opened.Settings.Shape = session.ShapeOriginal
	want := guideExample(t, "guide_routing_mismatch.json", opened.Workspace.Root)
	got := Run(context.Background(), opened, nil, answer.Request{Tool: "find_definition",
		Arguments: json.RawMessage(`{"file_path": "README.md", "symbol_name": "lspi"}`)})
	// The text of an error has to be enough by itself (section 1 of the contract), so it says more than the guide's.
	content := want["content"].([]any)[0].(map[string]any)
	if message := content["text"].(string); !strings.Contains(got.Text, message) {
		t.Errorf("the text %q does not hold %q", got.Text, message)
	}
	content["text"] = got.Text
	sameAsGuide(t, want, got)
}

func sameAsGuide(t *testing.T, want map[string]any, got Result) {
	t.Helper()
	var structured any
	testkit.Must(t, json.Unmarshal(got.Structured, &structured))
	ours := map[string]any{
		"content":           []any{map[string]any{"type": "text", "text": got.Text}},
		"structuredContent": structured, "isError": !got.OK,
	}
	for _, difference := range lacks("result", want, ours) {
		t.Error(difference)
	}
	if t.Failed() {
		t.Logf("%s", got.Structured)
	}
}

// Values of an environment never leave the process, not even when the names are asked for.
func TestEnvironmentIsRedacted(t *testing.T) {
	session := oneRustServer(t)
	session.Workspace.Table.Specs[0].Env = map[string]string{"RUST_LOG": "s3cret"}
	for _, include := range []bool{false, true} {
		r := Run(context.Background(), session, nil, answer.Request{Tool: "get_current_config",
			Arguments: json.RawMessage(fmt.Sprintf(`{"include_env": %v}`, include))})
		all := string(r.Structured) + r.Text
		if strings.Contains(all, "s3cret") {
			t.Errorf("include_env %v shows a value: %s", include, all)
		}
		testkit.Equal(t, strings.Contains(all, `"RUST_LOG":"<redacted>"`), include, "include_env", all)
	}
}

// A configuration with errors stops every tool but those that show what is wrong with it.
func TestBrokenConfiguration(t *testing.T) {
	opened := oneRustServer(t)
	conf := *opened.Settings.Configuration
	conf.Findings = []session.ConfigFinding{{Severity: "error", Kind: "unknown_key", File: "/w/lspi.toml", Line: 7,
		Key:     "servers[0].cmd",
		Message: `unknown key "cmd"`, Fix: `did you mean "command"?`}}
	settings := opened.Settings
	settings.Configuration = &conf
	broken := &session.SessionError{Settings: settings, Table: opened.Workspace.Table,
		Err: fmt.Errorf("line 7: unknown key")}
	ask := func(tool, arguments string) (Result, reply) {
		r := Run(context.Background(), nil, broken, answer.Request{Tool: tool, Arguments: json.RawMessage(arguments)})
		var a reply
		testkit.Must(t, json.Unmarshal(r.Structured, &a))
		return r, a
	}
	if r, _ := ask("find_definition", `{"symbol_name": "x"}`); r.OK {
		t.Errorf("find_definition works: %s", r.Structured)
	}
	for _, tool := range []string{"get_current_config", "list_servers", "get_server_status"} {
		r, a := ask(tool, `{}`)
		if !r.OK || len(a["warnings"].([]any)) != 1 {
			t.Errorf("%s: %s", tool, r.Structured)
		}
	}
	r, a := ask("get_current_config", `{}`)
	findings := a["config_findings"].([]any)
	if a["config_ok"] != false || len(findings) != 1 || findings[0].(map[string]any)["line"] != 7.0 ||
		len(a["next_steps"].([]any)) == 0 {
		t.Errorf("%s", r.Structured)
	}
	testkit.Holds(t, r.Text, `unknown key "cmd"`, "the text does not say what is wrong")
	// Nothing at all is known when the workspace itself was not found.
	if r := Run(context.Background(), nil, fmt.Errorf("no workspace"), answer.Request{Tool: "list_servers"}); r.OK ||
		!strings.Contains(r.Text, "no workspace") {
		t.Errorf("%s", r.Structured)
	}
}

// Warnings about the configuration are told once, and always by the tools that look at lspi itself.
func TestConfigurationWarningsAreToldOnce(t *testing.T) {
	session := oneRustServer(t)
	session.Settings.Warnings = []contract.Warning{{Kind: contract.WarnConfig, Message: "lspi.toml is not trusted"}}
	count := func(tool string) int {
		a := run(t, session, tool, map[string]any{})
		n := 0
		for _, w := range a["warnings"].([]any) {
			if w.(map[string]any)["kind"] == "config" {
				n++
			}
		}
		return n
	}
	got := []int{count("find_references"), count("find_references"), count("list_servers"), count("get_server_status")}
	if !slices.Equal(got, []int{1, 0, 1, 1}) {
		t.Errorf("%v", got)
	}
}

func TestCurrentConfigShowsWhoAnswers(t *testing.T) {
	t.Setenv("PATH", fakePrograms(t, "pylsp", "ruff"))
	t.Setenv("HOME", t.TempDir())
	opened := toolstest.Real(t,
		project(t, map[string]string{"a.py": "", "b.py": "", "go.mod": "", "x.go": "", "README.md": ""}))
	opened.Settings.Configuration = &session.Configuration{}
	for _, spec := range opened.Workspace.Table.Specs {
		opened.Settings.Configuration.Servers = append(opened.Settings.Configuration.Servers,
			session.ServerConfig{ID: spec.ID, Enabled: true})
	}
	a := run(t, opened, "get_current_config", nil)
	var ids []string
	for _, s := range a["servers"].([]any) {
		ids = append(ids, s.(map[string]any)["id"].(string))
	}
	// gopls is missing and the only one for Go; of Python's five pylsp is installed; marksman is the first for
	// Markdown.
	if !slices.Contains(ids, "gopls") || !slices.Contains(ids, "pylsp") || slices.Contains(ids, "pyright") ||
		len(ids) != 3 {
		t.Errorf("%v", ids)
	}
}

// The text about a project of many languages, whose servers are those of the catalogue, is one screen of a terminal.
func TestCurrentConfigIsOneScreen(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a.py", "go.mod", "x.go", "README.md", "a.cc", "Cargo.toml", "a.rs", "a.ts", "a.sh",
		"a.yaml", "a.json"} {
		files[name] = ""
	}
	opened := toolstest.Real(t, project(t, files))
	root := opened.Workspace.Root
	opened.Settings.Configuration = &session.Configuration{}
	for _, spec := range opened.Workspace.Table.Specs {
		opened.Settings.Configuration.Servers = append(opened.Settings.Configuration.Servers,
			session.ServerConfig{ID: spec.ID, Kind: spec.Kind, Extensions: spec.Extensions(), RootDir: root, Cwd: root,
				Enabled: true})
	}
	text := Run(t.Context(), opened, nil, answer.Request{Tool: "get_current_config"}).Text
	rows := 0
	for line := range strings.Lines(text) {
		rows += (len(line) + 99) / 100
	}
	if rows > 24 || strings.Count(text, root) > 2 || !strings.Contains(text, "\n- gopls: go ") {
		t.Errorf("%d rows:\n%s", rows, text)
	}
}

// fakePrograms is a folder with executables of these names, which do nothing.
func fakePrograms(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		testkit.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\nexit 1\n")
	}
	return dir
}
