package clangd

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
)

func TestWhatAFileKeepsToItself(t *testing.T) {
	a := &Process{}
	unnamed := []string{"leveldb", "(anonymous namespace)"}
	for _, c := range []struct {
		path, line string
		namespaces []string
		want       bool
	}{
		{"/p/a.cc", "static int x;", nil, true}, {"/p/a.cc", "  static int x;", []string{"leveldb"}, true},
		{"/p/a.cc", "int x;", unnamed, true},
		{"/p/a.cc", "int x;", []string{"leveldb"}, false}, {"/p/a.cc", "int static_x;", nil, false},
		{"/p/a.h", "static int x;", nil, false}, {"/p/a.h", "int x;", unnamed, false},
	} {
		testkit.Equal(t, a.isPrivate(c.path, c.line, c.namespaces), c.want, c)
	}
	testkit.Equal(t, isParameter("### param `x`\n") && !isParameter("### variable `x`") &&
		isVariable("### variable `x`"), true)
}

func TestUsingDeclarations(t *testing.T) {
	for line, want := range map[string]bool{
		"using std::vector;": true, "  using typename Base<T, U>::type;": true, "using A::~A;": true,
		"using A::operator ();": false,
		"using namespace std;":  false, "using X = std::vector<int>;": false, "// using std::vector;": false,
	} {
		testkit.Equal(t, bringsName(line), want, line)
	}
}

func TestFriendDeclarations(t *testing.T) {
	for before, want := range map[string]bool{
		"class A {\n  friend void ": true, "template <class T> friend auto ns::": true, "friend decltype(x) ": true,
		"friend void f(A &": false, "friend class B; void ": false, "void ": false,
	} {
		testkit.Equal(t, befriends(before), want, before)
	}
}

// An item of the same name elsewhere may be another one, or the same before its file moved.
func TestRelationAmongItems(t *testing.T) {
	item := func(name, path string) lsp.HierarchyItem {
		return lsp.HierarchyItem{Name: name, Place: lsp.Place{Path: path}}
	}
	others := []lsp.HierarchyItem{item("A", "/p/old.h"), item("A", "/p/a.h"), item("B", "/p/b.h")}
	for _, c := range []struct {
		item lsp.HierarchyItem
		want relation
	}{{item("A", "/p/a.h"), holds}, {item("B", "/p/new.h"), open}, {item("C", "/p/a.h"), refuted}} {
		testkit.Equal(t, among(others, c.item), c.want, c.item.Name)
	}
}
