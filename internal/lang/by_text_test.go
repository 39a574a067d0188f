package lang

import (
	"testing"

	"lspi/internal/testkit"
)

// A string of Rust names a module or a trait only where a macro makes code of it.
func TestRustByText(t *testing.T) {
	for _, c := range []struct {
		kind, before string
		use          Use
		want         bool
	}{
		{"module", `map.get("`, AloneUse, false},
		{"method", `"`, AloneUse, true},
		{"module", `#[serde(rename = "ids[]", with = "`, AloneUse, true},
		{"module", `#[doc = "x"] const A: &str = "`, AloneUse, false},
		{"module", `#[serde(with = "`, AloneUse, true},
		{"interface", "#[derive(Debug)]\nstruct A;\nfn f() { g(\"", AloneUse, false},
		{"module", "/// see crate::", QualifiedUse, true},
		{"method", "println!(\"{", TemplateUse, true},
		{"field", `"`, AloneUse, true},
		{"function", `"`, AloneUse, true},
		{"", `"`, AloneUse, true},
	} {
		got := ByID("rust").FoundByText("load", c.kind, "", c.before+"load", len(c.before), c.use)
		testkit.Diff(t, got, c.want, c.before+" "+c.kind)
	}
}

// Which strings and templates may find a declaration of Go when the program runs.
func TestGoByText(t *testing.T) {
	for _, c := range []struct {
		name, kind, module, before string
		use                        Use
		want                       bool
	}{
		{"Start", "method", "a", `f("`, AloneUse, true},
		{"start", "method", "a", `f("`, AloneUse, false},
		{"Start", "function", "a", `f("`, AloneUse, false},
		{"Start", "function", "main", `f("`, AloneUse, true}, // of a plugin
		{"Start", "function", "a", `p.Lookup("`, AloneUse, true},
		{"size", "field", "a", `v.FieldByName("`, AloneUse, true},
		{"size", "field", "a", `map[string]int{"`, AloneUse, false},
		{"Size", "field", "a", `map[string]int{"`, AloneUse, true},
		{"Kind", "struct", "a", `"`, AloneUse, true},
		{"Limit", "constant", "a", `"`, AloneUse, false},
		{"version", "variable", "main", `-X main.`, QualifiedUse, true},
		{"Title", "field", "a", "{{ .", TemplateUse, true},
		{"title", "field", "a", "{{ .", TemplateUse, false},
		{"Title", "function", "main", "{{ ", TemplateUse, false},
		{"Title", "", "a", "{{ .", TemplateUse, true},
	} {
		got := ByID("go").FoundByText(c.name, c.kind, c.module, c.before+c.name, len(c.before), c.use)
		testkit.Diff(t, got, c.want, c.before+c.name+" "+c.kind)
	}
}
