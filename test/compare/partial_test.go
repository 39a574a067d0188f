package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/tools/toolstest"
)

// measuredProject is a repository about which TestPartial asks, with every known server that is installed, as a user
// would have it.
type measuredProject struct {
	name, corpus, program string
	extensions            []string
	prepare               func(t testing.TB, root string) // changes the copy to what a user may have; may be nil
	// whole changes another copy so that no server leaves out a file; nil where that is not known to be possible.
	// Answers that are complete without it have to be the same with it.
	whole func(t testing.TB, root string)
}

var workspaces = []measuredProject{
	{"cobra", "cobra", "gopls", []string{"go"}, nil, nil},
	{"click", "click", "pyright-langserver", []string{"py"}, nil, nil},
	{"x-tools", "x-tools", "gopls", []string{"go"}, nil, withProjects},
	{"leveldb", "leveldb", "clangd", []string{"cc", "h"}, nil, nil},
	{"leveldb, tests not built", "leveldb", "clangd", []string{"cc", "h"}, withoutTests, func(testing.TB, string) {}},
	{"regex-syntax", "regex-syntax", "rust-analyzer", []string{"rs"}, nil, nil},
	{"zod", "zod", "typescript-language-server", []string{"ts"}, nil, nil},
}

// smallSample is the number of questions that are always asked, of the first two workspaces.
const smallSample = 21

// asks are the questions of the measurement: what of a place becomes the arguments.
var asks = []struct {
	name, tool string
	arguments  func(root string, s spot) map[string]any
}{
	{"definition", "find_definition", func(root string, s spot) map[string]any { return s.at(root) }},
	{"references", "find_references", func(root string, s spot) map[string]any { return with(s.at(root), everything) }},
	{"hover", "hover", func(root string, s spot) map[string]any { return s.at(root) }},
	{"outline", "get_document_symbols", func(root string, s spot) map[string]any {
		return map[string]any{"file_path": s.at(root)["file_path"], "max_total_chars": 2_000_000}
	}},
	{"callers", "call_hierarchy", func(root string, s spot) map[string]any {
		return with(s.at(root), map[string]any{"max_breadth": maxBreadth, "max_total_chars": 2_000_000})
	}},
	{"implementations", "find_implementations", func(root string, s spot) map[string]any {
		return with(s.at(root), everything)
	}},
	{"search", "search_workspace_symbols", func(_ string, s spot) map[string]any {
		match := "fuzzy"
		if (s.line+s.column)%2 == 0 {
			match = "exact"
		}
		return map[string]any{"query": s.word, "match": match, "max_results": 200, "max_total_chars": 2_000_000}
	}},
}

// tally counts the answers to one kind of question.
type tally struct {
	complete, partial, unknown, refused int

	kinds map[string]int // the warnings of partial and unknown answers, by kind
}

// TestPartial measures how many answers are not complete, and checks that each of these says why, with a file and a
// line. LSPI_PARTIAL=500 asks that many questions of all repositories and prints the table; LSPI_PARTIAL_LOG names a
// file that receives each question with its completeness, to compare two versions of lspi (TestPartialTable).
func TestPartial(t *testing.T) {
	n := number(t, "LSPI_PARTIAL", 0)
	for i, w := range workspaces {
		t.Run(w.name, func(t *testing.T) {
			if n == 0 && i >= 2 {
				t.Skip("LSPI_PARTIAL=500 measures this one")
			}
			if n == 0 {
				testkit.Always(t, w.name, "cobra")
			}
			testkit.Need(t, w.program)
			root := w.copy(t, w.prepare)
			spots := identifiers(t, sample(t, root, w.extensions, max(n, smallSample)*5/2,
				uint64(number(t, "LSPI_COMPARE_SEED", 1))))
			if n == 0 {
				spots = spots[:smallSample]
			}
			s := openAll(t, root)
			var whole *compared
			if w.whole != nil {
				whole = openAll(t, w.copy(t, w.whole))
			}
			rest := measure(t, s, whole, spots[:min(len(spots), max(n, smallSample))])
			if n == 0 && rest > 0 { // nothing that matters is missing in these, and their servers are all there
				t.Errorf("%d answers are not complete, and not for a limit or for code that the server cannot resolve",
					rest)
			}
		})
	}
}

// identifiers leaves out what names nothing: keywords, words in texts and comments, those of Python too.
func identifiers(t testing.TB, spots []spot) []spot {
	texts := sources{}
	return slices.DeleteFunc(spots, func(s spot) bool {
		if s.class == "keyword" || s.class == "text" {
			return true
		}
		if filepath.Ext(s.path) != ".py" {
			return false
		}
		lines := texts.get(t, s.path).lines
		before := string([]rune(lines[s.line-1])[:s.column-1])
		above := strings.Join(lines[:s.line-1], "\n") + "\n" + before
		return strings.Count(above, `"""`)%2 == 1 || strings.Contains(before, "#") ||
			slices.Contains(pythonKeywords, s.word)
	})
}

