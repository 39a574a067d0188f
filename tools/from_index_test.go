//go:build unix

package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/index"
	"lspi/tools/index/indextest"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

const (
	indexedCart = "package m\n\n// Cart holds items.\ntype Cart struct{ total int }\n\n" +
		"func (c *Cart) Add(n int) int {\n\ts := \"𝛼𝛽\"; c.total += n; return len(s)\n}\n"
	indexedUse = "package m\n\nfunc use() int {\n\t/* 𝛼 */ c := &Cart{}\n\treturn c.Add(1) + c.Add(2)\n}\n"

	cartType, cartAdd, cartTotal = "scip-go gomod m . m/Cart#", "scip-go gomod m . m/Cart#Add().",
		"scip-go gomod m . m/Cart#total."
	useFunc, localC = "scip-go gomod m . m/use().", "local 0"
)

// cartIndex is an index of cart.go and use.go.
func cartIndex(tool string, enc scip.PositionEncoding) *scip.Index {
	const def = scip.SymbolRole_Definition
	info := func(sym, name, signature string, kind scip.SymbolInformation_Kind) *scip.SymbolInformation {
		return &scip.SymbolInformation{Symbol: sym, DisplayName: name, Kind: kind, Documentation: []string{"Of " + name + "."},
			SignatureDocumentation: &scip.Signature{Language: "go", Text: signature}}
	}
	adder := info(cartAdd, "Add", "func (c *Cart) Add(n int) int", scip.SymbolInformation_Method)
	adder.Relationships = []*scip.Relationship{{Symbol: cartType, IsImplementation: true}} // as far as this test cares
	return indextest.Index(tool, enc,
		indextest.Document{Path: "cart.go", Text: indexedCart, Occurrences: []indextest.Occurrence{
			{Symbol: "scip-go gomod m . m/", Roles: def, At: []int32{0, 8, 8}}, // as scip-python has modules
			{Symbol: cartType, Word: "Cart", N: 1, Roles: def}, {Symbol: cartTotal, Word: "total", Roles: def},
			{Symbol: cartType, Word: "Cart", N: 2}, {Symbol: cartAdd, Word: "Add", Roles: def},
			{Symbol: cartTotal, Word: "total", N: 1},
		}, Symbols: []*scip.SymbolInformation{adder,
			info(cartType, "Cart", "type Cart struct", scip.SymbolInformation_Struct),
			info(cartTotal, "total", "total int", scip.SymbolInformation_Field)}},
		indextest.Document{Path: "use.go", Text: indexedUse, Occurrences: []indextest.Occurrence{
			{Symbol: "scip-go gomod m . m/use/", Roles: def, At: []int32{0, 0, 6, 0}}, // as rust-analyzer has modules
			{Symbol: useFunc, Word: "use", Roles: def}, {Symbol: cartType, Word: "Cart"},
			{Symbol: localC, Roles: def, At: []int32{3, columnOf(enc, 9, 10), columnOf(enc, 10, 11)}},
			{Symbol: localC, At: []int32{4, 8, 9}}, {Symbol: localC, At: []int32{4, 19, 20}},
			{Symbol: cartAdd, Word: "Add"}, {Symbol: cartAdd, Word: "Add", N: 1},
		}, Symbols: []*scip.SymbolInformation{info(useFunc, "use", "func use() int", scip.SymbolInformation_Function),
			{Symbol: localC, DisplayName: "c"}}})
}

// columnOf is a column behind one character beyond U+FFFF, by the units of an encoding.
func columnOf(enc scip.PositionEncoding, utf32, utf16 int32) int32 {
	switch enc {
	case scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart:
		return utf32 + 3
	case scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart:
		return utf32
	}
	return utf16
}

// indexedProject is a repository with an index of its commit, and a session whose server is not there.
type indexedProject struct {
	*session.Session
	t    *testing.T
	root string
}

func newIndexed(t *testing.T, x *scip.Index, change ...func([]spec.Spec)) *indexedProject {
	p := &indexedProject{t: t, root: project(t, map[string]string{"go.mod": "module m\n", "cart.go": indexedCart,
		"use.go": indexedUse, "README.md": "Cart and Add.\n", ".gitignore": index.Name + "*\n"})}
	testkit.Must(t, os.RemoveAll(filepath.Join(p.root, ".git")))
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "one")
	indextest.Write(t, filepath.Join(p.root, index.Name), x)
	p.write(index.Name+index.CommitSuffix, p.git("rev-parse", "HEAD"))
	specs := toolstest.Catalogue("gopls")
	specs[0].Commands = []spec.Command{{Name: "lspi-test-no-such-program"}}
	for _, f := range change {
		f(specs)
	}
	p.Session = toolstest.Open(t, p.root, specs...)
	p.Settings.Index.Cache = testkit.TempDir(t)
	return p
}

