package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/session"
)

// need skips the test when a program is missing; in CI that is a failure.
func need(t testing.TB, name string) string {
	t.Helper()
	here, err := filepath.Abs("../../.servers/bin")
	if err == nil {
		t.Setenv("PATH", here+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing; scripts/servers.sh installs it", name)
	}
	t.Skipf("SKIPPED: %s is missing; scripts/servers.sh installs it", name)
	return ""
}

// The command line of the MCP inspector, an independent client that validates what it gets.
func TestInspector(t *testing.T) {
	inspector := need(t, "mcp-inspector")
	need(t, "gopls")
	lspi, dir := testkit.Program(t), t.TempDir()
	for name, content := range map[string]string{"go.mod": "module m\n\ngo 1.26\n",
		"a.go": "package m\n\nfunc One() { Two() }\n\nfunc Two() {}\n"} {
		testkit.Write(t, filepath.Join(dir, name), content)
	}
	inspect := func(into any, args ...string) {
		t.Helper()
		cmd := exec.Command(inspector, append([]string{"--cli", lspi, "mcp", "--share", "off", "--workspace-root", dir,
			"--method"}, args...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	var list struct{ Tools []struct{ Name string } }
	inspect(&list, "tools/list")
	if served := tools.Served((&session.Settings{})); len(list.Tools) != len(served) {
		t.Errorf("the inspector lists %d tools, %d are served", len(list.Tools), len(served))
	}
	var result struct {
		StructuredContent struct {
			OK           bool
			Completeness string
			Definitions  []struct{ Line int }
		}
	}
	inspect(&result, "tools/call", "--tool-name", "find_definition", "--tool-arg", "file_path=a.go",
		"--tool-arg", "line=3", "--tool-arg", "symbol_name=Two")
	got := result.StructuredContent
	if !got.OK || got.Completeness != "complete" || len(got.Definitions) != 1 || got.Definitions[0].Line != 5 {
		t.Errorf("the inspector got %+v", got)
	}
}
