package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

func serversOf(t *testing.T, a reply) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	list, ok := a["servers"].([]any)
	if !ok {
		t.Fatalf("no servers: %v", a)
	}
	for _, s := range list {
		server := s.(map[string]any)
		id, _ := server["id"].(string)
		if id == "" {
			id = server["server_id"].(string)
		}
		out[id] = server
	}
	return out
}

func TestListServers(t *testing.T) {
	dir := fakePrograms(t, "pylsp")
	t.Setenv("PATH", dir)
	t.Setenv("HOME", t.TempDir())
	opened := toolstest.Real(t, project(t, map[string]string{"a.py": "", "b.py": "", "go.mod": "", "x.go": ""}))
	opened.Settings.Configuration = &session.Configuration{Servers: []session.ServerConfig{
		{ID: "zls", Enabled: true, File: "/w/lspi.toml"}, {ID: "ruff", Enabled: false, File: "/w/lspi.toml"}}}
	got := serversOf(t, run(t, opened, "list_servers", nil))
	want := map[string]string{"pylsp": ask.StateStopped, "gopls": ask.StateMissing, "pyright": ask.StateMissing,
		"zls": ask.StateMissing, "ruff": ask.StateOff}
	for id, state := range want {
		testkit.Equal(t, got[id]["state"], any(state), id, got[id])
	}
	if path := got["pylsp"]["path"]; path != filepath.Join(dir, "pylsp") || got["pylsp"]["files"] != 2.0 {
		t.Errorf("pylsp: %v", got["pylsp"])
	}
	if hint, _ := got["gopls"]["install_hint"].(string); !strings.Contains(hint, "golang.org/x/tools/gopls") ||
		got["gopls"]["verified"] == nil {
		t.Errorf("gopls: %v", got["gopls"])
	}
	testkit.Diff(t, got["gopls"]["projects"],
		[]any{map[string]any{"folder": ".", "files": 2.0, "project_file": true}})
	testkit.Diff(t, got["pylsp"]["projects"], nil, "of a server that needs no project file")
	if got["rust-analyzer"] != nil {
		t.Error("rust-analyzer is listed without a file of its own")
	}
}

// The whole catalogue is longer than one answer; following the steps gives every server once, those of the workspace
// first.
func TestListServersPages(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	session := toolstest.Real(t, project(t, map[string]string{"main.zig": ""}))
	var ids []string
	arguments := map[string]any{"all": true, "max_total_chars": 4000}
	for arguments != nil {
		a := run(t, session, "list_servers", arguments)
		raw, _ := json.Marshal(a["servers"])
		if len(raw) > 4000 || a["completeness"] != nil {
			t.Fatalf("%d bytes, completeness %v", len(raw), a["completeness"])
		}
		for _, s := range a["servers"].([]any) {
			ids = append(ids, s.(map[string]any)["id"].(string))
		}
		arguments = nil
		if steps := a["next_steps"].([]any); len(steps) > 0 {
			arguments = steps[0].(map[string]any)["arguments"].(map[string]any)
		}
	}
	if len(ids) != len(session.Workspace.Table.Specs) || ids[0] != "zls" {
		t.Errorf("%d of %d: %v", len(ids), len(session.Workspace.Table.Specs), ids)
	}
	slices.Sort(ids)
	testkit.Equal(t, len(slices.Compact(ids)), len(session.Workspace.Table.Specs), "a server came twice")
}

func TestStatusBeforeAnyQuestion(t *testing.T) {
	t.Setenv("PATH", fakePrograms(t, "gopls"))
	t.Setenv("HOME", t.TempDir())
	session := toolstest.Real(t, project(t, goProject))
	got := serversOf(t, run(t, session, "get_server_status", nil))
	if got["gopls"]["state"] != ask.StateStopped || len(session.Workspace.Pool.Status()) != 0 {
		t.Errorf("%v", got)
	}
	one := serversOf(t, run(t, session, "get_server_status", map[string]any{"server_id": "zls"}))
	if len(one) != 1 || one["zls"]["state"] != ask.StateMissing {
		t.Errorf("%v", one)
	}
	a := run(t, session, "get_server_status", map[string]any{"server_id": "goplz"})
	if a["ok"] != false || !strings.Contains(a["message"].(string), `"gopls"`) {
		t.Errorf("%v", a)
	}
}

