package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/answer"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct{ tool, given, want string }{
		{"find_references", "line=3 symbol_name=x", `{"line":3,"symbol_name":"x"}`},
		{"find_references", "include_snippet=false max_results=5", `{"include_snippet":false,"max_results":5}`},
		{"find_references", "line=4.0", `{"line":4.0}`},
		{"find_references", "line=three", `{"line":"three"}`},
		{"find_references", "include_snippet=maybe", `{"include_snippet":"maybe"}`},
		{"find_references", "symbol_name=7", `{"symbol_name":"7"}`},
		{"find_references", "symbol_name=a=b", `{"symbol_name":"a=b"}`},
		{"find_references", "symbol_name=", `{"symbol_name":""}`},
		{"find_references", "nothing=1", `{"nothing":"1"}`},
		{"rename_symbol", "expected_before_sha256=a.go=12 expected_before_sha256=b=34",
			`{"expected_before_sha256":{"a.go":"12","b":"34"}}`},
		{"rename_symbol", `expected_before_sha256={"a":"1"}`, `{"expected_before_sha256":{"a":"1"}}`},
		{"rename_symbol", "expected_before_sha256=12 dry_run=false", `{"dry_run":false,"expected_before_sha256":"12"}`},
		{"no_such_tool", "a=1", `{"a":"1"}`},
		{"find_references", "", `{}`},
		{"find_references", `{"line":3}`, `{"line":3}`},
	} {
		var words []string
		if c.given != "" {
			words = strings.Fields(c.given)
		}
		a, err := readArguments(strings.NewReader(""), words)
		if err != nil {
			t.Errorf("%s: %v", c.given, err)
			continue
		}
		testkit.Equal(t, string(a.json(c.tool, "")), c.want, c.given)
	}
}

// An argument with one value may be given once; lists and objects may be given in several words.
func TestRepeatedArguments(t *testing.T) {
	for given, want := range map[string]string{
		"line=3 line=4":               `line is given twice, as "3" and as "4", and takes one value`,
		"symbol_name=a symbol_name=a": "symbol_name is given twice",
		"nothing=1 nothing=2":         "nothing is given twice",
		"expected_before_sha256=a.go=12 expected_before_sha256=b=34 line=1": "",
	} {
		a, err := readArguments(nil, strings.Fields(given))
		testkit.Must(t, err)
		if err := a.repeated("rename_symbol"); (err == nil) != (want == "") || err != nil &&
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", given, err)
		}
	}
	tool, name := toolWithList()
	a, err := readArguments(nil, []string{name + "=a", name + "=b"})
	testkit.Must(t, err)
	testkit.Must(t, a.repeated(tool))
}

func TestListArguments(t *testing.T) {
	tool, name := toolWithList()
	if tool == "" {
		t.Skip("no tool takes a list yet")
	}
	for given, want := range map[string]string{
		name + "=a,b":                    `["a","b"]`,
		name + "=a " + name + "=b":       `["a","b"]`,
		name + `=["a","b,c"]`:            `["a","b,c"]`,
		name + `=["a"] ` + name + "=[b]": `["a","[b]"]`,
		name + "=a," + " " + name + "=b": `["a","b"]`,
	} {
		a, err := readArguments(nil, strings.Fields(given))
		testkit.Must(t, err)
		testkit.Equal(t, string(a.json(tool, "")), `{"`+name+`":`+want+`}`, given)
	}
}

// toolWithList is a tool with an argument that is a list and no path.
func toolWithList() (tool, argument string) {
	for _, t := range tools.All() {
		for name, s := range t.Input.Properties {
			if s.Type == "array" && !isPath(name) {
				return t.Name, name
			}
		}
	}
	return "", ""
}

func TestBadArguments(t *testing.T) {
	for _, given := range []string{"word", "=x", "{", "{} x", "[]", "-"} {
		if _, err := readArguments(strings.NewReader("7"), strings.Fields(given)); err == nil {
			t.Errorf("%s is taken", given)
		}
	}
}

