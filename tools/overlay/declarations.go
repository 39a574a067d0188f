package overlay

import (
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// ChangedDeclaration is a declaration with lines that differ from another text of its file.
type ChangedDeclaration struct {
	lsp.Symbol
	Name string // with the names of what it is declared in
	Body bool   // only lines in the body of a function differ
}

// ChangedDeclarations returns the declarations of a text on lines that the other text lacks, or where
// it has more: the innermost ones, but none that are local to a function. outside counts the differing
// lines of code that belong to no declaration.
func ChangedDeclarations(spec *spec.Spec, text, other *source.Text, symbols []lsp.Symbol) (out []ChangedDeclaration,
	outside int) {
	lines, _ := changedLines(text, other)
	for _, l := range lines {
		chains := l.chains(symbols)
		if len(chains) == 0 {
			chains = [][]lsp.Symbol{nil}
		}
		stays := func(chain []lsp.Symbol) bool { return staysIn(text, other, chain) }
		if slices.ContainsFunc(chains, func(chain []lsp.Symbol) bool { return !stays(chain) }) {
			chains = slices.DeleteFunc(chains, stays) // what stands beside a change is not changed
		}
		left := false
		for _, chain := range chains {
			within, names := []lsp.Symbol(nil), []string(nil)
			for _, sym := range chain {
				within, names = append(within, sym), append(names, sym.Name)
				if sym.Kind.IsFunction() {
					break
				}
			}
			for len(within) > 0 && within[len(within)-1].Kind.IsScope() {
				within, names = within[:len(within)-1], names[:len(names)-1]
			}
			if len(within) == 0 {
				left = left || !l.inserted && l.line <= text.Lines() && !isBlankOrComment(text.Line(l.line))
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
		if left {
			outside++
		}
	}
	return out, outside
}

// staysIn reports whether the text of the innermost of symbols, in one line with others, stands in another text, too.
func staysIn(text, other *source.Text, chain []lsp.Symbol) bool {
	if len(chain) == 0 {
		return false
	}
	r := chain[len(chain)-1].Range
	from, err := text.Offset(r.Start)
	to, endErr := text.Offset(r.End)
	return err == nil && endErr == nil && r.Start.Line == r.End.Line && from < to &&
		strings.Contains(other.Content(), text.Content()[from:to])
}

// behindHead reports whether a line stands behind the line on which the head of a function ends. In a
// language without braces the head ends with the character that the server's row names (Python's
// colon), outside of all brackets.
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

// declares matches a line that declares something, in the languages that say so by a word; the first
// group is the name.
var declares = source.LazyRegexp(`^\s*(?:(?:export|default|declare|pub(?:\([^)]*\))?|async|static|abstract|public|private|protected|unsafe|inline|extern|final)\s+)*` +
	`(?:func(?:\s*\([^)]*\))?|def|class|fn|struct|enum|trait|type|interface|function|macro_rules!|union|var|let|val|const(?:\s+(?:fn|mut))?|static(?:\s+mut)?)\s+([\p{L}_][\p{L}\p{N}_]*)`)

// declaresC matches the first line of a function of C or C++; the first group is the name.
var declaresC = source.LazyRegexp(`^[A-Za-z_][\w:<>,&*\s]*?[\s&*]([A-Za-z_]\w*)\s*\([^;{]*\)?(?:[^;=]*[{;,]?\s*$|[^;=({]*\{)`)

// declaresValue matches a value at the top of a source of a language that declares it by an assignment alone.
var declaresValue = source.LazyRegexp(`^([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]`)

// declaresMember matches a line that declares a member of a class or interface of TypeScript or JavaScript, or assigns
// one that others see; the first or second group is the name.
var declaresMember = source.LazyRegexp(`^\s+(?:(?:public|private|protected|readonly|static|abstract|override|declare|async|get|set|accessor)\s+)*\*?` +
	`([\p{L}_$][\p{L}\p{N}_$]*)[?!]?(?:\s*(?:<[^()]*>)?\([^{};]*\)\s*(?:(?::[^=;{]+)?\{|:[^=;{]+;)|\s*:[^=,;(){]+(?:=[^=].*)?;)` +
	`|^\s*(?:(?:module\.)?exports|this|[\w$.]+\.prototype)\.([\p{L}_$][\p{L}\p{N}_$]*)\s*=[^=]`)

// declaredBy returns the name that a line declares in a form; "" where it declares none.
func declaredBy(form *source.Regexp, path, line string) string {
	m := form.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	name := strings.Join(m[1:], "")
	l := lang.Of(path)
	if form == declaresC && !l.IsC() {
		return ""
	}
	if form == declaresMember && (!l.IsScript() || l.Keywords[name] || name == "constructor") {
		return ""
	}
	return name
}

// Gone returns the names that the text before declares, by the words of its lines, and that no line of the text
// declares any more, though it may hold them (a comment, another use). No server can be asked: it has the present
// text alone.
func Gone(text, before *source.Text) (names []string) {
	_, lines := changedLines(text, before)
	for _, l := range lines {
		if l.inserted || l.line > before.Lines() {
			continue
		}
		for _, form := range []*source.Regexp{declares, declaresC, declaresValue, declaresMember} {
			name := declaredBy(form, text.Path, before.Line(l.line))
			if name != "" && !declaresName(text, form, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// declaresName reports whether a line of a text, outside of comments, declares a name in a form.
func declaresName(text *source.Text, form *source.Regexp, name string) bool {
	if !source.HasWord(text.Content(), name) {
		return false
	}
	sign := lang.CommentSign(text.Path)
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if declaredBy(form, text.Path, line) == name && !strings.HasPrefix(strings.TrimSpace(line), sign) {
			return true
		}
	}
	return false
}

// passesOn matches a line by which those who use this file get what another one declares: an import or
// export of names, or, in the first group, an include, which names none.
var passesOn = source.LazyRegexp(`^\s*(?:(#\s*(?:include|import)\b)|(?:export|import|from)\b)`)

// PassedOn returns the names that the text before imported and passed on, and that the text does not
// hold any more; it looks at single lines. included is true where an include is gone: nobody knows here
// what it declares.
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
