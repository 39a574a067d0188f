package overlay

import (
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// ChangedDeclaration is a declaration of which lines differ from another text of its file.
type ChangedDeclaration struct {
	lsp.Symbol
	Name string // with the names of what it is declared in
	Body bool   // only the body of a function differs
}

// ChangedDeclarations are the declarations of a text, by its symbols, on lines that the other text has not or where
// that has more: the innermost ones, but nothing that is local to a function. outside are the differing lines of
// code that are part of no declaration.
func ChangedDeclarations(spec *spec.Spec, text, other *source.Text, symbols []lsp.Symbol) (out []ChangedDeclaration,
	outside int) {
	lines, _ := changedLines(text, other)
	for _, l := range lines {
		within, names := []lsp.Symbol(nil), []string(nil)
		for _, sym := range l.symbols(symbols) {
			within, names = append(within, sym), append(names, sym.Name)
			if sym.Kind.IsFunction() {
				break
			}
		}
		for len(within) > 0 && within[len(within)-1].Kind.IsScope() {
			within, names = within[:len(within)-1], names[:len(names)-1]
		}
		if len(within) == 0 {
			if !l.inserted && l.line <= text.Lines() && !isBlankOrComment(text.Line(l.line)) {
				outside++
			}
			continue
		}
		sym := within[len(within)-1]
		body := sym.Kind.IsFunction() && l.behindHead(spec, text, sym)
		i := slices.IndexFunc(out, func(d ChangedDeclaration) bool { return d.NameAt == sym.NameAt })
		if i < 0 {
			out = append(out, ChangedDeclaration{sym, strings.Join(names, "."), body})
			continue
		}
		out[i].Body = out[i].Body && body
	}
	return out, outside
}

// behindHead reports whether a line stands behind the line on which the head of a function ends.
func (l changedLine) behindHead(spec *spec.Spec, text *source.Text, sym lsp.Symbol) bool {
	if spec.Dynamic == nil || spec.Dynamic.Body == "{" {
		return l.inBody(text, sym)
	}
	depth := 0
	for n := sym.NameAt.Start.Line; n < l.line; n++ {
		for _, r := range text.Line(n) {
			switch {
			case strings.ContainsRune("([{", r):
				depth++
			case strings.ContainsRune(")]}", r):
				depth--
			case depth == 0 && string(r) == spec.Dynamic.Body:
				return true
			}
		}
	}
	return false
}

// declares begins a line that declares something, in the languages that say so by a word.
var declares = source.LazyRegexp(`^\s*(?:(?:export|default|declare|pub(?:\([^)]*\))?|async|static|abstract|public|private|protected|unsafe|inline|extern|final)\s+)*` +
	`(?:func(?:\s*\([^)]*\))?|def|class|fn|struct|enum|trait|type|interface|function|macro_rules!|union)\s+([\p{L}_][\p{L}\p{N}_]*)`)

// declaresC is a function of C or C++ at the beginning of a line.
var declaresC = source.LazyRegexp(`^[A-Za-z_][\w:<>,&*\s]*?[\s&*]([A-Za-z_]\w*)\s*\([^;{]*\)?[^;=]*[{;,]?\s*$`)

// Gone are names that lines of a text before declare, going by their words, and that a text has not any more. A
// server knows nothing of them.
func Gone(text, before *source.Text) (names []string) {
	_, lines := changedLines(text, before)
	for _, l := range lines {
		if l.inserted || l.line > before.Lines() {
			continue
		}
		for _, form := range []*source.Regexp{declares, declaresC} {
			if m := form.FindStringSubmatch(before.Line(l.line)); m != nil && !source.HasWord(text.Content(), m[1]) &&
				!slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// passesOn begins a line that makes what another file declares known to those who use this one: an import or export
// of names, or, in the first group, an include, which names none.
var passesOn = source.LazyRegexp(`^\s*(?:(#\s*(?:include|import)\b)|(?:export|import|from)\b)`)

// PassedOn are names that a text before had from another file, for those who use it, and that the text has not any
// more, going by the words of single lines. included is true where an include is gone, since nobody knows here what
// that declares.
func PassedOn(text, before *source.Text) (names []string, included bool) {
	_, lines := changedLines(text, before)
	for _, l := range lines {
		if l.inserted || l.line > before.Lines() {
			continue
		}
		line := before.Line(l.line)
		m := passesOn.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] != "":
			included = included || !slices.Contains(strings.Split(text.Content(), "\n"), line)
		default:
			for _, name := range wordsIn(line) {
				if !source.HasWord(text.Content(), name) && !slices.Contains(names, name) &&
					!slices.Contains([]string{"import", "export", "from", "as", "type"}, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names, included
}
