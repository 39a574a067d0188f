package lang

import (
	"slices"
	"strings"
)

// kind is what a piece of a source is.
type kind uint8

const (
	codePiece    kind = iota // a word, a sign, blanks
	literalPiece             // a string, a regular expression, the text of a template
	commentPiece
)

// piece is a stretch of a source, up to an offset.
type piece struct {
	end  int
	kind kind
	open int // where that begins which the text never closes; -1 where all is closed
}

// scanner gives the piece that begins at an offset of a text. It has to be called from the beginning of the text on.
type scanner func(i int) piece

// tokenEnd returns the end of the token at i, which is not a comment; closed is false when the text never closes it.
type tokenEnd func(text string, i int) (end int, closed bool)

// pieces returns the scanner of a text of the language.
func (l *Language) pieces(text string) scanner {
	if l.scan != nil {
		return l.scan(text)
	}
	return scanTokens(text, l.plainToken, l.lineComment(), l.blocks(), false)
}

// scanBy returns the scanners of a language with the comments of C; nested says that these nest.
func scanBy(token tokenEnd, nested bool) func(text string) scanner {
	return func(text string) scanner { return scanTokens(text, token, "//", true, nested) }
}

func scanTokens(text string, token tokenEnd, sign string, blocks, nested bool) scanner {
	return func(i int) piece {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, sign):
			return piece{lineEnd(text, i), commentPiece, -1}
		case blocks && strings.HasPrefix(rest, "/*"):
			end, closed := commentEnd(text, i, nested)
			return piece{end, commentPiece, openAt(closed, i)}
		}
		end, closed := token(text, i)
		if end > i+1 && isLiteral(text[i:end]) {
			return piece{end, literalPiece, openAt(closed, i)}
		}
		return piece{end, codePiece, openAt(closed, i)}
	}
}

// openAt returns an offset unless something is closed there, and -1 then.
func openAt(closed bool, i int) int {
	if closed {
		return -1
	}
	return i
}

// isLiteral reports whether a token is a string.
func isLiteral(token string) bool {
	last := token[len(token)-1]
	return len(token) > 1 && (last == '"' || last == '\'' || last == '`' || token[0] == '"' || token[0] == '`') ||
		len(token) > 1 && token[0] == '#' || strings.HasPrefix(token, `r#"`) || strings.HasPrefix(token, `br#"`)
}

// plainToken is the token of a language that is known by its signs alone.
func (l *Language) plainToken(text string, i int) (end int, closed bool) {
	signs, chars := l.Strings.signs, l.Strings.chars
	if signs == "" {
		signs, chars = cStrings.signs, cStrings.chars
	}
	switch b := text[i]; {
	case chars && b == '\'':
		if n := charLength(text[i:lineEnd(text, i)]); n > 0 {
			return i + n, true
		}
	case strings.IndexByte(signs, b) >= 0:
		if triple := strings.Repeat(string(b), 3); strings.HasPrefix(text[i:], triple) {
			return endBehind(text, i+3, triple)
		}
		return quotedEnd(text, i, b == '`')
	case wordByte(b):
		return wordEnd(text, i), true
	}
	return i + 1, true
}

// each visits the pieces of a text, as long as visit returns true.
func (l *Language) each(text string, visit func(from int, p piece) bool) {
	next := l.pieces(text)
	for i := 0; i < len(text); {
		p := next(i)
		p.end = max(p.end, i+1)
		if !visit(i, p) {
			return
		}
		i = p.end
	}
}

// Unclosed returns the offset at which a string or a comment begins that the source never closes, in Python also a
// bracket; -1 when all are closed, and for a language of which that is not known. What is never closed swallows the
// rest of its file: a server knows no use there, and its answers do not say so (clangd 22.1.8, gopls 0.23.0,
// rust-analyzer
// 1.97.1, typescript-language-server 6.0.2).
func (l *Language) Unclosed(text string) int {
	if l.scan == nil {
		return -1
	}
	unclosed, open, _ := l.brackets(text)
	if l.statements != nil && open >= 0 {
		return open
	}
	return unclosed
}

// Unpaired returns the offset of the first bracket of a piece of code that the piece closes and does not open, else of
// the first that it opens and does not close; -1 when all have their pair, and where that cannot be told.
func (l *Language) Unpaired(text string) int {
	if l.scan == nil || l.unsure != nil && l.unsure(text) {
		return -1
	}
	_, open, stray := l.brackets(text)
	if stray >= 0 {
		return stray
	}
	return open
}

// brackets returns where the first string or comment begins that a text never closes, the first bracket that it does
// not close, of whatever kind, as pyright counts them (1.1.414), and the first that it does not open; -1 where there is
// no such.
func (l *Language) brackets(text string) (unclosed, open, stray int) {
	unclosed, stray = -1, -1
	var around []int
	l.each(text, func(i int, p piece) bool {
		switch sign := p.end == i+1 && p.kind == codePiece; {
		case p.open >= 0:
			unclosed = p.open
			return false
		case sign && strings.IndexByte("([{", text[i]) >= 0:
			around = append(around, i)
		case sign && strings.IndexByte(")]}", text[i]) >= 0 && len(around) > 0:
			around = around[:len(around)-1]
		case sign && strings.IndexByte(")]}", text[i]) >= 0 && stray < 0:
			stray = i
		case len(around) > 0 && l.statements != nil && wordByte(text[i]) && l.statements[text[i:p.end]] &&
			!strings.HasSuffix(text[:i], "."):
			return false // a bracket in which a statement begins is not closed, either
		}
		return true
	})
	return unclosed, append(around, -1)[0], stray
}

