package clangd

import (
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// What an edit changes for the linker: a definition that goes, one that comes, a declaration in place of another
// one, and a definition in a header that is not inline any more.
func TestDifferencesForTheLinker(t *testing.T) {
	one := func(name, usr, path, head string, defines bool) linkage {
		return linkage{Linkage: lsp.Linkage{Name: name, USR: usr, Path: path,
			At: contract.Position{Line: 1, Character: 1}}, external: true, defines: defines, head: head}
	}
	own := one("f", "c:a.cc@f", "/p/a.cc", "static", true)
	own.external = false
	names := func(all []lsp.Linkage) (out []string) {
		for _, l := range all {
			out = append(out, l.Name)
		}
		return out
	}
	type kinds struct{ Gone, Replaced, Came, Shared []string }
	for _, c := range []struct {
		name       string
		was, now   []linkage
		broken     bool
		onceForAll bool
		want       kinds
	}{
		{"nothing", []linkage{one("f", "f", "/p/a.cc", "int ", true)},
			[]linkage{one("f", "f", "/p/a.cc", "int ", true)}, false, false, kinds{}},
		{"a definition goes", []linkage{one("f", "f", "/p/a.cc", "", true)}, nil, false, false,
			kinds{Gone: []string{"f"}}},
		{"a declaration stays", []linkage{one("f", "f", "/p/a.cc", "", true)},
			[]linkage{one("f", "f", "/p/a.cc", "", false)}, false, false, kinds{Gone: []string{"f"}}},
		{"a file's own one goes", []linkage{own}, nil, false, false, kinds{}},
		{"a definition comes", nil, []linkage{one("f", "f", "/p/a.cc", "", true)}, false, false,
			kinds{Came: []string{"f"}}},
		{"on a line with an error", nil, []linkage{one("f", "f", "/p/a.cc", "", true)}, true, false, kinds{}},
		{"main", nil, []linkage{one("main", "main", "/p/a.cc", "", true)}, false, false, kinds{}},
		{"another type", []linkage{one("f", "f#I", "/p/a.h", "", false)},
			[]linkage{one("f", "f#F", "/p/a.h", "", false)}, false, false, kinds{Replaced: []string{"f"}}},
		{"into a header", nil, []linkage{one("f", "f", "/p/a.h", "int ", true)}, false, false,
			kinds{Shared: []string{"f"}}},
		{"into a header, inline", nil, []linkage{one("f", "f", "/p/a.h", "inline int ", true)}, false, true, kinds{}},
		{"inline goes", []linkage{one("f", "f", "/p/a.h", "inline int ", true)},
			[]linkage{one("f", "f", "/p/a.h", "int ", true)}, false, false, kinds{Shared: []string{"f"}}},
	} {
		was, now := &linkTable{ok: true, linked: c.was}, &linkTable{ok: true, linked: c.now}
		is := func(yes bool) func(linkage) bool { return func(linkage) bool { return yes } }
		got := was.differences(now, is(c.broken), is(c.onceForAll))
		testkit.Diff(t, kinds{names(got.Gone), names(got.Replaced), names(got.Came), names(got.Shared)}, c.want, c.name)
		testkit.Equal(t, len(got.Declared), len(got.Gone), c.name)
	}
	if got := (&linkTable{ok: true}).differences(&linkTable{}, nil, nil); !got.Unknown || !got.Any() {
		t.Error("a table that is not whole was compared")
	}
	declared := &linkTable{ok: true, declared: map[string]lsp.Linkage{"a": {Name: "f"}, "b": {Name: "g"}, "c": {Name: ""}},
		own: map[string]bool{"b": true}}
	got := declared.differences(&linkTable{ok: true}, nil, nil)
	testkit.Diff(t, [][]string{got.Changed, got.Own}, [][]string{{"f"}, {"g"}})
	testkit.Equal(t, nameOf(lsp.Linkage{Name: "A::~A", At: contract.Position{Line: 1, Character: 4}}).Character, 5)
}