var pythonKeywords = []string{"def", "in", "not", "and", "or", "is", "if", "elif", "else", "for", "while", "try",
	"except", "with", "as",
	"from", "import", "return", "raise", "pass", "None", "True", "False", "lambda", "del", "global", "yield", "finally"}

// copy is the repository in a folder of the test's own.
func (w measuredProject) copy(t testing.TB, prepare func(t testing.TB, root string)) string {
	t.Helper()
	from, to := testkit.Corpus(t, w.corpus), filepath.Join(t.TempDir(), w.corpus)
	testkit.Must(t, os.CopyFS(to, os.DirFS(from)))
	database := filepath.Join(to, "compile_commands.json")
	if raw, err := os.ReadFile(database); err == nil {
		testkit.Must(t, os.WriteFile(database, bytes.ReplaceAll(raw, []byte(from), []byte(to)), 0o644))
	}
	if prepare != nil {
		prepare(t, to)
	}
	return to
}

// withoutTests takes the tests and benchmarks out of the compilation database, as a build without them leaves them out.
func withoutTests(t testing.TB, root string) {
	t.Helper()
	database := filepath.Join(root, "compile_commands.json")
	raw, err := os.ReadFile(database)
	testkit.Must(t, err)
	var entries []map[string]any
	testkit.Must(t, json.Unmarshal(raw, &entries))
	entries = slices.DeleteFunc(entries, func(e map[string]any) bool {
		file := fmt.Sprint(e["file"])
		return strings.Contains(file, "_test.") || strings.Contains(file, "bench")
	})
	if raw, err = json.Marshal(entries); err == nil {
		err = os.WriteFile(database, raw, 0o644)
	}
	testkit.Must(t, err)
}

// withProjects has a project for the JavaScript and the C beside the Go of x-tools.
func withProjects(t testing.TB, root string) {
	t.Helper()
	entries := []map[string]any{}
	err := filepath.WalkDir(root, func(file string, _ os.DirEntry, err error) error {
		if filepath.Ext(file) == ".c" {
			entries = append(entries, map[string]any{"directory": filepath.Dir(file), "file": file,
				"arguments": []string{"cc", "-c", file}})
		}
		return err
	})
	testkit.Must(t, err)
	raw, err := json.Marshal(entries)
	testkit.Must(t, err)
	for name, text := range map[string][]byte{"jsconfig.json": []byte("{}"), "compile_commands.json": raw} {
		testkit.Must(t, os.WriteFile(filepath.Join(root, name), text, 0o644))
	}
}

// openAll is a session with the whole catalogue.
func openAll(t testing.TB, root string) *compared {
	t.Helper()
	return &compared{root: root, session: toolstest.Open(t, root, servers.Servers()...)}
}

// plain are the reasons that are clear without a file: a limit that the answer reached, or what the asked file
// itself says.
var plain = []string{"truncated", "server_limit", "unresolved_name"}

// measure asks, prints the table, and returns how many answers are not complete for other reasons than plain ones.
func measure(t *testing.T, s, whole *compared, spots []spot) (rest int) {
	tallies := make([]tally, len(asks))
	s.loaded(t, "find_references", spots[0].at(s.root))
	for n, at := range spots {
		i := n % len(asks)
		arguments := asks[i].arguments(s.root, at)
		e := s.decided(t, asks[i].tool, arguments, s.loaded(t, asks[i].tool, arguments))
		tallies[i].count(e)
		record(t, s, asks[i].tool, arguments, e)
		if whole != nil && e.Completeness == "complete" && !slices.Contains(ofOneFile, asks[i].tool) {
			all := whole.decided(t, asks[i].tool, arguments, whole.loaded(t, asks[i].tool, arguments))
			got := found(t, asks[i].tool, e)
			// Which declarations in system headers clangd 22.1.8 tells depends on what it indexed of them.
			lacks := slices.DeleteFunc(found(t, asks[i].tool, all), func(item string) bool {
				return slices.Contains(got, item) || filepath.IsAbs(item)
			})
			if len(lacks) > 0 {
				t.Errorf("%s of %q at %s:%d:%d is called complete, and lacks %q", asks[i].name, at.word, at.path,
					at.line, at.column, lacks)
			}
		}
		if e.Completeness == "partial" || e.Completeness == "unknown" {
			if slices.ContainsFunc(e.Warnings, func(w warning) bool { return !slices.Contains(plain, w.Kind) }) {
				rest++
			}
			explained(t, asks[i].name, at, e)
		}
	}
	t.Log(table(tallies))
	return rest
}

// ofOneFile are the tools whose answers other files do not change.
var ofOneFile = []string{"find_definition", "hover", "get_document_symbols"}

