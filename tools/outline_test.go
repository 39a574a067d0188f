package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// placed gives a symbol lines for its whole and its name.
func placed(first, name, last int, sym lsp.Symbol) lsp.Symbol {
	sym.Range = contract.Range{Start: contract.Position{Line: first, Character: 1},
		End: contract.Position{Line: last, Character: 9}}
	sym.NameAt = contract.Range{Start: contract.Position{Line: name, Character: 3},
		End: contract.Position{Line: name, Character: 5}}
	return sym
}

// oneLine is a symbol without children whose name stands on its first line.
func oneLine(first, last int, kind lsp.SymbolKind, name, detail string) lsp.Symbol {
	return placed(first, first, last, lsp.Symbol{Name: name, Kind: kind, Detail: detail})
}

func outlineText(symbols []lsp.Symbol, o outlineOptions) string {
	out := newOutline(symbols, o)
	return fmt.Sprintf("%s+%d", strings.Join(outlineLines(out.Items, false), "|"), out.Deeper)
}

func TestLevels(t *testing.T) {
	symbols := []lsp.Symbol{
		placed(30, 30, 31, lsp.Symbol{Name: "last", Kind: "function", Detail: "func()"}),
		placed(1, 3, 9, lsp.Symbol{Name: "ui", Kind: "namespace", Children: []lsp.Symbol{
			placed(4, 5, 8, lsp.Symbol{Name: "Widget", Kind: "class", Detail: "class", Children: []lsp.Symbol{
				placed(6, 6, 6, lsp.Symbol{Name: "draw", Kind: "method", Detail: "void () const",
					Children: []lsp.Symbol{
						placed(6, 6, 6, lsp.Symbol{Name: "local", Kind: "variable"})}}),
				placed(7, 7, 7, lsp.Symbol{Name: "Inner", Kind: "struct", Detail: "struct{...}", Children: []lsp.Symbol{
					placed(7, 7, 7, lsp.Symbol{Name: "x", Kind: "field"})}}),
			}}),
		}}),
		placed(10, 11, 12, lsp.Symbol{Name: "(anonymous namespace)", Kind: "namespace", Children: []lsp.Symbol{
			placed(12, 12, 12, lsp.Symbol{Name: "hidden", Kind: "function", Detail: strings.Repeat("long", 40)})}}),
		placed(13, 13, 19, lsp.Symbol{Name: "impl Shape for Square", Kind: "object", Children: []lsp.Symbol{
			placed(14, 16, 18, lsp.Symbol{Name: "area", Kind: "method", Children: []lsp.Symbol{
				placed(17, 17, 17, lsp.Symbol{Name: "helper", Kind: "function"})}})}}),
		placed(20, 29, 21, lsp.Symbol{Name: "macro", Kind: "function"}), // named elsewhere
	}
	for depth, want := range map[int]string{
		1: "3-9 namespace ui| 5-8 class Widget|11-12 namespace (anonymous namespace)| 12 function hidden|" +
			"13-19 object impl Shape for Square|20-31 functions macro:20, last:30+5",
		2: "3-9 namespace ui| 5-8 class Widget|  6 method draw|  7 struct Inner|" +
			"11-12 namespace (anonymous namespace)| 12 function hidden|13-19 object impl Shape for Square|" +
			" 16-18 method area|  17 function helper|20-31 functions macro:20, last:30+1",
		3: "3-9 namespace ui| 5-8 class Widget|  6 method draw|  7 struct Inner|   7 field x|" +
			"11-12 namespace (anonymous namespace)| 12 function hidden|13-19 object impl Shape for Square|" +
			" 16-18 method area|  17 function helper|20-31 functions macro:20, last:30+0",
	} {
		testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "cpp", MaxDepth: depth}), want, "depth", depth)
	}
}

// What is declared in a callback stands at the level of the callback: a file of tests is one.
func TestCallbacksAreNoLevel(t *testing.T) {
	symbols := []lsp.Symbol{placed(1, 1, 9, lsp.Symbol{Name: "describe() callback", Kind: "function",
		Children: []lsp.Symbol{
			placed(2, 2, 8, lsp.Symbol{Name: "setUp", Kind: "function",
				Children: []lsp.Symbol{oneLine(3, 3, "function", "inner", "")}}),
			oneLine(8, 8, "variable", "local", "")}}),
		placed(10, 10, 12, lsp.Symbol{Name: "sum", Kind: "constant",
			Children: []lsp.Symbol{oneLine(10, 12, "function", "reduce() callback", "")}})}
	testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "typescript", MaxDepth: 2}),
		"1-9 function describe() callback| 2-8 function setUp|  3 function inner|10-12 constant sum+0")
	testkit.Equal(t, outlineText(symbols[1:], outlineOptions{Language: "typescript", MaxDepth: 2, Detail: true}),
		"10-12 constant sum| 10-12 function reduce() callback+0", "detail")
}