// Paths that exist are relative to the current folder, all others to the workspace.
func TestPathArguments(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "sub")
	testkit.Must(t, os.Mkdir(sub, 0o755))
	testkit.Must(t, os.WriteFile(filepath.Join(sub, "a.go"), nil, 0o644))
	t.Chdir(sub)
	for given, want := range map[string]string{
		"a.go":       filepath.Join(sub, "a.go"),
		"sub/a.go":   "sub/a.go",
		"/x/a.go":    "/x/a.go",
		"missing.go": "missing.go",
	} {
		a, _ := readArguments(nil, []string{"file_path=" + given})
		testkit.Equal(t, string(a.json("find_definition", root)), `{"file_path":"`+want+`"}`, given)
	}
	a, _ := readArguments(nil, []string{`file_paths=["a.go","gone.go"]`, "file_paths=a.go"})
	here := `"` + filepath.Join(sub, "a.go") + `"`
	testkit.Equal(t, string(a.json("get_diagnostics", root)), `{"file_paths":[`+here+`,"gone.go",`+here+`]}`)
}

// The truth table of [sessionFlags], from the command line and an explicit configuration to what is allowed.
func TestRights(t *testing.T) {
	const readOnly, readWrite = true, false
	for _, c := range []struct {
		flags string
		file  string // of the [mcp] table
		want  bool
	}{
		{"", "", readWrite},
		{"--read-only", "", readOnly},
		{"--read-write", "", readWrite},
		{"--read-only", "read_only = false", readOnly},
		{"--read-write", "read_only = true", readWrite},
		{"", "read_only = true", readOnly},
		{"", "read_only = false", readWrite},

		{"--mode navigation", "", readOnly},
		{"--mode refactor", "", readWrite},
		{"--mode refactor --read-only", "", readOnly},
		{"--mode refactor", "read_only = true", readOnly},
		{"--mode navigation", "read_only = false", readOnly},
		{"--mode navigation", "mode = \"refactor\"\nread_only = false", readOnly},
		{"", `mode = "navigation"`, readOnly},
		{"--mode refactor", `mode = "navigation"`, readWrite},

		{"--context full", "", readWrite},
		{"--context claude", "", readWrite},
		{"--context codex", "", readOnly},
		{"--context navigation", "", readOnly},
		{"--context codex --read-write", "", readWrite},
		{"--context codex --mode refactor", "", readWrite},
		{"--context claude --mode navigation", "", readOnly},
		{"--context codex", "read_only = false", readWrite},
		{"--context navigation", "read_only = false", readWrite},
		{"--context full", `context = "codex"`, readWrite},
		{"", `context = "codex"`, readOnly},
		{"--context claude --read-only", "read_only = false", readOnly},
	} {
		t.Run(strings.TrimSpace(c.flags+" "+c.file), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			testkit.Must(t, os.WriteFile(file, []byte("[mcp]\n"+c.file+"\n"), 0o644))
			f, err := parseFlags(append(strings.Fields(c.flags), "--config", file, "--workspace-root", t.TempDir()))
			testkit.Must(t, err)
			s := newWiring(f, io.Discard)
			s.options.Home, s.options.Getenv = t.TempDir(), func(string) string { return "" }
			l, err := s.listing()
			testkit.Must(t, err)
			settings := l.settings
			testkit.Equal(t, settings.ReadOnly, c.want, "read-only")
			for _, tool := range tools.Served(&settings) {
				if c.want == readOnly && !tool.ReadOnly() {
					t.Errorf("%s is served", tool.Name)
				}
			}
		})
	}
}

// parseFlags is what the mcp command does with its command line before it serves.
func parseFlags(args []string) (*sessionFlags, error) {
	var f sessionFlags
	cmd := &cobra.Command{Use: "test", RunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		SilenceErrors: true, SilenceUsage: true}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.SetArgs(args)
	return &f, cmd.Execute()
}

// A configuration with errors allows nothing, whatever else it says.
func TestWrongConfigurationIsReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	testkit.Must(t, os.WriteFile(file, []byte("[mcp]\nread_onli = true\n"), 0o644))
	s := newWiring(&sessionFlags{config: file, workspaceRoot: t.TempDir()}, io.Discard)
	s.options.Home = t.TempDir()
	l, err := s.listing()
	if err != nil || !l.settings.ReadOnly {
		t.Errorf("read-only is %v, %v", l.settings.ReadOnly, err)
	}
}

// An empty allow list allows only the tools that describe lspi itself.
func TestEmptyAllowList(t *testing.T) {
	settings := settingsOf(&config.Config{Roots: []string{"/"},
		MCP: config.MCP{Tools: config.Tools{Allow: []string{}}}})
	for _, tool := range tools.Served(&settings) {
		if tool.Class != answer.Status {
			t.Errorf("%s is served", tool.Name)
		}
	}
}
