package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
)

// kit is a small project of one language about one function, Helper: its definition, and uses in unusual texts. Every
// occurrence of the word is a reference, so a plain search of the files gives the truth.
type kit struct {
	row    string
	define string // file of the definition, below code
	// a text that uses Helper once, behind odd on the same line
	use   func(name, odd string) string
	first string // a text with a use on its first line
	// a text that ends with Helper, without final newline, in a line of its own
	late string
	// a text of n functions, each named F and a number, that call the one before
	big   func(n int) string
	extra func(files []string, root string) map[string]string // the project file, from the source files
	ext   string
}

var kits = []kit{
	{
		row: "gopls", define: "helper.go", ext: ".go",
		use: func(name, odd string) string {
			return "package code\n\nfunc use" + name + "() int {\n\t_ = \"" + odd + "\"; return Helper(1)\n}\n"
		},
		first: "package code; func useFirst() int { return Helper(2) }\n",
		late:  "package code\n\nvar late = Helper",
		big: func(n int) string {
			return lines(n, "package code\n\nfunc F0() int { return Helper(0) }\n",
				"func F%d() int { return F%d() } // %s\n")
		},
		extra: func([]string, string) map[string]string {
			return map[string]string{"go.mod": "module example.com/odd\n\ngo 1.24\n",
				"code/helper.go": "package code\n\nfunc Helper(n int) int { return n }\n"}
		},
	},
	{
		row: "clangd", define: "helper.cc", ext: ".cc",
		use: func(name, odd string) string {
			return "#include \"helper.h\"\n\nint use" + name + "() {\n\tconst char* s = \"" + odd +
				"\"; return Helper(s != 0);\n}\n"
		},
		first: "int Helper(int); int useFirst() { return Helper(2); }\n",
		late:  "#include \"helper.h\"\nint (*late)(int) =\n    &Helper",
		big: func(n int) string {
			return lines(n, "#include \"helper.h\"\n\nint F0() { return Helper(0); }\n",
				"int F%d() { return F%d(); } // %s\n")
		},
		extra: func(files []string, root string) map[string]string {
			type entry struct {
				Directory string   `json:"directory"`
				File      string   `json:"file"`
				Arguments []string `json:"arguments"`
			}
			var all []entry
			for _, f := range append([]string{"helper.cc"}, files...) {
				path := filepath.Join(root, "code", f)
				all = append(all, entry{root, path, []string{"clang++", "-std=c++17", "-c", path}})
			}
			raw, _ := json.Marshal(all)
			return map[string]string{"compile_commands.json": string(raw),
				"code/helper.h":  "#pragma once\nint Helper(int n);\n",
				"code/helper.cc": "#include \"helper.h\"\nint Helper(int n) { return n; }\n"}
		},
	},
	{
		row: "rust-analyzer", define: "helper.rs", ext: ".rs",
		use: func(name, odd string) string {
			return "pub fn run() -> i32 {\n\tlet _ = \"" + odd + "\"; crate::helper::Helper(1)\n}\n"
		},
		first: "pub fn run() -> i32 { crate::helper::Helper(2) }\n",
		late:  "pub fn run() -> i32 { 1 }\npub use crate::helper::Helper",
		big: func(n int) string {
			return lines(n, "pub fn F0() -> i32 { crate::helper::Helper(0) }\n",
				"pub fn F%d() -> i32 { F%d() } // %s\n")
		},
		extra: func(files []string, _ string) map[string]string {
			lib := "pub mod helper;\n"
			for i, f := range files {
				lib += fmt.Sprintf("#[path = %q]\npub mod m%d;\n", f, i)
			}
			return map[string]string{
				"Cargo.toml":  "[package]\nname = \"odd\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\npath = \"code/lib.rs\"\n\n[workspace]\n",
				"code/lib.rs": lib, "code/helper.rs": "pub fn Helper(n: i32) -> i32 { n }\n"}
		},
	},
}