func (p *indexedProject) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = p.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *indexedProject) write(rel, text string) {
	testkit.Write(p.t, filepath.Join(p.root, rel), text)
}

// commit commits all files, and makes the index in a folder one of that commit.
func (p *indexedProject) commit(folder string) {
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "more")
	p.write(folder+index.Name+index.CommitSuffix, p.git("rev-parse", "HEAD"))
}

// says is what an answer claims, its warnings with their reasons, and its places.
func (p *indexedProject) says(tool string, arguments map[string]any) string {
	p.t.Helper()
	a := run(p.t, p.Session, tool, arguments)
	if e, ok := a["error"].(map[string]any); ok {
		reason := e["data"].(map[string]any)["lspi_error"].(map[string]any)
		return fmt.Sprint(reason["kind"], ": ", e["message"])
	}
	out := fmt.Sprint(a["completeness"])
	for _, w := range a["warnings"].([]any) {
		w := w.(map[string]any)
		out += fmt.Sprint(" ", w["kind"])
		if w["reason"] != nil {
			out += fmt.Sprint("(", w["reason"], ")")
		}
		if w["kind"] == "from_index" {
			out += fmt.Sprint("(", w["error"], " ", w["changed_files"], ")")
		}
	}
	files, _ := a["files"].([]any)
	for _, f := range files {
		f := f.(map[string]any)
		for _, list := range []string{"references", "implementations"} {
			places, _ := f[list].([]any)
			for _, place := range places {
				where, _, _ := strings.Cut(place.(string), " ")
				out += fmt.Sprint(" ", f["file_path"], ":", where)
			}
		}
	}
	return out
}

var encodings = []scip.PositionEncoding{scip.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
	scip.PositionEncoding_UTF16CodeUnitOffsetFromLineStart, scip.PositionEncoding_UTF32CodeUnitOffsetFromLineStart}

const whole = "complete from_index(server_not_installed 0)"

// Each tool that reads answers from the index of the commit that is checked out, in each encoding.
func TestFromIndex(t *testing.T) {
	for _, enc := range encodings {
		t.Run(enc.String(), func(t *testing.T) {
			t.Parallel()
			p := newIndexed(t, cartIndex("scip-test", enc))
			add := " cart.go:6:16 use.go:5:11 use.go:5:22"
			for _, target := range []map[string]any{{"symbol_name": "Cart.Add"}, {"symbol_name": "Add"},
				{"file_path": "cart.go", "symbol_name": "Add"}, {"file_path": "use.go", "symbol_name": "Add"},
				{"file_path": "use.go", "line": 5, "character": 23},
				{"file_path": "cart.go", "line": 6, "symbol_name": "Add"}} {
				got := p.says("find_references", target)
				for _, place := range strings.Fields(add) { // in another order where another file was asked about
					testkit.Holds(t, got, place, fmt.Sprint(target))
				}
				testkit.Equal(t, len(got), len(whole+add), got)
				testkit.Holds(t, got, whole, fmt.Sprint(target))
			}
			// Behind characters beyond U+FFFF.
			testkit.Equal(t, p.says("find_references", map[string]any{"symbol_name": "total"}),
				whole+" cart.go:4:19 cart.go:7:15")
			testkit.Equal(t, p.says("find_references", map[string]any{"file_path": "use.go", "line": 4, "character": 10,
				"include_declaration": true}), whole+" use.go:4:10 use.go:5:9 use.go:5:20")
			testkit.Equal(t, p.says("find_references", map[string]any{"symbol_name": "Cart",
				"include_declaration": false}), whole+" cart.go:6:10 use.go:4:16")

			testkit.Equal(t, p.says("find_references", map[string]any{"file_path": "use.go", "symbol_name": "use"}),
				whole+" use.go:3:6")
			testkit.Holds(t, p.says("find_references", map[string]any{"file_path": "cart.go", "line": 1, "character": 9}),
				"server_not_installed", "no symbol of the index stands there")
			a := run(t, p.Session, "find_definition", map[string]any{"file_path": "use.go", "line": 5, "character": 11})
			testkit.Equal(t, whereOrWhy(a)+" "+kinds(a), "cart.go:6 from_index")
			a = run(t, p.Session, "hover", map[string]any{"symbol_name": "Cart.Add"})
			testkit.Equal(t, fmt.Sprint(a["symbol"], "; ", a["kind"], "; ", a["signature"], "; ", a["documentation"]),
				"Cart.Add; method; func (c *Cart) Add(n int) int; Of Add.")
			a = run(t, p.Session, "get_document_symbols", map[string]any{"file_path": "cart.go"})
			testkit.Equal(t, fmt.Sprint(a["total"], a["symbols"], kinds(a)),
				"3 [4 struct Cart  4 field total  6 method Add]from_index")
			a = run(t, p.Session, "search_workspace_symbols", map[string]any{"query": "ad"})
			testkit.Equal(t, fmt.Sprint(a["completeness"], a["symbols"]),
				"complete[cart.go:6 method Cart.Add: func (c *Cart) Add(n int) int]")
			testkit.Equal(t, p.says("find_implementations", map[string]any{"symbol_name": "Cart"}),
				"partial index_unproven(not_checked) from_index(server_not_installed 0) cart.go:6:16")
			testkit.Holds(t, p.says("find_references", map[string]any{"symbol_name": "none"}), "server_not_installed",
				"an unknown name")
		})
	}
}

