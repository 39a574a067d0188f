package main

import (
	"fmt"

	"lspi/internal/house"
)

// limits are what must not grow any more: the methods of a type, the files of a package that refer to each other in a ring, the fields
// of a struct. They come down with each step that takes these packages apart; the goals are 80 methods, 15 files and 60 fields.
var limits = []struct {
	dir, typ      string
	methods, ring int
	structure     string
	fields        int
}{
	{dir: "lsp", typ: "Server", methods: 184, ring: 15, structure: "Spec", fields: 60},
	{dir: "answer", typ: "Call", methods: 80, ring: 15},
	{dir: "coverage", ring: 15},
	{dir: "tools", ring: 15},
	{dir: "pool", typ: "Pool", methods: 40, ring: 9},
}

// exceeded says in a sentence each which limits the code is beyond.
func exceeded(tree *house.Tree) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, limit := range limits {
		p := tree.Package(limit.dir)
		if p == nil || limit.typ != "" && p.Methods[limit.typ] == 0 {
			say("%s.%s is not there", limit.dir, limit.typ)
			continue
		}
		if n := p.Methods[limit.typ]; n > limit.methods {
			say("%s.%s has %d methods, more than %d: give the new ones a type of their own", limit.dir, limit.typ, n, limit.methods)
		}
		if n := len(p.Ring); n > limit.ring {
			say("%d files of %s refer to each other in a ring, more than %d", n, limit.dir, limit.ring)
		}
		if n := p.Fields[limit.structure]; limit.structure != "" && n > limit.fields {
			say("%s.%s has %d fields, more than %d", limit.dir, limit.structure, n, limit.fields)
		}
	}
	return all
}