func lines(n int, head, format string) string {
	var b strings.Builder
	b.WriteString(head)
	filler := strings.Repeat("é🦀", 40) // 240 bytes, 80 code points, 120 units of UTF-16
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format, i, i-1, filler)
	}
	return b.String()
}

// odd are the texts, by the name of their case.
func (k kit) odd() map[string]string {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	return map[string]string{
		"plain":         k.use("Plain", "x"),
		"accents":       k.use("Accents", "é à ü ß"),
		"wide":          k.use("Wide", "日本語の文字列"),
		"astral":        k.use("Astral", "🦀🎉 𝔘𝔫𝔦𝔠𝔬𝔡𝔢"),
		"combining":     k.use("Combining", "e\u0301 n\u0303 \u0928\u093f 👩\u200d👩\u200d👧"),
		"crlf":          crlf(k.use("Crlf", "é🦀")),
		"tabs":          k.use("Tabs", "\t\té\t🦀"),
		"bom":           "\ufeff" + k.first,
		"latin1":        k.use("Latin1", "caf\xe9 \xfcber"),
		"late":          k.late,
		"made_gen":      k.use("Ignored", "generated"),
		"a b#c%20d@e+f": k.use("Path", "é"),
	}
}

// strange is the name of a folder with all characters that have a meaning in URIs and globs.
const strange = "w s#h%20p@a+b [x]{y}"

// build writes the project of a kit into a folder with a strange name. files are below code, without extension.
func (k kit) build(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	parent, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	root = filepath.Join(parent, strange)
	k.buildAt(t, root, files)
	return root
}

// buildAt is build in a given folder.
func (k kit) buildAt(t *testing.T, root string, files map[string]string) {
	t.Helper()
	var names []string
	all := map[string]string{".gitignore": "*_gen.*\n"}
	for name, text := range files {
		names = append(names, name+k.ext)
		all["code/"+name+k.ext] = text
	}
	slices.Sort(names)
	maps.Copy(all, k.extra(names, root))
	for name, text := range all {
		testkit.Write(t, filepath.Join(root, name), text)
	}
}

// occurrence is a place of the word, as the contract writes it.
type occurrence struct {
	file         string // relative to the root
	line, column int
	text         string
}

func (o occurrence) String() string {
	return fmt.Sprintf("%s %d:%d %s", o.file, o.line, o.column, o.text)
}

// search finds a word in a file by itself. Bytes that are not UTF-8 count as one character each.
func search(t *testing.T, root, file, word string) []occurrence {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, file))
	testkit.Must(t, err)
	var out []occurrence
	whole := regexp.MustCompile(`\b` + word + `\b`)
	for n, line := range newSource(file, string(raw)).lines {
		for _, at := range whole.FindAllStringIndex(line, -1) {
			text := strings.Map(func(r rune) rune { return r }, strings.TrimSpace(line)) // invalid bytes become U+FFFD
			out = append(out, occurrence{file, n + 1, utf8.RuneCountInString(line[:at[0]]) + 1, text})
		}
	}
	return out
}

