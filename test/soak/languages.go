//go:build linux

package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// language says how to write a project in one language, and what its server can be asked.
type language struct {
	server string
	// odd are unusual suffixes that names of files may have in the language.
	odd    []string
	render func(p *project, root string) *tree
	// skips are tools that the server does not offer, or answers by rules of its own.
	skips []string
	// toggles: asked for the definition at a definition, the server answers with the declaration.
	toggles bool
	// errors are statements of a function, without their end, with one error each. # becomes a number.
	errors []string
}

var languages = []language{
	{server: "gopls", odd: []string{"ö", "@v", " x", "%41"}, render: renderGo,
		errors: []string{`var _ int = "text"`, `undefined#()`, `return "text"`}},
	{server: "clangd", odd: []string{"ö", "@v", " x", "%41"}, render: renderCpp, toggles: true,
		errors: []string{`int b# = "text"`, `undefined#()`, `return "text"`}},
	{server: "rust-analyzer", render: renderRust,
		errors: []string{`let _: i32 = "text"`, `undefined#()`, `return "text"`}},
	{server: "typescript-language-server", odd: []string{"ö", "@v", " x", "%41"}, render: renderTypeScript,
		errors: []string{`const b#: number = "text"`, `undefined#()`, `return "text"`}},
	{server: "pyright", odd: []string{"ö"}, render: renderPython, skips: []string{"find_implementations"},
		errors: []string{`b#: int = "text"`, `undefined#()`, `return "text"`}},
}

// dialect writes the parts that are alike in all languages.
type dialect struct {
	p       *page
	comment string // before the text of a comment line
}

func (d dialect) comments(indent string, lines []string) {
	for _, l := range lines {
		d.p.put(indent, d.comment, " ", l, "\n")
	}
}

// body writes the statements of a function. literal is the format of a statement that holds a string, qualified returns
// what stands before the name of another function, broken is a statement with a type error.
func (d dialect) body(s *symbol, indent, end, literal, broken string, qualified func(*symbol) string) {
	for i, st := range s.body {
		switch {
		case st.broken:
			d.p.put(indent).wrong().put(strings.ReplaceAll(cmp.Or(st.text, broken), "#", fmt.Sprint(i)), end, "\n")
		case st.call == nil:
			d.p.put(indent, d.comment, " ", st.text, "\n")
		default:
			d.p.put(indent)
			if st.text != "" {
				d.p.put(fmt.Sprintf(literal, `"`+st.text+`"`))
			}
			d.p.put(qualified(st.call)).name(st.call.name, used, s.name).put("()", end, "\n")
		}
	}
}

