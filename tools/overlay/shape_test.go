package overlay

import (
	"regexp"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// symbolAt is a symbol whose name is at a column of its first line.
func symbolAt(kind lsp.SymbolKind, name string, first, column, last int, children ...lsp.Symbol) lsp.Symbol {
	at := func(line, column int) contract.Position { return contract.Position{Line: line, Character: column} }
	return lsp.Symbol{Kind: kind, Name: name, Children: children, Range: contract.Range{Start: at(first, 1),
		End: at(last, 1)},
		NameAt: contract.Range{Start: at(first, column), End: at(first, column+len(name))}}
}

func TestChangedLines(t *testing.T) {
	before := source.New("/p/a", "one\ntwo\nthree\n")
	for _, c := range []struct {
		after    string
		old, now []changedLine
	}{
		{"one\ntwo\nthree\n", nil, nil},
		{"one\n2\nthree\n", []changedLine{{2, false}}, []changedLine{{2, false}}},
		{"one\nthree\n", []changedLine{{2, false}}, []changedLine{{2, true}}},
		{"zero\none\ntwo\nthree\n", []changedLine{{1, true}}, []changedLine{{1, false}}},
		{"one\ntwo\nthree\nfour\n", []changedLine{{4, true}}, []changedLine{{4, false}}},
	} {
		old, now := changedLines(before, source.New("/p/a", c.after))
		testkit.Equal(t, len(old) == len(c.old) && len(now) == len(c.now), true, c.after, old, now)
		for i := range c.old {
			testkit.Equal(t, old[i], c.old[i], c.after)
		}
		for i := range c.now {
			testkit.Equal(t, now[i], c.now[i], c.after)
		}
	}
}

// A file keeps its shape when it declares what it declared; with added it may declare more, under names that it did
// not hold.
func TestKeptShapes(t *testing.T) {
	text := lsp.Texts{"/p/a": source.New("/p/a", "func f() { g() }\n")}
	f, g, h, m := shaped{"f()", "f"}, shaped{"g()", "g"}, shaped{"h()", "h"}, shaped{"T.m()", ""}
	for _, c := range []struct {
		name     string
		was, now shape
		added    bool
		want     bool
	}{
		{"the same", shape{f, m}, shape{f, m}, false, true}, {"one more", shape{f}, shape{f, h}, false, false},
		{"one more, which is looked for", shape{f}, shape{h, f}, true, true},
		{"one that the file names", shape{f}, shape{f, g}, true, false},
		{"a member more", shape{f}, shape{f, m}, true, false}, {"one fewer", shape{f, m}, shape{f}, true, false},
	} {
		testkit.Equal(t, keepShapes(map[string]shape{"/p/a": c.was}, map[string]shape{"/p/a": c.now}, text, c.added),
			c.want, c.name)
	}
	for line, want := range map[string]bool{"": true, "  // x": true, "/// <reference>": false, "/* x */": true,
		"/* x */ f()": false, " * x": true, "f()": false} {
		testkit.Equal(t, isBlankOrComment(line), want, line)
	}
}

// The names of what a line changes for others: not those in the body of a function, and only what other projects
// can see.
func TestChangedSymbols(t *testing.T) {
	before := source.New("/p/a.rs", "pub struct Box {\n  pub size: u32,\n}\nfn help() {\n  work();\n}\nmacro!(make);\n")
	symbols := []lsp.Symbol{symbolAt("struct", "Box", 1, 12, 3, symbolAt("field", "size", 2, 7, 2)),
		symbolAt("function", "help", 4, 4, 6)}
	visible := regexp.MustCompile(`\bpub\s+[^(\s]`)
	for _, c := range []struct {
		name, after string
		visible     *regexp.Regexp
		want        []string
	}{
		{"a member", "pub struct Box {\n  pub size: u64,\n}\nfn help() {\n  work();\n}\nmacro!(make);\n", visible,
			[]string{"Box", "size"}},
		{"a body", "pub struct Box {\n  pub size: u32,\n}\nfn help() {\n  rest();\n}\nmacro!(make);\n", nil, nil},
		{"a head", "pub struct Box {\n  pub size: u32,\n}\nfn help(n: u8) {\n  work();\n}\nmacro!(make);\n", nil,
			[]string{"help"}},
		{"a head that others do not see",
			"pub struct Box {\n  pub size: u32,\n}\nfn help(n: u8) {\n  work();\n}\nmacro!(make);\n", visible, nil},
		{"no declaration", "pub struct Box {\n  pub size: u32,\n}\nfn help() {\n  work();\n}\nmacro!(other);\n", nil,
			[]string{"macro", "make"}},
	} {
		testkit.Diff(t, append([]string{}, changedNames(before, source.New("/p/a.rs", c.after), symbols,
			c.visible)...), append([]string{}, c.want...), c.name)
	}
}

// A declaration that goes, or whose head changes, is told by the name by which it is used: a constructor by that of
// its type.
func TestChangedHeads(t *testing.T) {
	rules := &spec.Dynamic{Constructors: []string{"__init__"}}
	class := &declaredHead{name: "A", text: "class A", at: contract.Position{Line: 1, Character: 7}}
	made := func(head string) *declaredHead {
		return &declaredHead{scope: "A.", name: "__init__", text: head, at: contract.Position{Line: 2, Character: 7},
			of: class}
	}
	f := func(head string) *declaredHead {
		return &declaredHead{name: "f", text: head, at: contract.Position{Line: 9, Character: 5}}
	}
	for _, c := range []struct {
		name     string
		was, now []*declaredHead
		want     []ChangedHead
	}{
		{"the same", []*declaredHead{class, f("(a)")}, []*declaredHead{class, f("(a)")}, nil},
		{"it goes", []*declaredHead{f("(a)")}, nil,
			[]ChangedHead{{"/p/a.py", contract.Position{Line: 9, Character: 5}, "f", true, true}}},
		{"another head", []*declaredHead{f("(a)")}, []*declaredHead{f("(b, c)")},
			[]ChangedHead{{"/p/a.py", contract.Position{Line: 9, Character: 5}, "f", false, false}}},
		{"a constructor", []*declaredHead{class, made("(self)")}, []*declaredHead{class, made("(self, a)")},
			[]ChangedHead{{"/p/a.py", class.at, "A", false, false}}},
	} {
		got, known := changedHeads(rules, map[string][]*declaredHead{"/p/a.py": c.was},
			map[string][]*declaredHead{"/p/a.py": c.now})
		testkit.Equal(t, known, true, c.name)
		testkit.Diff(t, append([]ChangedHead{}, got...), append([]ChangedHead{}, c.want...), c.name)
	}
	if _, known := changedHeads(rules, nil, map[string][]*declaredHead{}); known {
		t.Error("what the server did not tell was compared")
	}
}