// Nothing but the very commit makes an answer complete, and no place is given that is not on disk.
func TestFromIndexOfAnotherState(t *testing.T) {
	references := map[string]any{"symbol_name": "Cart.Add"}
	const from = " from_index(server_not_installed "
	for name, c := range map[string]struct {
		change func(p *indexedProject)
		want   string
	}{
		"another file is changed": {func(p *indexedProject) { p.write("README.md", "Cart.\n") },
			"partial index_unproven(changed)" + from + "1) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"a new file": {func(p *indexedProject) { p.write("new.go", "package m\n") },
			"partial index_unproven(changed)" + from + "1) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"the uses have moved": {func(p *indexedProject) { p.write("use.go", "package m\n\n"+indexedUse[10:]) },
			"partial index_unproven(changed) stale_dropped" + from + "1) cart.go:6:16"},
		"the file is gone": {func(p *indexedProject) { testkit.Must(p.t, os.Remove(filepath.Join(p.root, "use.go"))) },
			"partial index_unproven(changed) stale_dropped" + from + "1) cart.go:6:16"},
		"another commit": {func(p *indexedProject) { p.git("commit", "-q", "--allow-empty", "-m", "two") },
			"partial index_unproven(another_commit)" + from + "0) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"a commit of elsewhere": {func(p *indexedProject) {
			p.write(index.Name+index.CommitSuffix, strings.Repeat("ab", 20))
		}, "partial index_unproven(commit_not_found)" + from + "<nil>) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"no commit": {func(p *indexedProject) {
			testkit.Must(p.t, os.Remove(filepath.Join(p.root, index.Name+index.CommitSuffix)))
		}, "partial index_unproven(commit_unknown)" + from + "<nil>) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"a file that is not in the index": {func(p *indexedProject) {
			p.write("more.go", "package m\n\nvar _ = (*Cart).Add\n")
			p.commit("")
		}, "partial index_unproven(not_in_index)" + from + "0) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"an ignored file that is not in the index": {func(p *indexedProject) {
			p.write(".git/info/exclude", "more.go\n")
			p.write("more.go", "package m\n\nvar _ = (*Cart).Add\n")
		}, "partial index_unproven(not_in_index)" + from + "0) cart.go:6:16 use.go:5:11 use.go:5:22"},
		"git does not look": {func(p *indexedProject) {
			p.git("update-index", "--assume-unchanged", "use.go")
			p.write("use.go", indexedUse+"// more\n")
		}, "partial index_unproven(not_tracked)" + from + "0) cart.go:6:16 use.go:5:11 use.go:5:22"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIndexed(t, cartIndex("scip-test", encodings[0]))
			c.change(p)
			testkit.Equal(t, p.says("find_references", references), c.want)
		})
	}
}

// A place in code that holds the name and of which the index says nothing is no use that it has looked at.
func TestFromIndexWithUnknownUses(t *testing.T) {
	x := cartIndex("scip-test", encodings[1])
	use := x.Documents[1]
	use.Occurrences = use.Occurrences[:len(use.Occurrences)-1]
	testkit.Equal(t, newIndexed(t, x).says("find_references", map[string]any{"symbol_name": "Add"}),
		"partial index_unproven(not_indexed) from_index(server_not_installed 0) cart.go:6:16 use.go:5:11")
}

// Uses of what no word names cannot be looked for.
func TestFromIndexWithoutAWord(t *testing.T) {
	x := cartIndex("scip-test", encodings[0])
	for _, d := range x.Documents {
		for _, o := range d.Occurrences {
			if o.Symbol == cartAdd {
				o.Symbol = "scip-go gomod m . m/Cart#`operator+`()."
			}
		}
	}
	testkit.Equal(t, newIndexed(t, x).says("find_references", map[string]any{"file_path": "use.go", "line": 5,
		"character": 11}), "partial index_unproven(not_checked) from_index(server_not_installed 0) use.go:5:11 "+
		"use.go:5:22 cart.go:6:16")
}

