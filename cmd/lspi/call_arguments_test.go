package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools"
	"lspi/workspace"
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
		{"rename_symbol", "expected_before_sha256=a.go=12 expected_before_sha256=b=34", `{"expected_before_sha256":{"a.go":"12","b":"34"}}`},
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
		testkit.Equal(t, string(a.json(c.tool, nil)), c.want, c.given)
	}
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
		testkit.Equal(t, string(a.json(tool, nil)), `{"`+name+`":`+want+`}`, given)
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

// Paths that are there count from the current folder, all others from the workspace.
func TestPathArguments(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "sub")
	testkit.Must(t, os.Mkdir(sub, 0o755))
	testkit.Must(t, os.WriteFile(filepath.Join(sub, "a.go"), nil, 0o644))
	t.Chdir(sub)
	env := workspace.Unopened(workspace.Settings{}, &router.Table{Workspace: root})
	for given, want := range map[string]string{
		"a.go":       filepath.Join(sub, "a.go"),
		"sub/a.go":   "sub/a.go",
		"/x/a.go":    "/x/a.go",
		"missing.go": "missing.go",
	} {
		a, _ := readArguments(nil, []string{"file_path=" + given})
		testkit.Equal(t, string(a.json("find_definition", env)), `{"file_path":"`+want+`"}`, given)
	}
	a, _ := readArguments(nil, []string{`file_paths=["a.go","gone.go"]`, "file_paths=a.go"})
	here := `"` + filepath.Join(sub, "a.go") + `"`
	testkit.Equal(t, string(a.json("get_diagnostics", env)), `{"file_paths":[`+here+`,"gone.go",`+here+`]}`)
}
