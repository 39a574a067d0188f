package overlay

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// changedNames returns the names of what the differing lines of two texts declare, by the symbols of
// the text before. The body of a function declares nothing for others. visible matches the beginning of
// a declaration that other projects can use; nil takes all.
func changedNames(before, after *source.Text, symbols []lsp.Symbol, visible *regexp.Regexp) (names []string) {
	old, _ := changedLines(before, after)
	for _, l := range old {
		line := ""
		if l.line <= before.Lines() {
			line = strings.TrimSpace(before.Line(l.line))
		}
		// Blank lines and comments declare nothing; an insertion counts by where it stands.
		if !l.inserted && (line == "" || strings.HasPrefix(line, "//")) {
			continue
		}
		within := l.symbols(symbols)
		switch {
		// The body of a function is nobody else's matter; first of the cases, because a local declaration is a
		// symbol, too.
		case slices.ContainsFunc(within, func(sym lsp.Symbol) bool {
			return sym.Kind.IsFunction() && l.inBody(before, sym)
		}):
		case len(within) > 0:
			names = append(names, l.names(before, within, visible)...)
		case !l.inserted && (visible == nil || visible.MatchString(line)):
			names = append(names, wordsIn(line)...) // what a macro declares, or what is imported for others
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// inBody reports whether a line stands behind the brace that opens the body of a function. Where the
// result type is inferred from the body ("impl Trait" in Rust) the body is part of what others see, and
// does not count as one.
func (l changedLine) inBody(text *source.Text, sym lsp.Symbol) bool {
	// All lines from the name to the changed one, because a head may be wrapped over several.
	head := ""
	for n := sym.NameAt.Start.Line; n < l.line; n++ {
		head += text.Line(n)
	}
	head, _, opened := strings.Cut(head, "{")
	return opened && !strings.Contains(head, "impl ")
}

// names returns the name of the innermost symbol of a line, and that of the type that it is a member
// of. Where the server's name is no word of the text (an impl block), it returns all words of the
// symbol's first line.
func (l changedLine) names(text *source.Text, within []lsp.Symbol, visible *regexp.Regexp) (out []string) {
	last := len(within) - 1
	sym := within[last]
	if visible != nil && !declaredForOthers(text, within, visible) {
		return nil
	}
	name := text.WordAt(sym.NameAt.Start)
	// Servers write more than the name ("impl Trait for T", "(anonymous)"): any word of the line may be what others
	// use.
	if name == "" || name != sym.Name {
		return wordsIn(text.Line(sym.NameAt.Start.Line))
	}
	out = append(out, name)
	if last > 0 && within[last-1].Kind.IsContainer() {
		if of := text.WordAt(within[last-1].NameAt.Start); of == within[last-1].Name {
			out = append(out, of)
		}
	}
	return out
}

// declaredForOthers reports whether other projects can use the innermost of symbols. Members of
// interfaces and enumerations are as visible as these are.
func declaredForOthers(text *source.Text, within []lsp.Symbol, visible *regexp.Regexp) bool {
	last := len(within) - 1
	if last > 0 && slices.Contains([]lsp.SymbolKind{"interface", "enum"}, within[last-1].Kind) {
		last--
	}
	sym := within[last]
	if sym.Kind == "object" { // an implementation has no visibility of its own
		return true
	}
	from, err := text.Offset(sym.Range.Start)
	to, err2 := text.Offset(contract.Position{Line: sym.NameAt.End.Line, Character: sym.NameAt.End.Character})
	return err != nil || err2 != nil || from > to || visible.MatchString(text.Content()[from:to])
}

// wordsIn returns the identifiers of a line.
func wordsIn(line string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(line, func(r rune) bool {
		return !source.IsWord(r)
	}), func(word string) bool { return !lang.IsIdentifier(word) })
}

// ChangedSymbols returns the names that new texts change in what files declare, going by the symbols of
// the texts on disk; known is false when the server does not tell these.
func ChangedSymbols(ctx context.Context, s *lsp.Snapshot, texts map[string]string,
	visible *regexp.Regexp) (names []string, known bool) {
	for path, content := range texts {
		before, err := s.Documents().Load(path)
		// A new file, or one of another server, changes nothing that sources of this server know by a name.
		if err != nil || !s.Spec().Serves(filepath.Base(path)) {
			continue
		}
		symbols, _, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return nil, false
		}
		names = append(names, changedNames(before, source.New(path, content), symbols, visible)...)
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// ChangedForOthers are the names by which sources of other projects may notice that files get new texts, sorted;
// texts are by path. all is true where a source may notice that holds none of them.
func ChangedForOthers(ctx context.Context, s *lsp.Snapshot, texts map[string]string) (names []string, all bool) {
	if link := s.Hooks().Link; link != nil && link.Visible != nil {
		names, known := ChangedSymbols(ctx, s, texts, link.Visible)
		return names, !known
	}
	return lsp.ExportedChanges(s.Server, texts)
}
