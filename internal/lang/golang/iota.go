package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// counted are the constants of a source whose values rest on iota, by name: what each is, and at which iota.
func (f *facts) counted() map[string]fact {
	out := map[string]fact{}
	if f.file == nil {
		return out
	}
	for _, decl := range f.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		expression := ""
		for i, spec := range gen.Specs {
			one := spec.(*ast.ValueSpec)
			if len(one.Values) > 0 {
				expression = ""
				for _, value := range one.Values {
					expression += " " + printed(value)
				}
			}
			if !strings.Contains(expression, "iota") {
				continue
			}
			for _, name := range one.Names {
				if name.Name != "_" {
					out[name.Name] = fact{key: fmt.Sprint(i, expression), pos: name.Pos(),
						what: "the value of " + name.Name + ", which counts by iota"}
				}
			}
		}
	}
	return out
}

// shifted returns the first constant whose value changes because one above it is gone; nil when there is none. Who
// inserts a constant means the others to move.
func shifted(old, now *facts) *Change {
	was, is := old.counted(), now.counted()
	if len(is) >= len(was) {
		return nil
	}
	var first *fact
	for name, one := range is {
		if before, ok := was[name]; ok && before.key != one.key && (first == nil || one.pos < first.pos) {
			first = &one
		}
	}
	if first == nil {
		return nil
	}
	return &Change{now.line(first.pos), first.what}
}