// Functions in functions are one level, however deep they are, also in types and values there; parameters and local
// variables are on none.
func TestFunctionsWithinFunctions(t *testing.T) {
	text := source.New("a.ts",
		"const f = (a) => {\n  const b = 1\n  const g = () => b\n}\nconst c = { d: 1 }\n")
	named := func(line, from, to, last int, sym lsp.Symbol) lsp.Symbol {
		sym = placed(line, line, last, sym)
		sym.NameAt.Start.Character, sym.NameAt.End.Character = from, to
		return sym
	}
	values := []lsp.Symbol{
		named(1, 7, 8, 4, lsp.Symbol{Name: "f", Kind: "constant", Children: []lsp.Symbol{
			named(1, 12, 13, 1, lsp.Symbol{Name: "a", Kind: "variable"}),
			named(2, 9, 10, 2, lsp.Symbol{Name: "b", Kind: "constant"}),
			named(3, 9, 10, 3, lsp.Symbol{Name: "g", Kind: "constant"})}}),
		named(5, 7, 8, 5, lsp.Symbol{Name: "c", Kind: "constant", Children: []lsp.Symbol{
			named(5, 13, 14, 5, lsp.Symbol{Name: "d", Kind: "property"})}})}
	testkit.Equal(t, outlineText(values, outlineOptions{Language: "typescript", MaxDepth: 2, Text: text}),
		"1-4 constant f| 3 constant g|5 constant c| 5 property d+0", "functions as values")

	symbols := []lsp.Symbol{placed(1, 1, 20, lsp.Symbol{Name: "outer", Kind: "function", Children: []lsp.Symbol{
		oneLine(1, 1, "variable", "parameter", ""),
		placed(2, 2, 9, lsp.Symbol{Name: "inner", Kind: "function", Children: []lsp.Symbol{
			oneLine(2, 2, "variable", "parameter", ""), oneLine(3, 3, "function", "innermost", "")}}),
		placed(10, 10, 15, lsp.Symbol{Name: "Local", Kind: "class", Children: []lsp.Symbol{
			oneLine(11, 11, "field", "member", ""),
			placed(12, 12, 14, lsp.Symbol{Name: "method", Kind: "method", Children: []lsp.Symbol{
				oneLine(12, 12, "variable", "parameter", "")}})}}),
		placed(16, 16, 18, lsp.Symbol{Name: "table", Kind: "variable", Children: []lsp.Symbol{
			oneLine(16, 16, "property", "key", ""), oneLine(17, 17, "method", "run", "")}}),
		oneLine(19, 19, "string", "text", "")}})}
	for depth, want := range map[int]string{
		1: "1-20 function outer+6",
		2: "1-20 function outer| 2-9 function inner|  3 function innermost| 10-15 class Local|  12-14 method method|" +
			" 16-18 variable table|  17 method run+1",
		20: "1-20 function outer| 2-9 function inner|  3 function innermost| 10-15 class Local|  11 field member|" +
			"  12-14 method method| 16-18 variable table|  17 method run+0",
	} {
		testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "python", MaxDepth: depth}), want, "depth", depth)
	}
}

// Values of one kind share a line, and so do functions: all of a type, of a file those that follow each other, and
// none that has something below it, a name with a comma or, of values, many lines.
func TestValuesShareALine(t *testing.T) {
	symbols := []lsp.Symbol{
		oneLine(1, 1, "constant", "A", "int"), oneLine(2, 2, "constant", "B", "int"),
		oneLine(3, 3, "variable", "v", "int"),
		oneLine(4, 4, "constant", "C", "int"),
		placed(5, 5, 30, lsp.Symbol{Name: "T", Kind: "class", Children: []lsp.Symbol{
			oneLine(6, 6, "property", "one", "int"), oneLine(7, 9, "method", "run", "func()"),
			oneLine(10, 12, "property", "two", "int"),
			oneLine(13, 20, "property", "long", "int"), oneLine(21, 21, "property", "a, b", ""),
			oneLine(22, 22, "enum_member", "x", ""),
			placed(23, 23, 25, lsp.Symbol{Name: "has", Kind: "property",
				Children: []lsp.Symbol{oneLine(24, 24, "property", "inner", "")}}),
		}}),
	}
	testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "typescript", MaxDepth: 3}),
		"1-2 constants A, B|3 variable v|4 constant C|5-30 class T| 6-12 properties one, two| 7-9 method run|"+
			" 13-20 property long: int| 21 property a, b| 22 enum_member x| 23-25 property has|  24 property inner+0",
		"deep")
	testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "typescript", MaxDepth: 2}),
		"1-2 constants A, B|3 variable v|4 constant C|5-30 class T| 6-25 properties one, two, has| 7-9 method run|"+
			" 13-20 property long: int| 21 property a, b| 22 enum_member x+1", "what is below is not shown")
	testkit.Equal(t, outlineText(symbols, outlineOptions{Language: "typescript", MaxDepth: 2, Detail: true}),
		"1 constant A: int|2 constant B: int|3 variable v: int|4 constant C: int|5-30 class T| 6 property one: int| 7-9 method run: func()|"+
			" 10-12 property two: int| 13-20 property long: int| 21 property a, b| 22 enum_member x| 23-25 property has+1", "detail")
}

