package main

import (
	"fmt"
	"maps"
	"slices"
)

// No package may grow beyond these: the methods of a type, the files that refer to each other in a ring, the fields
// of a Spec. maxFiles limits the files of two packages. Besides, no two names differ by case alone, and no line is
// longer than maxColumns.
const (
	maxMethods = 80
	maxRing    = 15
	maxFields  = 60
)

// maxFiles are the most files that a package may have, tests aside: the two packages that everything used to be put
// into. New files belong to a package below them. 18 files of lsp are what the tools ask by hooks, most of which the
// audit is to make needless: the number goes down with them.
var maxFiles = map[string]int{"lsp": 56, "tools": 47}

// exceeded returns a sentence for each limit that the code is beyond.
func exceeded(tree *Tree) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, p := range tree.Packages {
		if limit, ok := maxFiles[p.Dir]; ok && len(p.Files) > limit {
			say("%s has %d files, more than %d: find the package that the new ones belong to", p.Dir, len(p.Files),
				limit)
		}
		for _, typ := range slices.Sorted(maps.Keys(p.Methods)) {
			if n := p.Methods[typ]; n > maxMethods {
				say("%s.%s has %d methods, more than %d: give the new ones a type of their own", p.Dir, typ, n,
					maxMethods)
			}
		}
		if n := len(p.Ring); n > maxRing {
			say("%d files of %s refer to each other in a ring, more than %d", n, p.Dir, maxRing)
		}
		if n := p.Fields["Spec"]; n > maxFields {
			say("%s.Spec has %d fields, more than %d", p.Dir, n, maxFields)
		}
		for _, line := range p.TooLong {
			say("%s/%s has more than %d columns", p.Dir, line, maxColumns)
		}
		for _, pair := range p.ByCase {
			say("%s: %s differ by case alone", p.Dir, pair)
		}
	}
	return all
}