// Folders that are not looked through may have places, too, and git does not tell their changes.
func TestFromIndexOfBuiltFolder(t *testing.T) {
	x := cartIndex("scip-test", encodings[0])
	x.Documents[1].RelativePath = "target/use.go"
	p := newIndexed(t, x, func(specs []spec.Spec) { specs[0].SkipDirs = []string{"target"} })
	testkit.Must(t, os.Mkdir(filepath.Join(p.root, "target"), 0o700))
	testkit.Must(t, os.Rename(filepath.Join(p.root, "use.go"), filepath.Join(p.root, "target/use.go")))
	p.write(".gitignore", index.Name+"*\ntarget/\n")
	p.commit("")
	testkit.Equal(t, p.says("find_references", map[string]any{"symbol_name": "Cart.Add"}),
		"partial index_unproven(not_tracked) from_index(server_not_installed 0) cart.go:6:16 target/use.go:5:11 "+
			"target/use.go:5:22")
}

// A search is of the whole workspace, an index perhaps of one project in it.
func TestFromIndexOfOneProject(t *testing.T) {
	p := newIndexed(t, cartIndex("scip-test", encodings[0]))
	testkit.Must(t, os.Mkdir(filepath.Join(p.root, "m"), 0o700))
	for _, name := range []string{"go.mod", "cart.go", "use.go", index.Name, index.Name + index.CommitSuffix} {
		testkit.Must(t, os.Rename(filepath.Join(p.root, name), filepath.Join(p.root, "m", name)))
	}
	p.commit("m/")
	search := map[string]any{"query": "ad"}
	testkit.Equal(t, p.says("search_workspace_symbols", search), whole)
	p.write("n/more.go", "package n\n\nfunc Adder() {}\n")
	p.commit("m/")
	testkit.Equal(t, p.says("search_workspace_symbols", search),
		"partial index_unproven(not_in_index) from_index(server_not_installed 0)")
}

// The reason why no server answers decides whether an index may.
func TestFromIndexWhile(t *testing.T) {
	references := map[string]any{"file_path": "use.go", "line": 5, "character": 11}
	loading := playing(on("initialized", work("begin")), on(lsp.MethodReferences, none))[0]
	loaded := playing(on("initialized", work("begin"), work("end")))[0]
	for name, c := range map[string]struct {
		script *lsptest.Script
		want   string
	}{
		"it does not start": {&lsptest.Script{OnStart: []lsptest.Action{{Exit: new(int)}}}, "complete from_index(server_start_failed 0)"},
		"it loads":          {loading, "complete from_index(still_indexing 0)"},
		"a server answers":  {loaded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIndexed(t, cartIndex("scip-test", encodings[0]), func(specs []spec.Spec) {
				c.script.Language = "words"
				specs[0] = toolstest.Scripted("fake", lsptest.NewProgram(t, c.script), func(s *spec.Spec) {
					s.Languages = []spec.Language{{ID: "go", Extensions: []string{"go"}}}
				})
				indexes(50 * time.Millisecond)(specs)
			})
			got := p.says("find_references", references)
			if from := strings.Contains(got, "from_index"); from != (c.want != "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// An index that is not used is told with the error, by its tool.
func TestFromIndexRefused(t *testing.T) {
	p := newIndexed(t, cartIndex("scip-odd", scip.PositionEncoding_UnspecifiedPositionEncoding))
	testkit.Holds(t, p.says("find_references", map[string]any{"symbol_name": "Add"}),
		"index.scip is not used: the index of scip-odd does not say in which units it counts columns", "refused")
}

// The configuration names the index of another repository, which answers what no server here knows.
func TestFromIndexOfAnotherRepository(t *testing.T) {
	other := newIndexed(t, cartIndex("scip-test", encodings[0]))
	here := toolstest.Open(t, project(t, map[string]string{"a.w": "def alpha\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`))
	here.Settings.Index = session.Index{Cache: testkit.TempDir(t),
		Files: []string{filepath.Join(other.root, index.Name)}}
	p := &indexedProject{Session: here, t: t}
	got := p.says("find_references", map[string]any{"symbol_name": "Cart.Add"})
	testkit.Holds(t, got, "partial index_unproven(not_checked) from_index(symbol_not_found 0)", "another repository")
	testkit.Holds(t, got, filepath.Join(other.root, "use.go")+":5:22", "another repository")
	// What servers here know is theirs to say.
	if got := p.says("find_references", map[string]any{"symbol_name": "alpha"}); strings.Contains(got, "from_index") {
		t.Errorf("%s: %s", "a symbol of here", got)
	}
}

// What a server has found so far is held against what the index has (indexed.longer).
var _ = []interface {
	Size() int
	Places() []string
}{(*findReferencesOut)(nil), (*findImplementationsOut)(nil), (*searchWorkspaceSymbolsOut)(nil)}
