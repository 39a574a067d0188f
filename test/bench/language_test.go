//go:build linux

package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// language is one server with the real sources that it is asked about.
type language struct {
	row, corpus string
	tree        string // what the sources are, of one of benchTrees
	program     string // that has to be installed
	file        string // is edited
	// what is appended to the file: one line with a type error, %d numbers it so that no text comes twice
	broken string
	// sign are the parts of the notification by which the server tells that the project is loaded; nil where it holds
	// its answers back until then.
	sign []string

	asked, used spotOf // a declaration that is asked about by its place, and a use of it in another file
	parent      spotOf // a type with implementations
	query       string // a name that is searched for
	files       int    // how many a project of BenchmarkCold has

	// everything makes the server alone analyse the whole workspace after an edit; nil if no single request does that.
	everything func(b *testing.B, p *pair) func(text) time.Duration
	// checker has the server alone run the checker that most of its errors come from, so that "no errors" is told
	// for its errors too, as lspi does; nil where the server finds them itself.
	checker func(b *testing.B, d *direct)
}

// spotOf is the place of word in a file, in the first line that has it behind before.
type spotOf struct{ file, before, word string }

var benchLanguages = []language{
	{
		row: "gopls", program: "gopls", corpus: "x-tools", file: "go/packages/packages.go",
		broken: "func broken%d() int { return \"x\" }\n",
		asked:  spotOf{"go/packages/packages.go", "func ", "Load("}, used: spotOf{"cmd/callgraph/main.go", "packages.",
			"Load("},
		parent: spotOf{"go/ssa/ssa.go", "type ", "Instruction interface"}, query: "Load", everything: allFolders,
	},
	{
		row: "clangd", program: "clangd", corpus: "leveldb", file: "db/db_impl.cc",
		broken: "int broken%d() { return \"x\"; }\n", sign: []string{"backgroundIndexProgress", `"kind":"end"`},
		asked:  spotOf{"include/leveldb/slice.h", "class ", "Slice {"},
		used:   spotOf{"db/db_impl.cc", "const ", "Slice& "},
		parent: spotOf{"include/leveldb/iterator.h", "class ", "Iterator {"}, query: "Slice",
	},
	{
		row: "rust-analyzer", program: "rust-analyzer", corpus: "regex-syntax", file: "src/hir/mod.rs",
		broken: "fn broken%d() -> i32 { \"x\" }\n", sign: []string{`"quiescent":true`},
		asked: spotOf{"src/hir/mod.rs", "pub struct ", "Hir "}, used: spotOf{"src/hir/visitor.rs", "hir: &", "Hir"},
		parent: spotOf{"src/hir/visitor.rs", "pub trait ", "Visitor "}, query: "Hir", everything: cargoCheck,
		checker: runCargoCheck,
	},
	{
		row: "typescript-language-server", program: "typescript-language-server", corpus: "zod",
		file:   "src/v4/core/schemas.ts",
		broken: "export const broken%d: number = \"x\";\n",
		asked:  spotOf{"src/v4/core/schemas.ts", "export interface ", "$ZodType<"},
		used:   spotOf{"src/v4/core/api.ts", "schemas.", "$ZodType"},
		parent: spotOf{"src/v4/core/schemas.ts", "export interface ", "$ZodType<"}, query: "$ZodType",
	},
	{
		row: "pyright", program: "pyright-langserver", corpus: "click", file: "click/core.py",
		broken: "broken%d: int = \"x\"\n", sign: []string{"source file"},
		asked: spotOf{"click/core.py", "class ", "Command("}, used: spotOf{"click/decorators.py", "import ", "Command"},
		query: "Command",
	},
}

// benchTrees are sources as people have them, in which only the rows of new symbols are measured: a module within
// another one, tests and benchmarks that no database lists, crates that use each other.
var benchTrees = []language{
	{
		row: "gopls", tree: "golang.org/x/tools with the module gopls in its folder", program: "gopls",
		corpus: "tree-tools", file: "go/packages/packages.go", broken: benchLanguages[0].broken,
		asked: benchLanguages[0].asked, used: benchLanguages[0].used,
	},
	{
		row: "clangd", tree: "leveldb from Debian, tests and benchmarks not in its database", program: "clangd",
		corpus: "tree-leveldb", file: "db/db_impl.cc", broken: benchLanguages[1].broken, sign: benchLanguages[1].sign,
		asked: spotOf{"include/leveldb/slice.h", "class LEVELDB_EXPORT ", "Slice {"}, used: benchLanguages[1].used,
	},
	{
		row: "rust-analyzer", tree: "the crates of ripgrep as one workspace", program: "rust-analyzer",
		corpus: "tree-ripgrep", file: "crates/ignore/src/walk.rs", broken: benchLanguages[2].broken,
		sign:  benchLanguages[2].sign,
		asked: spotOf{"crates/ignore/src/walk.rs", "pub struct ", "WalkBuilder "},
		used:  spotOf{"crates/ripgrep/crates/core/flags/hiargs.rs", "ignore::", "WalkBuilder"},
	},
}

// title is how outcomes and pages name it.
func (l language) title() string { return cmp.Or(l.tree, l.row) }

// place finds a spot in a copy of the sources.
func (s spotOf) place(b testing.TB, root string) place {
	b.Helper()
	return find(b, filepath.Join(root, s.file), s.before, s.word)
}

// copied copies the corpus into a folder of the benchmark, without what build tools and servers left in it.
func (l language) copied(b testing.TB) string {
	b.Helper()
	from, to := testkit.Corpus(b, l.corpus), filepath.Join(testkit.TempDir(b), l.corpus)
	testkit.Must(b, os.CopyFS(to, os.DirFS(from)))
	for _, left := range []string{".cache", "target"} {
		testkit.Must(b, os.RemoveAll(filepath.Join(to, left)))
	}
	database := filepath.Join(to, "compile_commands.json")
	if raw, err := os.ReadFile(database); err == nil { // its paths are absolute
		testkit.Must(b, os.WriteFile(database, bytes.ReplaceAll(raw, []byte(from), []byte(to)), 0o644))
	}
	return to
}

// text is the edited file at one moment.
type text struct {
	whole string
	bad   bool   // it has the error
	error string // the line with the error of this text, or the one that a clean text might get
	line  int    // where it stands or would stand, from 1
}

// texts returns one text after the other, alternately with and without an error. No error comes twice, so that no cache
// can have its diagnostics.
func (l language) texts(b testing.TB) func() text {
	raw, err := os.ReadFile(filepath.Join(testkit.Corpus(b, l.corpus), l.file))
	testkit.Must(b, err)
	clean, n := string(raw), 0
	return func() text {
		n++
		t := text{clean, n%2 == 1, fmt.Sprintf(l.broken, n), strings.Count(clean, "\n") + 1}
		if t.bad {
			t.whole += t.error
		}
		return t
	}
}

// told reports whether the diagnostics of a server are those of the text.
func (t text) told(items []problem) bool {
	return t.bad == slices.ContainsFunc(items, func(p problem) bool {
		return p.Severity == 1 && p.Range.Start.Line == t.line-1
	})
}

// fileProblems are the diagnostics of one file in an answer.
type fileProblems struct {
	FilePath    string `json:"file_path"`
	Diagnostics []struct {
		Severity string
		Line     int
	}
}

// in reports whether the error of the text is among them.
func (t text) in(file string, found []fileProblems) bool {
	for _, f := range found {
		for _, d := range f.Diagnostics {
			if f.FilePath == file && d.Severity == "error" && d.Line == t.line {
				return true
			}
		}
	}
	return false
}