// truth are all places of the word below code, the asked file first.
func (k kit) truth(t *testing.T, root, asked, word string) []string {
	t.Helper()
	var first, rest []string
	err := filepath.WalkDir(filepath.Join(root, "code"), func(path string, d os.DirEntry, err error) error {
		base := strings.TrimSuffix(filepath.Base(path), k.ext)
		if err != nil || d.IsDir() || base == "lib" {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, o := range search(t, root, rel, word) {
			if rel == asked {
				first = append(first, o.String())
				continue
			}
			rest = append(rest, o.String())
		}
		return nil
	})
	testkit.Must(t, err)
	return slices.Concat(first, rest)
}

// TestTexts asks for the definition and the references from every unusual text of a project and expects all of them
// each time.
func TestTexts(t *testing.T) {
	for _, k := range kits {
		t.Run(k.row, func(t *testing.T) {
			t.Setenv("RUST_SRC_PATH", testkit.SmallStd())
			testkit.Need(t, k.row)
			files := k.odd()
			root := k.build(t, files)
			outside := t.TempDir()
			testkit.Write(t, filepath.Join(outside, "far"+k.ext), k.use("Far", "x"))
			for link, to := range map[string]string{"link": "code", "away": outside} {
				testkit.Must(t, os.Symlink(to, filepath.Join(root, link)))
			}
			s := open(t, root, k.row)
			// What is not UTF-8 comes first: rust-analyzer, as rustc, has it only from when it was asked about.
			t.Run("latin1", func(t *testing.T) { k.ask(t, s, "latin1") })
			for _, name := range slices.Sorted(maps.Keys(files)) {
				t.Run(name, func(t *testing.T) { k.ask(t, s, name) })
			}
			t.Run("through a link", func(t *testing.T) { k.throughLink(t, s, outside) })
			t.Run("generated anew", func(t *testing.T) { k.regenerate(t, s) })
			t.Run("empty file", func(t *testing.T) { k.empty(t, s) })
		})
	}
}

// ask asks at the use in one file, by position and by name.
func (k kit) ask(t *testing.T, s *compared, name string) {
	file := "code/" + name + k.ext
	uses := search(t, s.root, file, "Helper")
	at := uses[len(uses)-1]
	want := k.truth(t, s.root, file, "Helper")
	for _, arguments := range []map[string]any{
		{"file_path": file, "line": at.line, "character": at.column},
		{"file_path": file, "line": at.line, "symbol_name": "Helper"},
	} {
		e := s.ask(t, "find_references", with(arguments, everything))
		if !e.OK || e.Completeness != "complete" {
			t.Fatalf("%v: %s", arguments, e.raw)
		}
		testkit.Diff(t, references(t, e), want, "references by", arguments)
	}
	e := s.ask(t, "find_definition", map[string]any{"file_path": file, "line": at.line, "character": at.column})
	d := search(t, s.root, "code/"+k.define, "Helper")[0]
	if got := definitions(t, e); len(got) != 1 || got[0] != fmt.Sprintf("%s %d:%d", d.file, d.line, d.column) ||
		!strings.Contains(string(e.raw), "Helper(") {
		t.Errorf("definition: got %v, want %s\n%s", got, d, e.raw)
	}
	encoding := strings.Contains(fmt.Sprint(e.Warnings), "encoding")
	if raw, _ := os.ReadFile(filepath.Join(s.root, file)); utf8.Valid(raw) == encoding {
		t.Errorf("valid UTF-8: %v, warnings %v", utf8.Valid(raw), e.Warnings)
	}
}

// throughLink asks by a path that leads through a symbolic link: inside it is the real file, outside it is refused.
func (k kit) throughLink(t *testing.T, s *compared, outside string) {
	at := search(t, s.root, "code/plain"+k.ext, "Helper")[0]
	e := s.ask(t, "find_references",
		with(map[string]any{"file_path": "link/plain" + k.ext, "line": at.line, "character": at.column}, everything))
	testkit.Diff(t, references(t, e), k.truth(t, s.root, at.file, "Helper"), "asked through a link", e.raw)
	for _, path := range []string{"away/far" + k.ext, filepath.Join(outside, "far"+k.ext), "code/../../far" + k.ext} {
		if e := s.ask(t, "find_definition",
			map[string]any{"file_path": path, "symbol_name": "Helper"}); e.Reason() != "outside_workspace" {
			t.Errorf("%s leads outside, and lspi says: %s", path, e.raw)
		}
	}
}

// regenerate writes a file again that git ignores; the next answer has its new text.
func (k kit) regenerate(t *testing.T, s *compared) {
	at := search(t, s.root, "code/plain"+k.ext, "Helper")[0]
	testkit.Write(t, filepath.Join(s.root, "code/made_gen"+k.ext), "\n\n"+k.odd()["made_gen"])
	e := s.ask(t, "find_references",
		with(map[string]any{"file_path": at.file, "line": at.line, "character": at.column}, everything))
	if diff := cmp.Diff(k.truth(t, s.root, at.file, "Helper"), references(t, e)); diff != "" ||
		e.Completeness != "complete" {
		t.Errorf("after a generator ran: -files +lspi\n%s\n%s", diff, e.Completeness)
	}
}

// empty asks about a file that has nothing.
func (k kit) empty(t *testing.T, s *compared) {
	testkit.Write(t, filepath.Join(s.root, "code/empty"+k.ext), "")
	file := "code/empty" + k.ext
	e := s.ask(t, "find_definition", map[string]any{"file_path": file, "line": 1, "character": 1})
	if e.Reason() != "not_an_identifier" && e.Reason() != "request_failed" {
		t.Errorf("the only position of an empty file: %s", e.raw)
	}
	if e := s.ask(t, "find_definition", map[string]any{"file_path": file, "line": 2,
		"character": 1}); e.Reason() != "position_out_of_range" {
		t.Errorf("a line that an empty file does not have: %s", e.raw)
	}
	if e := s.ask(t, "find_definition",
		map[string]any{"file_path": file, "symbol_name": "Helper"}); e.Reason() != "symbol_not_found" &&
		e.Reason() != "request_failed" {
		t.Errorf("a name in an empty file: %s", e.raw)
	}
	if e := s.ask(t, "get_document_symbols", map[string]any{"file_path": file}); e.OK &&
		!strings.Contains(string(e.raw), `"symbols":[]`) {
		t.Errorf("the symbols of an empty file: %s", e.raw)
	}
}

// TestLargeFile asks about a source of more than 5 MB, at its end.
func TestLargeFile(t *testing.T) {
	testkit.OwnServer(t)
	const functions = 20_000
	for _, k := range kits {
		t.Run(k.row, func(t *testing.T) {
			testkit.Always(t, k.row, "gopls")
			t.Setenv("RUST_SRC_PATH", testkit.SmallStd())
			testkit.Need(t, k.row)
			text := k.big(functions)
			if len(text) < 5<<20 {
				t.Fatalf("only %d bytes", len(text))
			}
			root := k.build(t, map[string]string{"big": text})
			s := open(t, root, k.row)
			last := fmt.Sprintf("F%d", functions-1)
			found := search(t, root, "code/big"+k.ext, last) // its definition and its call on the next line
			want := []string{found[0].String(), found[1].String()}
			for i := range want {
				want[i] = short(want[i], found[i])
			}
			e := s.ask(t, "find_references",
				with(map[string]any{"file_path": "code/big" + k.ext, "line": found[1].line,
					"character": found[1].column}, everything))
			if !e.OK || e.Completeness != "complete" {
				t.Fatalf("%.2000s", e.raw)
			}
			testkit.Diff(t, references(t, e), want)
			for _, arguments := range []map[string]any{
				{"file_path": "code/big" + k.ext, "line": found[1].line, "character": found[1].column},
				{"file_path": "code/big" + k.ext, "symbol_name": last},
			} {
				e = s.ask(t, "find_definition", arguments)
				if got := definitions(t, e); len(got) != 1 || got[0] != fmt.Sprintf("%s %d:%d", found[0].file,
					found[0].line, found[0].column) {
					t.Errorf("by %v: %.2000s", arguments, e.raw)
				}
			}
		})
	}
}

// short is an occurrence with its text cut as the contract says.
func short(whole string, o occurrence) string {
	text := []rune(o.text)
	if len(text) <= maxCode {
		return whole
	}
	return strings.TrimSuffix(whole, o.text) + string(text[:maxCode-1]) + "…"
}