// A server that cannot start shows why, with what it wrote to stderr, until it is left alone for a while.
func TestStatusOfAFailingServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for the server")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"error: Unknown binary 'gopls' in official toolchain\" >&2\nexit 1\n"
	testkit.WriteProgram(t, filepath.Join(dir, "gopls"), script)
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("HOME", t.TempDir())
	session := toolstest.Real(t, project(t, goProject), "gopls")
	run(t, session, "find_references", map[string]any{"file_path": "cart.go", "symbol_name": "Cart"})
	got := serversOf(t, run(t, session, "get_server_status", nil))["gopls"]
	trouble, _ := got["last_error"].(map[string]any)
	raw, _ := json.Marshal(trouble)
	if got["state"] != ask.StateFailed || got["recent_crashes"] != 1.0 ||
		!strings.Contains(string(raw), "Unknown binary") {
		t.Errorf("%v", got)
	}
	for range 4 {
		run(t, session, "find_references", map[string]any{"file_path": "cart.go", "symbol_name": "Cart"})
	}
	got = serversOf(t, run(t, session, "get_server_status", nil))["gopls"]
	if wait, _ := got["retry_after_ms"].(float64); got["state"] != ask.StateDisabled || wait <= 0 {
		t.Errorf("%v", got)
	}
}

func TestStatusOfARunningServer(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, goProject), "gopls")
	run(t, session, "find_references", map[string]any{"file_path": "cart.go", "symbol_name": "Cart"})
	a := run(t, session, "get_server_status", map[string]any{"server_id": "gopls"})
	s := serversOf(t, a)["gopls"]
	if s["state"] != ask.StateReady || s["root"] != "." || s["version"] != "0.23.0" ||
		s["position_encoding"] != "utf-16" {
		t.Errorf("%v", s)
	}
	for _, name := range []string{"pid", "uptime_ms", "command", "index", "methods", "watch"} {
		if s[name] == nil {
			t.Errorf("%s is missing: %v", name, s)
		}
	}
	if memory, _ := s["memory_bytes"].(float64); runtime.GOOS == "linux" && memory < 10<<20 {
		t.Errorf("memory: %v", s["memory_bytes"])
	}
	methods, _ := s["methods"].([]any)
	if !slices.Contains(methods, any("references")) || !slices.Contains(methods, any("workspace/symbol")) {
		t.Errorf("methods: %v", methods)
	}
	raw, _ := json.Marshal(a)
	t.Logf("%d bytes: %s", len(raw), raw)
	if len(raw) > 2500 {
		t.Errorf("%d bytes for one server", len(raw))
	}
	l := serversOf(t, run(t, session, "list_servers", nil))["gopls"]
	if l["state"] != ask.StateReady || l["path"] != s["command"] {
		t.Errorf("%v", l)
	}
}

// What the three tools add to tools/list.
func TestStatusToolsAreTerse(t *testing.T) {
	for _, tool := range []*answer.Tool{getCurrentConfig, listServers, getServerStatus} {
		out, _ := json.Marshal(tool.Output())
		in, _ := json.Marshal(tool.Input)
		t.Logf("%s: %d input, %d description, %d output", tool.Name, len(in), len(tool.Description), len(out))
		if len(out) > 1100 || len(in) > 300 || len(tool.Description) > 300 {
			t.Errorf("%s: %d input, %d description, %d output\n%s", tool.Name, len(in), len(tool.Description),
				len(out), out)
		}
	}
}

// The steps that install a server are commands of package managers that are here, or say in words where it comes from.
func TestInstallSteps(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	ways := []spec.Install{{Needs: "brew", Command: "brew install words", Package: "words"},
		{Needs: "npm", Command: "npm install -g words-ls", Package: "words-ls"}}
	for _, c := range []struct{ program, kind, command string }{{"", "doc", "<nil>"},
		{"npm", "command", "npm install -g words-ls"}} {
		if c.program != "" {
			testkit.Must(t, os.WriteFile(filepath.Join(bin, c.program), nil, 0o755))
		}
		session := toolstest.Open(t, project(t, map[string]string{"a.w": "def X\n"}),
			toolstest.Fake(t, "words", "{}", func(s *spec.Spec) {
				s.Title, s.Install, s.Commands = "Words", ways, []spec.Command{{Name: "no-such-program"}}
			}))
		step := firstOf(run(t, session, "hover", map[string]any{"file_path": "a.w", "symbol_name": "X"}), "next_steps")
		equal(t, "step", fmt.Sprint(step["kind"], " ", step["command"]), c.kind+" "+c.command)
		listed := firstOf(run(t, session, "list_servers", nil), "servers")
		words := fmt.Sprint(listed["install_hint"])
		if c.kind == "doc" &&
			(words != step["message"] || !strings.Contains(words, "words (Homebrew), words-ls (npm)")) {
			t.Errorf("in words: %s; %s", step["message"], words)
		}
		if c.kind == "command" && (fmt.Sprint(listed["install"]) != "["+c.command+"]" || words != "<nil>") {
			t.Errorf("listed: %v", listed)
		}
	}
}