// hasConditions reports whether a piece of C may open the same bracket in two branches.
func hasConditions(text string) bool {
	return strings.Contains(text, "#if") || strings.Contains(text, "#el") || strings.Contains(text, "#define")
}

// commentEnd returns the end of the comment that begins at i.
func commentEnd(text string, i int, nested bool) (end int, closed bool) {
	if !nested {
		return endBehind(text, i+2, "*/")
	}
	depth := 0
	for i+1 < len(text) {
		switch text[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			if i, depth = i+2, depth-1; depth == 0 {
				return i, true
			}
		default:
			i++
		}
	}
	return len(text), false
}

// endBehind returns the end of the first occurrence of closing from i on.
func endBehind(text string, i int, closing string) (end int, closed bool) {
	i = min(i, len(text))
	if n := strings.Index(text[i:], closing); n >= 0 {
		return i + n + len(closing), true
	}
	return len(text), false
}

// quotedEnd returns the end of the string literal whose quote is at i. With lines it may contain line breaks;
// without, it ends with its line at the latest.
func quotedEnd(text string, i int, lines bool) (end int, closed bool) {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\' && strings.HasPrefix(text[i+1:], "\r\n"):
			i += 2
		case b == '\\':
			i++
		case b == quote:
			return i + 1, true
		case !lines && (b == '\n' || b == '\r'):
			return i, true
		}
	}
	return len(text), !lines
}

func cToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"' || b == '\'':
		return quotedEnd(text, i, false)
	case b >= '0' && b <= '9':
		for i < len(text) && (wordByte(text[i]) || text[i] == '\'' && i+1 < len(text) && wordByte(text[i+1])) { // 1'000
			i++
		}
		return i, true
	case wordByte(b):
		end = wordEnd(text, i)
		if slices.Contains(cRaw, text[i:end]) && end < len(text) && text[end] == '"' {
			return cRawEnd(text, end)
		}
		return end, true
	case b == '#':
		return headerEnd(text, i), true
	}
	return i + 1, true
}

// cRaw are the prefixes of raw strings.
var cRaw = []string{"R", "LR", "uR", "UR", "u8R"}

// cRawEnd returns the end of a raw string whose quote is at i.
func cRawEnd(text string, i int) (end int, closed bool) {
	n := strings.IndexAny(text[i+1:min(i+18, len(text))], "( )\\\t\v\f\r\n\"")
	if n < 0 || text[i+1+n] != '(' {
		return quotedEnd(text, i, false) // none
	}
	return endBehind(text, i+2+n, ")"+text[i+1:i+1+n]+`"`)
}

// headerEnd returns the end of the directive at i, with the header in angle brackets that it names: a path may hold
// the signs of a comment.
func headerEnd(text string, i int) int {
	line := text[i:lineEnd(text, i)]
	rest := strings.TrimLeft(line[1:], " \t")
	name := rest[:wordEnd(rest, 0)]
	if !strings.HasPrefix(name, "include") && name != "import" && name != "embed" {
		return i + 1
	}
	rest = strings.TrimLeft(rest[len(name):], " \t")
	if n := strings.IndexByte(rest, '>'); n >= 0 && rest[0] == '<' {
		return i + len(line) - len(rest) + n + 1
	}
	return i + 1
}

func goToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"' || b == '\'':
		return quotedEnd(text, i, false)
	case b == '`':
		return endBehind(text, i+1, "`")
	}
	return i + 1, true
}

func rustToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"':
		return quotedEnd(text, i, true)
	case b == '\'':
		return rustCharEnd(text, i), true
	case b == '#' && i == 0 && strings.HasPrefix(text, "#!") &&
		!strings.HasPrefix(strings.TrimLeft(text[2:], " \t\r\n"), "["):
		return lineEnd(text, i), true
	case !wordByte(b):
		return i + 1, true
	}
	end = wordEnd(text, i)
	if word := text[i:end]; word == "r" || word == "br" || word == "cr" {
		hashes := len(text[end:]) - len(strings.TrimLeft(text[end:], "#"))
		if strings.HasPrefix(text[end+hashes:], `"`) {
			return endBehind(text, end+hashes+1, `"`+strings.Repeat("#", hashes))
		}
	}
	return end, true
}

// rustCharEnd returns the end of a character literal or a lifetime whose quote is at i.
func rustCharEnd(text string, i int) int {
	if i+1 < len(text) && wordByte(text[i+1]) {
		end := wordEnd(text, i+1)
		if end < len(text) && text[end] == '\'' {
			end++
		}
		return end
	}
	for n := i + 1; n < len(text) && text[n] != '\n'; n++ { // '"', '\'', '\u{1F600}'
		switch text[n] {
		case '\\':
			n++
		case '\'':
			return n + 1
		}
	}
	return i + 1
}
