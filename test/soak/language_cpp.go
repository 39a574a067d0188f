//go:build linux

package main

import (
	"encoding/json"
	"fmt"
)

// renderCpp writes a header and a source for each unit. The documentation of functions stands in the header.
func renderCpp(p *project, root string) *tree {
	t := newTree()
	compileCommands(t, p, root)
	t.sources(p, "", ".cc", "//", func(d dialect, u *unit) (concrete, function func(s *symbol)) {
		header(t, u)
		d.p.put("#include \"", u.path(), ".h\"\n")
		for _, v := range u.callees(p.base()) {
			d.p.put("#include \"", v.path(), ".h\"\n")
		}
		const apart = ";\n" // without it the comments before would be documentation of what follows
		return func(s *symbol) {
				d.p.put(apart, "/// ", t.document(s), "\nstruct ").implementer(s.name,
					defined).put(" : ").name(interfaceName, used, "").
					put(" {\n  int area() override { return 0; }\n};\n")
			}, func(s *symbol) {
				first := d.p.put(apart).line
				d.p.put("int ").name(s.name, defined, "").put("() {\n")
				d.body(s, "  ", ";", "(void)%s; ", "int b# = \"broken\"", func(*symbol) string { return "" })
				d.p.put("  return 0;\n}").function(s.name, first)
			}
	})
	return t
}

func compileCommands(t *tree, p *project, root string) {
	type entry struct {
		Directory string   `json:"directory"`
		File      string   `json:"file"`
		Arguments []string `json:"arguments"`
		Output    string   `json:"output"`
	}
	all := []entry{}
	for _, u := range p.units() {
		file := u.path() + ".cc"
		all = append(all, entry{root, file, []string{"clang++", "-std=c++20", "-I.", "-c", file},
			fmt.Sprintf("touched%d.o", p.touched)})
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		panic(err) // strings always marshal
	}
	t.page("compile_commands.json").put(string(raw), "\n").done()
}

func header(t *tree, u *unit) {
	pg := t.page(u.path() + ".h")
	d := dialect{pg, "//"}
	d.comments("", u.top)
	pg.put("#pragma once\n")
	if u.base {
		pg.put("\n/// ", interfaceName, " has an area.\nstruct ").name(interfaceName, defined,
			"").put(" {\n  virtual int area() = 0;\n};\n")
	}
	for _, s := range u.symbols {
		if s.concrete {
			continue
		}
		pg.put("\n/// ", t.document(s), "\n")
		first := pg.line
		pg.put("int ").name(s.name, declared, "").put("();").function(s.name, first)
		pg.put("\n")
	}
	pg.done()
}
