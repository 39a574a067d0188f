package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/symbol"
	"lspi/tools/toolstest"
)

var outlinePattern = regexp.MustCompile(getDocumentSymbols.Output().Properties["symbols"].Items.Pattern)

// outlined is one symbol as whoever reads an outline knows it: by the lines that it is indented below.
type outlined struct {
	line   int
	kind   string
	name   string // qualified
	shared bool   // its line is that of several
	group  bool   // it heads members of a type that is declared elsewhere
}

func (o outlined) String() string { return fmt.Sprintf("%d %s %s", o.line, o.kind, o.name) }

// readOutline takes the lines of an outline apart, as the description of the tool says.
func readOutline(lines []string, separator string) []outlined {
	var out []outlined
	var scope []string // by level
	for _, text := range lines {
		line := strings.TrimLeft(text, " ")
		at, rest, _ := strings.Cut(line, " ")
		kind, rest, _ := strings.Cut(rest, " ")
		names, _, _ := strings.Cut(rest, ": ")
		first, _, _ := strings.Cut(at, "-")
		number, _ := strconv.Atoi(first)
		scope = scope[:len(text)-len(line)]
		shared := strings.HasSuffix(kind, "s") && kind != "class" && kind != "alias"
		all := []string{names}
		if shared {
			all = strings.Split(names, ", ")
		}
		for _, name := range all {
			kind, number, shared := kind, number, shared
			if i := strings.LastIndex(name, ":"); shared && inRow.MatchString(name) { // a function, which has its line
				kind, shared = strings.TrimSuffix(kind, "s"), false
				number, _ = strconv.Atoi(name[i+1:])
				name = name[:i]
			}
			within := slices.DeleteFunc(slices.Clone(scope), symbol.Nameless)
			out = append(out, outlined{number, kind, strings.Join(append(within, name), separator), shared,
				kind == "in"})
		}
		scope = append(scope, names)
	}
	return out
}

// inRow matches the name of a function that shares its line.
var inRow = regexp.MustCompile(`^.+:\d+$`)

// outlineOf are the symbols that an answer has, without those that only head the first one of its page.
func outlineOf(a reply) []string {
	var lines, out []string
	for _, s := range a["symbols"].([]any) {
		if !outlinePattern.MatchString(s.(string)) {
			out = append(out, "does not match the pattern: "+s.(string))
		}
		lines = append(lines, s.(string))
	}
	for _, o := range readOutline(lines, ".") {
		if !o.group {
			out = append(out, o.kind+" "+o.name)
		}
	}
	return out[max(len(out)-int(a["returned"].(float64)), 0):]
}

func TestGetDocumentSymbolsPages(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 120 {
		fmt.Fprintf(&text, "def function_with_a_long_name_%03d\n", i)
		want = append(want, fmt.Sprintf("function function_with_a_long_name_%03d", i))
	}
	session := toolstest.Open(t, project(t, map[string]string{"a.w": text.String(), "empty.w": ""}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, limit := range []int{700, 1500, 24000} {
		got := walk(t, session, "get_document_symbols", map[string]any{"file_path": "a.w", "max_total_chars": limit},
			outlineOf)
		equal(t, fmt.Sprint(limit), got, want)
	}
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "empty.w"})
	equal(t, "empty", fmt.Sprint(a["symbols"], " ", a["completeness"]), "[] complete")
}

// A server that answers with flat SymbolInformation.
func TestGetDocumentSymbolsFlat(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "one\ntwo\nthree\n"})
	info := func(name, container string, line int) string {
		return fmt.Sprintf(
			`{"name":%q,"kind":6,"containerName":%q,"location":{"uri":"file://%s/a.w","range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":3}}}}`,
			name, container, dir, line, line)
	}
	session := toolstest.Open(t, dir,
		toolstest.Fake(t, "words",
			`{"language":"words","rules":[{"method":"textDocument/documentSymbol","actions":[{"result":[`+
				info("two", "Box", 1)+","+info("one", "", 0)+`]}]}]}`))
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "a.w"})
	equal(t, "symbols", fmt.Sprint(a["symbols"]), "[1-2 methods one:1, Box.two:2]")
}

// A page continues where the one before was cut, also between the fields of one line and the members of one group,
// and begins with the lines of what it is in.
func TestGetDocumentSymbolsPagesOfGroups(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	var text strings.Builder
	text.WriteString("package a\n\ntype Big struct {\n")
	want := []string{"struct Big"}
	for i := range 60 {
		fmt.Fprintf(&text, "\tField%02d int\n", i)
		want = append(want, fmt.Sprintf("Big.Field%02d", i))
	}
	text.WriteString("}\n\n")
	for i := range 40 {
		fmt.Fprintf(&text, "func (*Big) Method%02d() {}\n", i)
		want = append(want, fmt.Sprintf("method (*Big).Method%02d", i))
	}
	session := toolstest.Real(t,
		project(t, map[string]string{"go.mod": "module a\n\ngo 1.24\n", "a.go": text.String()}), "gopls")
	fields := regexp.MustCompile(`^fields? `)
	within := regexp.MustCompile(`^(3-64 struct Big|66-105 in \(\*Big\))$`)
	for _, limit := range []int{700, 1500, 24000} {
		got := walk(t, session, "get_document_symbols", map[string]any{"file_path": "a.go", "max_total_chars": limit},
			func(a reply) []string {
				if first := a["symbols"].([]any)[0].(string); !within.MatchString(first) {
					t.Errorf("%d: a page begins with %s", limit, first)
				}
				page := outlineOf(a)
				for i := range page {
					page[i] = fields.ReplaceAllString(page[i], "")
				}
				return page
			})
		equal(t, fmt.Sprint(limit), got, want)
	}
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "a.go", "offset": 59})
	shown := fmt.Sprint(a["symbols"])
	equal(t, "offset", shown[:strings.Index(shown, "02:")],
		"[3-64 struct Big  62-63 fields Field58, Field59 66-105 in (*Big)  66-105 methods Method00:66, Method01:67, Method")
	a = run(t, session, "get_document_symbols", map[string]any{"file_path": "a.go", "offset": 59, "detail": true})
	equal(t, "detail", fmt.Sprint(a["symbols"].([]any)[:3]),
		"[3-64 struct Big  62 field Field58: int  63 field Field59: int]")
}

// In the place of a path stands the import path of a package; a folder of that name comes first, and a mistyped path
// has the error that it would have without packages.
func TestOutlineOfAPackage(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
		"a.go":         "package x\n\nfunc A() {}\n",
		"lib/lib.go":   "package lib\n\n// B is there. Really.\nfunc B() {}\n",
		"sort/sort.go": "package sort\n\nfunc Own() {}\n"})
	session := toolstest.Real(t, dir, "gopls")
	for path, want := range map[string]string{"text/tabwriter": "NewWriter allocates and initializes a new [Writer].",
		"example.com/x/lib": "function B: func() — B is there.", "sort": "function Own", "lbi": "lib",
		"no/such": "no/such"} {
		a := run(t, session, "get_document_symbols", map[string]any{"file_path": path})
		testkit.Holds(t, fmt.Sprint(a["files"], a["error"], a["next_steps"]), want, path)
		testkit.Equal(t, a["ok"], any(path != "lbi" && path != "no/such"), path)
	}
}