// Members of a type that is declared elsewhere stand below its name, from three on.
func TestMembersOfATypeElsewhere(t *testing.T) {
	for _, c := range []struct {
		language string
		symbols  []lsp.Symbol
		want     string
	}{
		{"go", []lsp.Symbol{
			oneLine(1, 3, "method", "(*Map[K, V]).Get", "func()"), oneLine(4, 6, "method", "(*Map[K, V]).Set",
				"func()"),
			oneLine(7, 7, "method", "(*Map[K, V]).Len", "func()"),
			oneLine(8, 8, "method", "(T).One", ""), oneLine(9, 9, "method", "(T).Two", ""),
			oneLine(10, 10, "function", "f", ""),
		}, "1-7 in (*Map[K, V])| 1-7 methods Get:1, Set:4, Len:7|8-9 methods (T).One:8, (T).Two:9|10 function f+0"},
		{"cpp", []lsp.Symbol{placed(1, 1, 20, lsp.Symbol{Name: "ns", Kind: "namespace", Children: []lsp.Symbol{
			oneLine(2, 4, "constructor", "Box::Box", ""), oneLine(5, 5, "constructor", "Box::~Box", ""),
			oneLine(6, 7, "method", "Box::operator bool", ""),
			oneLine(8, 8, "method", "Box::operator()", ""), oneLine(9, 9, "function", "free", "")}})},
			"1-20 namespace ns| 2-8 in Box|  2-5 constructors Box:2, ~Box:5|  6-8 methods operator bool:6, operator():8| 9 function free+0"},
		{"cpp", []lsp.Symbol{placed(1, 1, 3,
			lsp.Symbol{Name: "TEST", Kind: "null", Children: []lsp.Symbol{oneLine(1, 2, "class", "Case", "")}})},
			"1-3 null TEST|1-2 class Case+0"},
		{"rust", []lsp.Symbol{oneLine(1, 2, "object", "impl a::X", ""), oneLine(3, 4, "object", "impl a::Y", ""),
			oneLine(5, 6, "object", "impl a::Z", "")},
			"1-2 object impl a::X|3-4 object impl a::Y|5-6 object impl a::Z+0"},
		{"json", []lsp.Symbol{oneLine(1, 1, "string", "a.b", ""), oneLine(2, 2, "string", "a.c", ""),
			oneLine(3, 3, "string", "a.d", "")},
			"1 string a.b|2 string a.c|3 string a.d+0"},
	} {
		testkit.Equal(t, outlineText(c.symbols, outlineOptions{Language: c.language, MaxDepth: 2}), c.want, c.language)
	}
}

// Wherever an outline is cut, both parts together have each symbol once, and the second begins with what its first
// symbol is in.
func TestPartsOfAnOutline(t *testing.T) {
	symbols := []lsp.Symbol{placed(1, 1, 9, lsp.Symbol{Name: "ns", Kind: "namespace", Children: []lsp.Symbol{
		placed(2, 2, 8, lsp.Symbol{Name: "T", Kind: "class", Children: []lsp.Symbol{
			oneLine(3, 3, "field", "a", ""), oneLine(4, 4, "field", "b", ""),
			oneLine(5, 5, "method", "m", "void ()")}})}})}
	items := newOutline(symbols, outlineOptions{Language: "cpp", MaxDepth: 2}).Items
	for cut, want := range []string{
		"1-9 namespace ns| 2-8 class T|  3-4 fields a, b|  5 method m",
		"1-9 namespace ns| 2-8 class T|  3-4 fields a, b|  5 method m",
		"1-9 namespace ns| 2-8 class T|  3-4 fields a, b|  5 method m",
		"1-9 namespace ns| 2-8 class T|  4 field b|  5 method m",
		"1-9 namespace ns| 2-8 class T|  5 method m",
		"",
	} {
		testkit.Equal(t, strings.Join(outlineLines(items[cut:], false), "|"), want, "from", cut)
	}
	testkit.Equal(t, strings.Join(outlineLines(items[:3], true), "|"), "1-9 namespace ns| 2-8 class T|  3 field a",
		"the first three")
	items = newOutline(symbols, outlineOptions{Language: "cpp", MaxDepth: 2, Detail: true}).Items
	testkit.Equal(t, slices.ContainsFunc(items, (*outlineItem).hasDetail), true, "detail")
	testkit.Equal(t, strings.Join(outlineLines(items[3:], false), "|")+"|"+strings.Join(outlineLines(items[4:], true),
		"|"),
		"1-9 namespace ns| 2-8 class T|  4 field b|  5 method m: void ()|1-9 namespace ns| 2-8 class T|  5 method m",
		"in detail, and terse")
}