// callees returns the other units that a unit uses, sorted; base, unless nil, is used by types that implement the
// interface.
func (u *unit) callees(base *unit) (out []*unit) {
	add := func(v *unit) {
		if v != u && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, s := range u.symbols {
		if s.concrete && base != nil {
			add(base)
		}
		for _, st := range s.body {
			if st.call != nil {
				add(st.call.unit)
			}
		}
	}
	slices.SortFunc(out, func(a, b *unit) int { return strings.Compare(a.path(), b.path()) })
	return out
}

// path returns the file's path without its extension.
func (u *unit) path() string { return path.Join(u.folder.name, u.name) }

// base returns the unit with the interface.
func (p *project) base() *unit {
	for _, u := range p.units() {
		if u.base {
			return u
		}
	}
	return nil
}

func (t *tree) document(s *symbol) string {
	t.docs[s.name] = s.revision
	return fmt.Sprintf("%s has revision %d.", s.name, s.revision)
}

// sources writes the files of all units: the first comments, then what begin writes, then each symbol below its
// comments. begin returns the functions that write a type and a function; the latter leaves out the last line end.
func (t *tree) sources(p *project, dir, extension, comment string, begin func(d dialect, u *unit) (concrete,
	function func(s *symbol))) {
	for _, u := range p.units() {
		d := dialect{t.page(dir + u.path() + extension), comment}
		d.comments("", u.top)
		concrete, function := begin(d, u)
		for _, s := range u.symbols {
			d.p.put("\n")
			d.comments("", s.pad)
			if s.concrete {
				concrete(s)
				continue
			}
			function(s)
			d.p.put("\n")
		}
		d.p.done()
	}
}

func renderGo(p *project, _ string) *tree {
	t := newTree()
	t.page("go.mod").put("module soak\n\ngo 1.26\n\n", fmt.Sprintf("// touched %d\n", p.touched)).done()
	t.sources(p, "", ".go", "//", func(d dialect, u *unit) (concrete, function func(s *symbol)) {
		d.p.put("\npackage ", u.folder.name, "\n\n")
		var imported []string
		for _, v := range u.callees(nil) {
			if v.folder != u.folder && !slices.Contains(imported, v.folder.name) {
				imported = append(imported, v.folder.name)
				d.p.put("import \"soak/", v.folder.name, "\"\n")
			}
		}
		if u.base {
			d.p.put("\n// ", interfaceName, " has an area.\ntype ").name(interfaceName, defined,
				"").put(" interface {\n\tArea() int\n}\n")
		}
		qualified := func(c *symbol) string {
			if c.unit.folder == u.folder {
				return ""
			}
			return c.unit.folder.name + "."
		}
		return func(s *symbol) {
				d.p.put("// ", t.document(s), "\ntype ").implementer(s.name, defined).put(" struct{}\n\nfunc (").name(
					s.name, used, "").
					put(") Area() int { return 0 }\n")
			}, func(s *symbol) {
				first := d.p.put("// ", t.document(s), "\n").line
				d.p.put("func ").name(s.name, defined, "").put("() int {\n")
				d.body(s, "\t", "", "_ = %s; ", "var _ int = \"broken\"", qualified)
				d.p.put("\treturn 0\n}").function(s.name, first)
			}
	})
	return t
}

func renderRust(p *project, _ string) *tree {
	t := newTree()
	t.page("Cargo.toml").put("[package]\nname = \"soak\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n",
		fmt.Sprintf("# touched %d\n", p.touched)).done()
	lib := t.page("src/lib.rs").put("#![allow(dead_code)]\n")
	for _, f := range p.folders {
		lib.put("pub mod ", f.name, ";\n")
		mod := t.page("src/" + f.name + "/mod.rs")
		for _, u := range f.units {
			mod.put("pub mod ", u.name, ";\n")
		}
		mod.done()
	}
	lib.done()
	scope := func(u *unit) string { return "crate::" + u.folder.name + "::" + u.name + "::" }
	t.sources(p, "src/", ".rs", "//", func(d dialect, u *unit) (concrete, function func(s *symbol)) {
		if u.base {
			d.p.put("/// ", interfaceName, " has an area.\npub trait ").name(interfaceName, defined,
				"").put(" {\n    fn area(&self) -> i32;\n}\n")
		}
		return func(s *symbol) {
				d.p.put("/// ", t.document(s), "\npub struct ").name(s.name, defined, "").put(";\n\nimpl ",
					scope(p.base())).name(interfaceName, used, "").
					put(" for ").implementer(s.name, used).put(" {\n    fn area(&self) -> i32 {\n        0\n    }\n}\n")
			}, func(s *symbol) {
				first := d.p.put("/// ", t.document(s), "\n").line
				d.p.put("pub fn ").name(s.name, defined, "").put("() -> i32 {\n")
				d.body(s, "    ", ";", "let _ = %s; ", "let _: i32 = \"broken\"", outside(u, scope))
				d.p.put("    0\n}").function(s.name, first)
			}
	})
	return t
}

// outside returns a function that qualifies functions of other units than u.
func outside(u *unit, scope func(*unit) string) func(*symbol) string {
	return func(c *symbol) string {
		if c.unit == u {
			return ""
		}
		return scope(c.unit)
	}
}

func renderTypeScript(p *project, _ string) *tree {
	t := newTree()
	t.page("tsconfig.json").put(`{"compilerOptions": {"strict": true, "target": "es2022", "module": "es2022", "moduleResolution": "bundler",
  "lib": ["es2022"], "types": []}, "include": ["src"]}`, fmt.Sprintf("\n// touched %d\n", p.touched)).done()
	t.sources(p, "src/", ".ts", "//", func(d dialect, u *unit) (concrete, function func(s *symbol)) {
		module := map[*unit]string{}
		for i, v := range u.callees(p.base()) {
			module[v] = fmt.Sprintf("m%d.", i)
			d.p.put("import * as m", fmt.Sprint(i), " from \"../", v.path(), "\";\n")
		}
		if u.base {
			d.p.put("\n/** ", interfaceName, " has an area. */\nexport interface ").name(interfaceName, defined,
				"").put(" {\n  area(): number;\n}\n")
		}
		return func(s *symbol) {
				d.p.put("/** ", t.document(s), " */\nexport class ").implementer(s.name, defined).put(" implements ",
					module[p.base()]).
					name(interfaceName, used, "").put(" {\n  area(): number {\n    return 0;\n  }\n}\n")
			}, func(s *symbol) {
				first := d.p.put("/** ", t.document(s), " */\n").line
				d.p.put("export function ").name(s.name, defined, "").put("(): number {\n")
				d.body(s, "  ", ";", "void %s; ", "const b#: number = \"broken\"", func(c *symbol) string {
					return module[c.unit]
				})
				d.p.put("  return 0;\n}").function(s.name, first)
			}
	})
	return t
}

func renderPython(p *project, _ string) *tree {
	t := newTree()
	t.page("pyrightconfig.json").put("{\"include\": [\".\"]}\n", fmt.Sprintf("// touched %d\n", p.touched)).done()
	for _, f := range p.folders {
		t.page(f.name + "/__init__.py").done()
	}
	t.sources(p, "", ".py", "#", func(d dialect, u *unit) (concrete, function func(s *symbol)) {
		scope := map[*unit]string{}
		for _, v := range u.callees(p.base()) {
			scope[v] = v.folder.name + "." + v.name + "."
			d.p.put("import ", v.folder.name, ".", v.name, "\n")
		}
		if u.base {
			d.p.put("\nclass ").name(interfaceName, defined,
				"").put(":\n    def area(self) -> int:\n        return 0\n")
		}
		return func(s *symbol) {
				d.p.put("class ").implementer(s.name, defined).put("(", scope[p.base()]).name(interfaceName, used, "").
					put("):\n    \"\"\"", t.document(s), "\"\"\"\n    def area(self) -> int:\n        return 1\n")
			}, func(s *symbol) {
				first := d.p.line
				d.p.put("def ").name(s.name, defined, "").put("() -> int:\n    \"\"\"", t.document(s), "\"\"\"\n")
				d.body(s, "    ", "", "_ = %s; ", "b#: int = \"broken\"", func(c *symbol) string {
					return scope[c.unit]
				})
				d.p.put("    return 0").function(s.name, first)
			}
	})
	return t
}
