package tools

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit/sessions"
	"lspi/lsp"
)

// at gives a symbol lines for its whole and its name.
func at(first, name, last int, sym lsp.Symbol) lsp.Symbol {
	sym.Range = contract.Range{Start: contract.Position{Line: first, Character: 1}, End: contract.Position{Line: last, Character: 9}}
	sym.NameAt = contract.Range{Start: contract.Position{Line: name, Character: 3}, End: contract.Position{Line: name, Character: 5}}
	return sym
}

func TestOutline(t *testing.T) {
	symbols := []lsp.Symbol{
		at(30, 30, 31, lsp.Symbol{Name: "last", Kind: "function", Detail: "func()"}),
		at(1, 3, 9, lsp.Symbol{Name: "ui", Kind: "namespace", Children: []lsp.Symbol{
			at(4, 5, 8, lsp.Symbol{Name: "Widget", Kind: "class", Detail: "class", Children: []lsp.Symbol{
				at(6, 6, 6, lsp.Symbol{Name: "draw", Kind: "method", Detail: "void () const", Children: []lsp.Symbol{
					at(6, 6, 6, lsp.Symbol{Name: "local", Kind: "variable"})}}),
				at(7, 7, 7, lsp.Symbol{Name: "Inner", Kind: "struct", Detail: "struct{...}", Children: []lsp.Symbol{
					at(7, 7, 7, lsp.Symbol{Name: "x", Kind: "field"})}}),
			}}),
		}}),
		at(10, 11, 12, lsp.Symbol{Name: "(anonymous namespace)", Kind: "namespace", Children: []lsp.Symbol{
			at(12, 12, 12, lsp.Symbol{Name: "hidden", Kind: "function", Detail: strings.Repeat("long", 40)})}}),
		at(13, 13, 19, lsp.Symbol{Name: "impl Shape for Square", Kind: "object", Children: []lsp.Symbol{
			at(14, 16, 18, lsp.Symbol{Name: "area", Kind: "method", Children: []lsp.Symbol{
				at(17, 17, 17, lsp.Symbol{Name: "helper", Kind: "function"})}})}}),
		at(20, 29, 21, lsp.Symbol{Name: "macro", Kind: "function"}), // named elsewhere
	}
	for depth, want := range map[int]string{
		1: "3-9 namespace ui|5-8 class ui::Widget|11-12 namespace (anonymous namespace)|12 function hidden|" +
			"13-19 object impl Shape for Square|20-21 function macro|30-31 function last: func()+6",
		2: "3-9 namespace ui|5-8 class ui::Widget|6 method ui::Widget::draw: void () const|7 struct ui::Widget::Inner|" +
			"11-12 namespace (anonymous namespace)|12 function hidden|13-19 object impl Shape for Square|" +
			"16-18 method Square::area|20-21 function macro|30-31 function last: func()+3",
		4: "3-9 namespace ui|5-8 class ui::Widget|6 method ui::Widget::draw: void () const|" +
			"6 variable ui::Widget::draw::local|7 struct ui::Widget::Inner|7 field ui::Widget::Inner::x|" +
			"11-12 namespace (anonymous namespace)|12 function hidden|13-19 object impl Shape for Square|" +
			"16-18 method Square::area|17 function Square::area::helper|20-21 function macro|30-31 function last: func()+0",
	} {
		o := outliner{language: "cpp", max: depth}
		o.walk(symbols, nil, 1, false)
		var got []string
		for _, l := range o.lines {
			got = append(got, strings.TrimSuffix(l.text+": "+l.detail, ": "))
		}
		equal(t, fmt.Sprint("depth ", depth), fmt.Sprintf("%s+%d", strings.Join(got, "|"), o.deeper), want)
	}
}

var outlinePattern = regexp.MustCompile(getDocumentSymbols.Output.Properties["symbols"].Items.Pattern)

func outlineOf(a reply) []string {
	var out []string
	for _, s := range a["symbols"].([]any) {
		if !outlinePattern.MatchString(s.(string)) {
			out = append(out, "does not match the pattern:")
		}
		out = append(out, s.(string))
	}
	return out
}

func TestGetDocumentSymbolsPages(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 120 {
		fmt.Fprintf(&text, "def function_with_a_long_name_%03d\n", i)
		want = append(want, fmt.Sprintf("%d function function_with_a_long_name_%03d", i+1, i))
	}
	session := sessions.Open(t, project(t, map[string]string{"a.w": text.String(), "empty.w": ""}), sessions.Fake(t, "words", `{"language":"words"}`))
	for _, limit := range []int{700, 1500, 24000} {
		got := walk(t, session, "get_document_symbols", map[string]any{"file_path": "a.w", "max_total_chars": limit}, outlineOf)
		equal(t, fmt.Sprint(limit), got, want)
	}
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "empty.w"})
	equal(t, "empty", fmt.Sprint(a["symbols"], " ", a["completeness"]), "[] complete")
}

// A server that answers with flat SymbolInformation.
func TestGetDocumentSymbolsFlat(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "one\ntwo\nthree\n"})
	info := func(name, container string, line int) string {
		return fmt.Sprintf(`{"name":%q,"kind":6,"containerName":%q,"location":{"uri":"file://%s/a.w","range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":3}}}}`,
			name, container, dir, line, line)
	}
	session := sessions.Open(t, dir, sessions.Fake(t, "words", `{"language":"words","rules":[{"method":"textDocument/documentSymbol","actions":[{"result":[`+
		info("two", "Box", 1)+","+info("one", "", 0)+`]}]}]}`))
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "a.w"})
	equal(t, "symbols", strings.Join(outlineOf(a), "|"), "1 method one|2 method Box.two")
}