// Where no server is installed, a question by name says which one the workspace needs and how to get it.
func TestNameAloneWithoutAnyServer(t *testing.T) {
	missing := toolstest.Fake(t, "words", `{"language":"words"}`, func(s *spec.Spec) {
		s.Commands[0].Name = "lspi-test-no-such-program"
		s.Install = []spec.Install{{Command: "install words"}}
	})
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def one\n"}), missing)
	for tool, arguments := range map[string]map[string]any{
		"hover": {"symbol_name": "one"}, "search_workspace_symbols": {"query": "one"},
		"find_references": {"symbol_name": "one"},
	} {
		a := run(t, session, tool, arguments)
		reason := a["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)
		equal(t, tool, reason["kind"], any("server_not_installed"))
		if step := a["next_steps"].([]any)[0].(map[string]any); step["command"] != "install words" {
			t.Errorf("%s: first step %v", tool, step)
		}
	}
}

// Without a go.mod the callers in an answer stand in files that gopls has read for it (0.23.0).
func TestCallersOfTheAnswerAreNoFilesThatWereNotRead(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, map[string]string{
		"a.go":   "package a\n\nfunc Foo() {}\n",
		"b.go":   "package a\n\nfunc Bar() { Foo() }\n",
		"c/c.go": "package c\n\nfunc Foo() {}\n",
	}), "gopls")
	a := run(t, session, "call_hierarchy", map[string]any{"file_path": "a.go", "symbol_name": "Foo",
		"direction": "incoming"})
	calls, _ := a["incoming"].([]any)
	w := firstOf(a, "warnings")
	if len(calls) != 1 || w["kind"] != "no_project_file" || fmt.Sprint(w["files"]) != "[c/c.go]" {
		t.Errorf("%v", a)
	}
}

// A server that the configuration names is not passed over in silence: the answer of the next one says so.
func TestConfiguredServerThatDoesNotStart(t *testing.T) {
	dead := toolstest.Fake(t, "mine", `{"on_start":[{"exit":1}]}`, func(s *spec.Spec) {
		s.Commands[0].File, s.Commands[0].Line = "/home/u/lspi.toml", 3
	})
	next := toolstest.Fake(t, "words", `{}`)
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def X\nX\n"}), dead, next)
	a := run(t, session, "hover", map[string]any{"file_path": "a.w", "line": 1, "symbol_name": "X"})
	raw, _ := json.Marshal(a)
	testkit.Equal(t, a["server_id"], any("words"), string(raw))
	testkit.Holds(t, string(raw), `line 3 of /home/u/lspi.toml names mine for these files, and it could not be asked: `+
		`starting mine: exit status 1, so words was asked`)
}

// A folder for journals that cannot be read is no matter of questions: they are answered, it is told once, and an edit
// fails by it.
func TestQuestionsWithoutJournals(t *testing.T) {
	needServer(t, "gopls")
	session := toolstest.Real(t, project(t, map[string]string{"go.mod": "module m\n\ngo 1.24\n",
		"a.go": "package m\n\nfunc old() { old() }\n"}), "gopls")
	file := filepath.Join(t.TempDir(), "file")
	testkit.Write(t, file, "")
	session.Workspace.Process.EditDir = filepath.Join(file, "edit")
	for i, told := range []bool{true, false} {
		a := run(t, session, "find_references", map[string]any{"file_path": "a.go", "symbol_name": "old"})
		testkit.Equal(t, a["total"], any(2.0), i)
		testkit.Equal(t, strings.Contains(fmt.Sprint(a["warnings"]), "nothing can be edited"), told, i, a["warnings"])
	}
	a := run(t, session, "rename_symbol", map[string]any{"file_path": "a.go", "symbol_name": "old", "new_name": "young",
		"apply": "if_safe"})
	testkit.Holds(t, fmt.Sprint(a), "no_journal")
}
