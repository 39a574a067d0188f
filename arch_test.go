package lspi

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

// allowed are the edges of the import graph (DESIGN.md, Layout): what each package may import of ours. Tests may import
// what they drive.
var allowed = map[string][]string{
	"contract":                            {},
	"tools/session":                       {"contract", "mcpclient", "internal/source", "internal/lang", "lsp", "lsp/edit", "router", "tools/recall"},
	"internal/source":                     {"contract"},
	"internal/events":                     {"contract", "internal/source"},
	"lsp/process":                         {"internal/source"},
	"lsp/wire":                            {},
	"lsp/watch":                           {"internal/source"},
	"lsp/edit":                            {"contract", "internal/source"},
	"internal/lang":                       {"internal/source"},
	"lang/compdb":                         {"internal/source"},
	"internal/lang/golang":                {"internal/lang", "internal/source"},
	"lang/python":                         {"internal/lang", "internal/source"},
	"internal/lang/typescript":            {"internal/lang", "internal/source"},
	"lang/cargo":                          {"internal/lang", "internal/source"},
	"tools/overlay":                       {"internal/source", "adapter", "contract", "internal/lang", "lsp", "lsp/spec"},
	"lsp/lsptest":                         {"lsp/wire"},
	"lsp/spec":                            {"internal/source"},
	"lsp/launch":                          {"contract", "internal/source", "internal/lang", "lsp/process", "lsp/spec", "lsp/watch"},
	"lsp":                                 {"contract", "internal/source", "internal/events", "internal/lang", "lsp/edit", "lsp/launch", "lsp/process", "lsp/spec", "lsp/watch", "lsp/wire"},
	"adapter":                             {"contract", "internal/source", "internal/lang", "internal/lang/golang", "lsp", "lsp/spec", "lsp/watch"},
	"router":                              {"contract", "internal/source", "lsp/spec", "lsp/launch", "lsp/watch", "lsp", "lsp/edit"},
	"tools/symbol":                        {"contract", "internal/lang", "lsp", "router", "internal/source"},
	"tools/answer":                        {"contract", "tools/session", "lsp", "lsp/edit", "lsp/process", "lsp/spec", "tools/symbol", "router", "internal/source"},
	"tools/audit":                         {"adapter", "tools/answer", "contract", "internal/source", "internal/lang", "lsp", "lsp/launch", "lsp/spec", "tools/symbol", "router", "tools/session"},
	"tools/ask":                           {"adapter", "tools/answer", "contract", "tools/audit", "internal/lang", "lsp", "lsp/launch", "lsp/spec", "tools/symbol", "router", "internal/source"},
	"tools/resolve":                       {"adapter", "tools/answer", "tools/ask", "contract", "tools/audit", "internal/source", "internal/lang", "lsp", "lsp/spec", "tools/symbol", "router"},
	"tools/outlines":                      {"contract", "internal/lang", "lsp", "tools/symbol", "tools/resolve", "internal/source"},
	"tools/diagnostics":                   {"tools/answer", "tools/ask", "contract", "tools/audit", "tools/git", "lsp", "lsp/edit", "lsp/launch", "lsp/spec", "tools/overlay", "router", "internal/source", "tools/session"},
	"tools/edits":                         {"adapter", "tools/answer", "contract", "tools/audit", "tools/diagnostics", "internal/lang", "lsp", "lsp/edit", "lsp/spec", "tools/symbol", "router", "internal/source", "tools/ask", "tools/overlay"},
	"tools/git":                           {"contract", "lsp/launch", "lsp/spec"},
	"tools":                               {"tools/session", "adapter", "tools/answer", "tools/ask", "tools/edits", "contract", "tools/audit", "tools/diagnostics", "internal/source", "tools/git", "internal/lang", "lsp", "lsp/edit", "lsp/launch", "lsp/spec", "tools/outlines", "tools/overlay", "tools/symbol", "tools/resolve", "router", "tools/requests"},
	"tools/requests":                      {"tools/answer", "contract", "tools/recall"},
	"mcpclient":                           {"contract", "lsp/process", "lsp/spec", "mcpclient/paths", "mcpclient/repair"},
	"mcpclient/paths":                     {},
	"mcpclient/repair":                    {},
	"mcpclient/mcptest":                   {}, // imported by tests only
	"cmd/lspi/internal/mcpserver/facade":  {"contract", "internal/events", "tools/session", "mcpclient", "mcpclient/repair"},
	"cmd/lspi/internal/mcpserver":         {"tools/session", "mcpclient", "cmd/lspi/internal/mcpserver/facade", "tools/answer", "tools/ask", "contract", "lsp", "router", "tools", "internal/events", "cmd/lspi/internal/mcpserver/shorten"},
	"cmd/lspi/internal/mcpserver/shorten": {},
	"adapter/clangd":                      {"adapter", "contract", "internal/source", "internal/lang", "lang/compdb", "lsp", "lsp/launch", "lsp/spec", "lsp/watch"},
	"adapter/gopls":                       {"adapter", "contract", "internal/source", "internal/lang", "internal/lang/golang", "lsp", "lsp/launch", "lsp/spec", "lsp/watch"},
	"adapter/pyright":                     {"adapter", "contract", "internal/source", "internal/lang", "lang/python", "lsp", "lsp/watch"},
	"adapter/rustanalyzer":                {"adapter", "contract", "internal/source", "internal/lang", "lang/cargo", "lsp", "lsp/launch", "lsp/spec", "lsp/watch", "lsp/wire"},
	"adapter/tsnative":                    {"adapter", "internal/source", "lsp", "lsp/launch"},
	"adapter/tsserver":                    {"adapter", "contract", "internal/source", "internal/lang", "internal/lang/typescript", "lsp", "lsp/spec", "lsp/watch"},
	"adapter/vue":                         {"adapter/tsserver", "lsp", "lsp/launch", "lsp/process", "lsp/spec", "lsp/wire", "internal/source"},
	"lang/dependencies":                   {"internal/source", "lang/cargo", "internal/lang/golang"},
	"internal/testkit/scripted":           {"internal/testkit", "lsp", "lsp/lsptest", "lsp/spec", "lsp/watch", "internal/source"}, // imported by tests only
	"test/proofs":                         {},
	"test/compare":                        {"contract", "internal/source", "lsp/wire", "router", "tools"},
	"test/faults":                         {"contract", "internal/source", "lsp/lsptest", "lsp/watch", "router", "tools"},
	"test/bench":                          {"contract", "internal/source", "lsp/wire", "router", "tools"},
	"test/soak":                           {"internal/testkit"},
	"test/hosts":                          {"tools"},
	"internal/house":                      {},
	"internal/testkit":                    {"contract"},                                                                                               // imported by tests and by soak only
	"tools/toolstest":                     {"catalogue", "internal/source", "internal/testkit", "lsp/lsptest", "lsp/spec", "router", "tools/session"}, // imported by tests only
	"tools/recall":                        {"tools/recall/jsonl"},
	"tools/recall/jsonl":                  {},
	"scripts/house":                       {"internal/house"},
	"scripts/packages":                    {},
	"cmd/lspi":                            {"tools/session", "mcpclient", "tools/answer", "lsp/launch", "lsp/spec", "cmd/lspi/internal/mcpserver", "contract", "internal/source", "router", "tools", "cmd/lspi/internal/config", "cmd/lspi/internal/reload", "cmd/lspi/internal/doctor", "cmd/lspi/internal/setup", "cmd/lspi/internal/folders", "cmd/lspi/internal/trust", "cmd/lspi/internal/stdio", "cmd/lspi/internal/daemon", "cmd/lspi/internal/httpdoor", "cmd/lspi/internal/install", "catalogue", "lsp/edit", "internal/events"},
	"cmd/lspi/internal/config":            {"tools/session", "tools/recall", "contract", "internal/lang", "lsp", "lsp/launch", "lsp/spec", "internal/source", "router", "cmd/lspi/internal/folders", "cmd/lspi/internal/trust"},
	"cmd/lspi/internal/folders":           {"internal/source"},
	"cmd/lspi/internal/trust":             {"contract", "internal/source", "cmd/lspi/internal/folders"},
	"cmd/lspi/internal/doctor":            {"adapter", "mcpclient", "tools/session", "cmd/lspi/internal/setup", "contract", "lsp", "lsp/launch", "lsp/spec", "internal/source", "lsp/watch", "router", "tools", "cmd/lspi/internal/config", "cmd/lspi/internal/trust", "catalogue"},
	"cmd/lspi/internal/reload":            {},
	"cmd/lspi/internal/setup":             {"contract", "internal/source", "cmd/lspi/internal/folders"},
	"cmd/lspi/internal/gen":               {"tools/answer", "contract", "cmd/lspi/internal/doctor", "lsp/launch", "tools", "cmd/lspi/internal/config", "cmd/lspi/internal/setup", "catalogue"},
	"cmd/lspi/internal/demo":              {},
	"cmd/lspi/internal/install":           {"catalogue", "internal/source"},
	"cmd/lspi/internal/fakels":            {"lsp/lsptest"},
	"cmd/lspi/internal/stdio":             {"contract"},
	"cmd/lspi/internal/daemon":            {"contract", "cmd/lspi/internal/folders", "cmd/lspi/internal/handover", "internal/source"},
	"cmd/lspi/internal/handover":          {},
	"cmd/lspi/internal/httpdoor":          {},
	"catalogue":                           {"adapter", "adapter/clangd", "adapter/gopls", "adapter/pyright", "adapter/rustanalyzer", "adapter/tsnative", "adapter/tsserver", "adapter/vue", "internal/source", "internal/lang", "lang/cargo", "lang/dependencies", "internal/lang/golang", "internal/lang/typescript", "lsp", "lsp/spec"},
}

