package resolve

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// flattenPath is [symbol.Flatten] for one way down a tree: the symbols of path, each inside of the one
// before, with their whole names.
func flattenPath(path []lsp.Symbol) []symbol.Named {
	var out []symbol.Named
	var scope []string
	for _, sym := range path {
		n, inside := symbol.NameWithin(sym, scope)
		out, scope = append(out, n), inside
	}
	return out
}

// matching returns the symbols that a name means: those whose whole name it is, else those that end
// with it. An impl block has the name of its type, which is declared elsewhere; it is meant only by its
// head, as outlines show it.
func matching(all []symbol.Named, name, kind string) []symbol.Named {
	want := symbol.Components(name)
	var head, whole, ends []symbol.Named
	for _, n := range all {
		switch {
		case kind != "" && string(n.Sym.Kind) != kind || !symbol.EndsWith(n.Parts, want):
		case IsImpl(n.Sym):
			if OneLine(n.Sym.Name) == OneLine(name) {
				head = append(head, n)
			}
		case len(n.Parts) == len(want):
			whole = append(whole, n)
		default:
			ends = append(ends, n)
		}
	}
	switch {
	// The impl block was named as such; then the whole name; what only ends with the name comes last.
	case len(head) > 0:
		return head
	case len(whole) > 0:
		return whole
	}
	return outermost(ends, func(n symbol.Named) []string { return n.Parts })
}

// OneLine returns a name as outlines show it, with single spaces.
func OneLine(name string) string { return strings.Join(strings.Fields(name), " ") }

// outermost leaves out what is directly inside of another match of the same name: constructors, which
// are meant by Widget::Widget.
func outermost[T any](all []T, parts func(T) []string) []T {
	return slices.DeleteFunc(slices.Clone(all), func(inner T) bool {
		p := parts(inner)
		return len(p) > 1 && slices.ContainsFunc(all, func(outer T) bool {
			return slices.Equal(parts(outer), p[:len(p)-1])
		})
	})
}

// IsImpl reports whether a symbol is an impl block of Rust, which outlines name by its header.
func IsImpl(s lsp.Symbol) bool {
	return strings.HasPrefix(s.Name, "impl") && s.Name != "impl" && !source.IsWord(rune(s.Name[4]))
}

// NameIn returns where the name of a symbol stands: where the server's selectionRange has it, else its
// first occurrence in the first lines of the symbol.
func NameIn(text *source.Text, sym lsp.Symbol, want []string) contract.Position {
	word := want[len(want)-1]
	at := sym.NameAt.Start
	if offset, err := text.Offset(at); err == nil && strings.HasPrefix(text.Content()[offset:], word) {
		return at
	}
	for n := sym.NameAt.Start.Line; n <= min(sym.Range.End.Line, sym.NameAt.Start.Line+20); n++ {
		if found := source.Occurrences(text.Line(n), word); len(found) > 0 {
			return text.PositionAt(text.LineStart(n) + found[0])
		}
	}
	return at
}

// maxDeclarations bounds the declarations of one name in a file that are compared.
const maxDeclarations = 8

// defined leaves out declarations that are also defined in the same file, so that a C++ method that is
// declared in its class and defined below is one symbol. Its server leads from the one to the other,
// and back unless they are overloads. It also leads from a variable to the field that it was taken
// from, which is another symbol. The longer one is taken for the definition.
func defined(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, path string,
	matches []symbol.Named, want []string) []symbol.Named {
	if !s.Offers(lsp.MethodDefinition) || len(matches) > maxDeclarations {
		return matches
	}
	leads := make([][]bool, len(matches)) // from the one to the other
	for i, m := range matches {
		leads[i] = make([]bool, len(matches))
		places, err := s.Counterparts(ctx, path, NameIn(text, m.Sym, want))
		if err != nil {
			continue
		}
		for j, other := range matches {
			// Of the same whole name: a variable leads to the field it was taken from, which has another one.
			leads[i][j] = i != j && slices.Equal(m.Parts, other.Parts) &&
				slices.ContainsFunc(places, func(p lsp.Place) bool {
					return p.Path == path && p.Range.Start == NameIn(text, other.Sym, want)
				})
		}
	}
	// { name } in JavaScript has nothing but the name, and is what it leads to.
	bare := func(i int) bool { return matches[i].Sym.Range == matches[i].Sym.NameAt }
	var shorthand []contract.Position
	for i, m := range matches {
		for j := range matches {
			if leads[i][j] && bare(i) && !bare(j) {
				shorthand = append(shorthand, m.Sym.NameAt.Start)
			}
		}
	}
	return slices.DeleteFunc(longestOfEach(matches, func(i, j int) bool {
		return leads[i][j] && (leads[j][i] || symbol.IsCode(matches[i].Sym.Kind) &&
			matches[i].Sym.Kind == matches[j].Sym.Kind)
	}), func(m symbol.Named) bool { return slices.Contains(shorthand, m.Sym.NameAt.Start) })
}

// longestOfEach keeps one of those that are one symbol by one: the longest in lines, of equals the
// last. The relation is taken as transitive: when a is one with b, and b with c, all three are one. The
// rest stays in its order.
func longestOfEach(matches []symbol.Named, one func(i, j int) bool) []symbol.Named {
	// At first each is a group of its own; then groups are renamed to that of a member that is the same symbol.
	group := make([]int, len(matches))
	for i := range matches {
		group[i] = i
	}
	for i := range matches {
		for j := range matches {
			if from := group[j]; one(i, j) {
				for k := range group {
					if group[k] == from {
						group[k] = group[i]
					}
				}
			}
		}
	}
	lines := func(n symbol.Named) int { return n.Sym.Range.End.Line - n.Sym.Range.Start.Line }
	best := map[int]int{}
	for i, m := range matches {
		if have, ok := best[group[i]]; !ok || lines(m) >= lines(matches[have]) {
			best[group[i]] = i
		}
	}
	var out []symbol.Named
	for i, m := range matches {
		if best[group[i]] == i {
			out = append(out, m)
		}
	}
	return out
}
