package resolve

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/tools/symbol"
)

func TestComponents(t *testing.T) {
	for name, want := range map[string][]string{
		"Load":                            {"Load"},
		"Client.Call":                     {"Client", "Call"},
		"(*Client).Call":                  {"Client", "Call"},
		"(Client).Call":                   {"Client", "Call"},
		"(*List[T]).Push":                 {"List", "Push"},
		"Map[K, V].Get":                   {"Map", "Get"},
		"shop.(*Cart).Add":                {"shop", "Cart", "Add"},
		"ns::Widget::draw":                {"ns", "Widget", "draw"},
		"Widget/draw":                     {"Widget", "draw"},
		"Widget#draw":                     {"Widget", "draw"},
		"Widget::~Widget":                 {"Widget", "~Widget"},
		"Box<int>::get":                   {"Box", "get"},
		"operator==":                      {"operator=="},
		"ui::Widget::operator<":           {"ui", "Widget", "operator<"},
		"Box<int>::operator<":             {"Box", "operator<"},
		"Widget::operator bool":           {"Widget", "operator bool"},
		"Widget::operator  new[]":         {"Widget", "operator new[]"},
		"operator()":                      {"operator()"},
		"operator ()":                     {"operator()"},
		"V::operator/":                    {"V", "operator/"},
		"V::operator/=":                   {"V", "operator/="},
		"V::operator->":                   {"V", "operator->"},
		"V::operator[]":                   {"V", "operator[]"},
		"operators":                       {"operators"},
		"myoperator":                      {"myoperator"},
		"operator.Name":                   {"operator", "Name"},
		"operator/Name":                   {"operator", "Name"},
		"x.operator":                      {"x", "operator"},
		"draw(int, String)":               {"draw"},
		"Outer.draw(List<Map<A,B>>, f())": {"Outer", "draw"},
		"impl Square":                     {"Square"},
		"impl Shape for Square":           {"Square"},
		"impl fmt::Display for a::Sq":     {"a", "Sq"},
		"impl<T: Clone> Wrapper<T>":       {"Wrapper"},
		"impl From<T> for Wrapper<T>":     {"Wrapper"},
		"impl Shape for Wrapper<&'a T>":   {"Wrapper"},
		"impl Shape for &'a mut Square":   {"Square"},
		"impl Shape for dyn Other":        {"Other"},
		"impl Shape for [T]":              nil,
		"implement":                       {"implement"},
		"Square.#secret":                  {"Square", "secret"},
		"größe.ω":                         {"größe", "ω"},
		" ":                               nil,
		"::":                              nil,
	} {
		got := symbol.Components(name)
		if len(got) == 0 {
			got = nil
		}
		testkit.Diff(t, got, want, name)
	}
}

func TestNameless(t *testing.T) {
	for name, want := range map[string]bool{
		"(anonymous namespace)": true, "(anonymous struct)": true, "<function>": true,
		`describe("suite") callback`: true,
		"map() callback":             true, "impl Shape for Square": false, "impl Shape for Wrapper<&'a T>": false,
		"(*List[T]).Push": false, "operator bool": false, "Widget::operator bool": false, "Box<int, 3>": false,
		"draw(int, String)": false, "Widget::~Widget": false, "größe": false, "Getting started": true,
	} {
		testkit.Equal(t, symbol.Nameless(name), want, name, !want)
	}
}

// symbolTree are symbols as the verified servers give them.
var symbolTree = []lsp.Symbol{
	{Name: "(anonymous namespace)", Kind: "namespace", Children: []lsp.Symbol{{Name: "hidden", Kind: "function"}}},
	{Name: "ui", Kind: "namespace", Children: []lsp.Symbol{
		{Name: "Widget", Kind: "class", Children: []lsp.Symbol{
			{Name: "Widget", Kind: "constructor"}, {Name: "~Widget", Kind: "constructor"},
			{Name: "draw", Kind: "method"},
			{Name: "operator bool", Kind: "function"},
		}},
		{Name: "Button", Kind: "class", Children: []lsp.Symbol{
			{Name: "Button", Kind: "namespace"}, {Name: "draw", Kind: "method"}}},
		{Name: "Box<int>", Kind: "class", Children: []lsp.Symbol{{Name: "get", Kind: "method"}}},
		{Name: "Label::draw", Kind: "method"},
	}},
	{Name: "Square", Kind: "struct"},
	{Name: "impl Shape for Square", Kind: "object", Children: []lsp.Symbol{{Name: "area", Kind: "method"}}},
	{Name: "impl Square", Kind: "object", Children: []lsp.Symbol{{Name: "new", Kind: "function"}}},
	{Name: "(*Cart).Add", Kind: "method"},
	{Name: "(*Cart).Close", Kind: "method"}, {Name: "Close", Kind: "function"}, {Name: "Close", Kind: "variable"},
	{Name: "TEST", Kind: "null", Children: []lsp.Symbol{{Name: "_Test", Kind: "class"}}},
	{Name: "Add", Kind: "function"},
	{Name: `describe("x") callback`, Kind: "function", Children: []lsp.Symbol{{Name: "inside", Kind: "function"}}},
}

func TestMatching(t *testing.T) {
	all := symbol.Flatten(symbolTree, nil, nil)
	for _, c := range []struct {
		name, kind string
		want       []string // joined parts
	}{
		{"hidden", "", []string{"hidden"}},
		{"ui::Widget", "", []string{"ui::Widget"}},
		{"Widget", "", []string{"ui::Widget"}},
		{"Widget::Widget", "", []string{"ui::Widget::Widget"}},
		{"Widget", "constructor", []string{"ui::Widget::Widget"}},
		{"~Widget", "", []string{"ui::Widget::~Widget"}},
		{"Button", "", []string{"ui::Button"}},
		{"draw", "", []string{"ui::Widget::draw", "ui::Button::draw", "ui::Label::draw"}},
		{"Widget.draw", "", []string{"ui::Widget::draw"}},
		{"Label::draw", "", []string{"ui::Label::draw"}},
		{"operator bool", "", []string{"ui::Widget::operator bool"}},
		{"bool", "", nil},
		{"Box::get", "", []string{"ui::Box::get"}},
		{"Square", "", []string{"Square"}},
		{"Square::area", "", []string{"Square::area"}},
		{"Square.new", "function", []string{"Square::new"}},
		{"Square.new", "method", nil},
		{"Cart.Add", "", []string{"Cart::Add"}},
		{"(*Cart).Add", "", []string{"Cart::Add"}},
		{"Add", "", []string{"Add"}},
		{"Add", "method", []string{"Cart::Add"}},
		{"Close", "", []string{"Close", "Close"}},
		{"impl Square", "", []string{"Square"}},
		{"impl  Shape for Square", "", []string{"Square"}},
		{"_Test", "", []string{"_Test"}},
		{"TEST::_Test", "", nil},
		{"dd", "", nil},
		{"inside", "", []string{"inside"}},
	} {
		var got []string
		for _, n := range matching(all, c.name, c.kind) {
			got = append(got, symbol.JoinParts("cpp", n.Parts))
		}
		testkit.Diff(t, got, c.want, c.name, c.kind)
	}
}