// protocols says who may know a protocol's library.
var protocols = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"cmd/lspi/internal/mcpserver", "cmd/lspi/internal/mcpserver/facade", "mcpclient", "mcpclient/repair", "cmd/lspi/internal/stdio", "cmd/lspi/internal/demo", "cmd/lspi/internal/doctor", "test/bench", "test/compare", "test/soak"},
	"go.lsp.dev/protocol":                    {"internal/source", "lsp", "lsp/wire", "lsp/edit", "lsp/lsptest", "adapter/clangd", "adapter/gopls", "adapter/rustanalyzer", "adapter/tsserver", "test/bench", "test/compare"},
	"go.lsp.dev/jsonrpc2":                    {"lsp/wire", "lsp/lsptest"},
}

func TestImportEdges(t *testing.T) {
	eachFile(t, func(dir, path string, imports []string) {
		edges, known := allowed[dir]
		if !known {
			t.Errorf("%s: package %s is not in the layout", path, dir)
		}
		for _, imp := range imports {
			if ours, ok := strings.CutPrefix(imp, "lspi/"); ok && !slices.Contains(edges, ours) {
				t.Errorf("%s imports %s", path, imp)
			}
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
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "." {
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

// stray are calls that have their one place: output belongs to MCP, exits to main, and nothing waits blind.
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
var pathOf = regexp.MustCompile("`([\\w./-]+(?:/[\\w<>.-]+)+|[\\w-]+\\.(?:go|md|toml))`")

// README and the pages of docs name files that are there: a file below a folder of the repository exists, and in the page of changes
// every path does. Where a path has a placeholder, the folder before it is meant.
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
			if page != "docs/changes.md" && (!exists(top) || filepath.Ext(path) == "") { // such as the method tools/call
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
	if len(named) < 10 {
		t.Errorf("only %v were found", named)
	}
}
