package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// rooms are the top folders in the order of imports: a package may import its own room and those further right.
var rooms = []string{"cmd", "tools", "router", "lsp", "internal", "contract"}

// forTests are packages that only tests import, which may start the whole program.
var forTests = []string{"test", "tools/toolstest"}

// protocols lists the packages that may import the library of a protocol.
var protocols = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"cmd/lspi/internal/mcpserver", "cmd/lspi/internal/gateway",
		"cmd/lspi/internal/gateway/mcpclient", "cmd/lspi/internal/stdio", "cmd/lspi/internal/demo",
		"cmd/lspi/internal/doctor", "test/bench", "test/compare", "test/soak"},
	"go.lsp.dev/protocol": {"internal/source", "lsp", "lsp/wire", "lsp/edit", "lsp/lsptest",
		"lsp/servers/clangd", "lsp/servers/gopls", "lsp/servers/rustanalyzer", "lsp/servers/tsserver", "test/bench",
		"test/compare"},
	"go.lsp.dev/jsonrpc2": {"lsp/wire", "lsp/lsptest"},
}

// Imports go rightwards along rooms only. Inside a room its own package imports those below it, and not the other
// way round; lsp/servers alone imports lsp, whose [lsp.Hooks] it makes.
func TestImports(t *testing.T) {
	room := func(dir string) int {
		top, _, _ := strings.Cut(dir, "/")
		return slices.Index(rooms, top)
	}
	eachFile(t, func(dir, path string, imports []string) {
		if top, _, _ := strings.Cut(dir, "/"); slices.Contains(forTests, dir) || slices.Contains(forTests, top) ||
			top == "scripts" {
			return
		}
		if room(dir) < 0 {
			t.Errorf("%s is in none of the rooms %v", path, rooms)
		}
		for _, imp := range imports {
			ours, ok := strings.CutPrefix(imp, "lspi/")
			if !ok {
				continue
			}
			below := func(of string) bool { return dir == of || strings.HasPrefix(dir, of+"/") }
			switch {
			case slices.Contains(forTests, ours):
				t.Errorf("%s imports %s, which is for tests", path, imp)
			case room(ours) < room(dir):
				t.Errorf("%s imports %s, which is further left in %v", path, imp, rooms)
			case strings.HasPrefix(ours, "lsp/servers") && !below("lsp/servers") && room(dir) > 0:
				t.Errorf("%s imports %s, which only cmd and tests know", path, imp)
			case dir != ours && below(ours) && slices.Contains(rooms, ours) && !below("lsp/servers"):
				t.Errorf("%s imports %s, the room's own package, which stands on it", path, imp)
			}
		}
	})
}

// Only the packages listed in protocols import the library of a protocol, so that its types stay behind them.
func TestProtocols(t *testing.T) {
	eachFile(t, func(dir, path string, imports []string) {
		for _, imp := range imports {
			for library, users := range protocols {
				if strings.HasPrefix(imp, library) && !slices.Contains(users, dir) {
					t.Errorf("%s imports %s", path, imp)
				}
			}
		}
	})
}

// eachFile visits every source file that is not a test.
func eachFile(t *testing.T, visit func(dir, path string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			imports = append(imports, name)
		}
		visit(filepath.ToSlash(filepath.Dir(path)), path, imports)
		return nil
	})
	testkit.Must(t, err)
}

// stray lists calls with the folders that may make them: stdout belongs to MCP, only main exits, and nothing sleeps,
// because a sleep waits for a time where the code should wait for a condition.
var stray = map[string]func(dir string) bool{
	"time.Sleep(": func(string) bool { return false },
	"os.Exit(": func(dir string) bool {
		return strings.HasPrefix(dir, "cmd/") || dir == "test/soak"
	},
	"fmt.Print": func(dir string) bool { return dir == "cmd/lspi/internal/demo" },
	"println(":  func(string) bool { return false },
}

func TestNoStrayCalls(t *testing.T) {
	eachFile(t, func(dir, path string, _ []string) {
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		for n, line := range strings.Split(string(raw), "\n") {
			code, _, _ := strings.Cut(line, "//")
			for call, may := range stray {
				i := strings.Index(code, call)
				if i >= 0 && !may(dir) && !strings.HasSuffix(code[:i], "F") && (i == 0 || !isLetter(code[i-1])) {
					t.Errorf("%s:%d: %s", path, n+1, strings.TrimSpace(line))
				}
			}
		}
	})
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '.' }

// pathOf is a path of the repository in a page of docs: a file or a folder between backquotes.
var pathOf = regexp.MustCompile("`([\\w./-]+(?:/[\\w<>.-]*)+|[\\w-]+\\.(?:go|md|toml)(?:\\.example)?)`")

// README and the pages of docs name files that are there: a file below a folder of the repository exists, and in
// the page of changes every path does. Where a path has a placeholder, the folder before it is meant.
func TestPathsInDocs(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%v %v", pages, err)
	}
	checked := 0
	for _, page := range append(pages, "README.md") {
		raw, err := os.ReadFile(page)
		testkit.Must(t, err)
		for _, m := range pathOf.FindAllStringSubmatch(string(raw), -1) {
			path := m[1]
			top, _, _ := strings.Cut(path, "/")
			// such as the method tools/call
			if page != "docs/changes.md" && (!exists(top) || filepath.Ext(path) == "") {
				continue
			}
			if top == "dist" { // what make packages makes, all or in part
				continue
			}
			if before, _, placeholder := strings.Cut(path, "<"); placeholder {
				path = filepath.Dir(before + "x")
			}
			if checked++; !exists(path) {
				t.Errorf("%s names %s, which does not exist", page, path)
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d paths were found", checked)
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// The layout in docs/developing.md has a line for every folder at the top that holds Go packages.
func TestLayoutInDocs(t *testing.T) {
	raw, err := os.ReadFile("docs/developing.md")
	testkit.Must(t, err)
	layout := string(raw)
	named := map[string]bool{}
	eachFile(t, func(dir, _ string, _ []string) {
		top, _, _ := strings.Cut(dir, "/")
		if !named[top] && !strings.Contains(layout, "\n"+top+"/") && !strings.Contains(layout, "; "+top+": ") {
			t.Errorf("the layout has no line for %s", top)
		}
		named[top] = true
	})
	if len(named) < 8 {
		t.Errorf("only %v were found", named)
	}
}