// found is what an answer found: of a search the names, of everything else the files and lines. Which of two
// symbols that share a place, or an identity, clangd 22.1.8 tells differs from one process to the next.
func found(t testing.TB, tool string, e envelope) []string {
	t.Helper()
	var answer map[string]any
	e.decode(t, &answer)
	seen := map[string]bool{}
	var walk func(v any, file string)
	walk = func(v any, file string) {
		switch v := v.(type) {
		case map[string]any:
			if v["symbol"] == "main" {
				return // of each program of a project clangd 22.1.8 knows one for all
			}
			if path, ok := v["file_path"].(string); ok {
				file = path
			}
			if line, ok := v["line"].(float64); ok {
				seen[fmt.Sprintf("%s:%v", file, line)] = true
			}
			for _, n := range testkit.Nodes(t, v["incoming"]) {
				if bare(n.Symbol) != "main" {
					seen[fmt.Sprintf("%s:%d", n.Path, n.Line)] = true
				}
			}
			for _, field := range []string{"files", "references", "implementations", "symbols"} {
				walk(v[field], file)
			}
		case []any:
			for _, item := range v {
				if text, ok := item.(string); ok && tool == "search_workspace_symbols" {
					name, _, _ := strings.Cut(strings.SplitN(text, " ", 3)[2], ": ")
					seen[name] = true
				} else if ok {
					seen[file+":"+text] = true
				}
				walk(item, file)
			}
		}
	}
	walk(answer, "")
	return slices.Sorted(maps.Keys(seen))
}

func (c *tally) count(e envelope) {
	switch {
	case !e.OK:
		c.refused++
		return
	case e.Completeness == "complete":
		c.complete++
		return
	case e.Completeness == "partial":
		c.partial++
	default:
		c.unknown++
	}
	if c.kinds == nil {
		c.kinds = map[string]int{}
	}
	seen := map[string]bool{}
	for _, w := range e.Warnings {
		if !seen[w.Kind] {
			seen[w.Kind] = true
			c.kinds[w.Kind]++
		}
	}
}

// table is one line for each kind of question, and one for all.
func table(tallies []tally) string {
	var b strings.Builder
	var all tally
	fmt.Fprintf(&b, "\n%-16s %6s %9s %8s %8s %8s  %s\n", "question", "asked", "complete", "partial", "unknown",
		"refused", "warnings")
	line := func(name string, c tally) {
		var kinds []string
		for kind, n := range c.kinds {
			kinds = append(kinds, fmt.Sprintf("%s %d", kind, n))
		}
		slices.Sort(kinds)
		fmt.Fprintf(&b, "%-16s %6d %9d %8d %8d %8d  %s\n", name, c.complete+c.partial+c.unknown+c.refused, c.complete,
			c.partial,
			c.unknown, c.refused, strings.Join(kinds, ", "))
	}
	for i, c := range tallies {
		line(asks[i].name, c)
		all.complete, all.partial = all.complete+c.complete, all.partial+c.partial
		all.unknown, all.refused = all.unknown+c.unknown, all.refused+c.refused
	}
	all.kinds = map[string]int{}
	for _, c := range tallies {
		for kind, n := range c.kinds {
			all.kinds[kind] += n
		}
	}
	line("all", all)
	return b.String()
}

// line is how the words of a warning name one.
var line = regexp.MustCompile(`:\d+|line \d+`)

// explained checks that an answer that is not complete names a reason: at least one warning names a file and a line.
func explained(t *testing.T, question string, at spot, e envelope) {
	t.Helper()
	for _, w := range e.Warnings {
		if slices.Contains(plain, w.Kind) || line.MatchString(w.Message) {
			return
		}
	}
	t.Errorf("%s of %q at %s:%d:%d is %s, and no warning names a file and a line: %v", question, at.word, at.path,
		at.line, at.column,
		e.Completeness, e.Warnings)
}

// record adds a line to LSPI_PARTIAL_LOG.
func record(t testing.TB, s *compared, tool string, arguments map[string]any, e envelope) {
	name := os.Getenv("LSPI_PARTIAL_LOG")
	if name == "" {
		return
	}
	warnings := make([]string, 0, len(e.Warnings))
	for _, w := range e.Warnings {
		warnings = append(warnings, w.Kind+": "+w.Message+" "+fmt.Sprint(w.Files))
	}
	line, err := json.Marshal(map[string]any{"test": t.Name(), "tool": tool, "arguments": arguments,
		"claim": e.Completeness, "error": e.Reason(),
		"warnings": warnings, "answer": e.raw})
	testkit.Must(t, err)
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	testkit.Must(t, err)
	defer f.Close()
	if _, err := f.Write(append(bytes.ReplaceAll(line, []byte(s.root), nil), '\n')); err != nil {
		t.Fatal(err)
	}
}
