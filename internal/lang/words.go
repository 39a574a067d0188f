package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// EachWord visits the words of a text, which are letters, digits and _, and do not begin with a digit, in their order.
// With $ beside them they are visited once more together with it, and in code of scripts, where it is a letter, only
// so. The language of the text is that of the file's name. Of a notebook only the cells with code count.
func EachWord(path, text string, visit func(from, to int, use Use)) {
	m := mark(path, text)
	for i := 0; i < len(text); {
		if m.begins(i) {
			i = m.visit(path, i, visit)
		} else {
			i++
		}
	}
}

// Aside are the places of a word, as offsets, where it stands in a comment or a string, by the whole text; none in
// languages of which strings may be the names, as in data and markup.
func Aside(path, text, word string) map[int]bool {
	out := map[int]bool{}
	if l := Of(path); l.ID == "" || l.Optional || l.NoSymbols || l.Quoted {
		return out
	}
	EachOf(path, text, []string{word}, func(from, _ int, use Use) {
		if use&(CodeUse|OpenUse|TemplateUse|OptionUse) == 0 { // an option may be a name behind a minus, too: -a,b
			out[from] = true
		}
	})
	return out
}

// EachOf is [EachWord] for some words alone. It keeps what it knows of a text for the next question.
func EachOf(path, text string, words []string, visit func(from, to int, use Use)) {
	var found []int
	for _, word := range words {
		for at := 0; word != ""; at += len(word) {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			at += i
			found = append(found, at)
		}
	}
	if len(found) == 0 {
		return
	}
	slices.Sort(found)
	m, end := marks.of(path, text), 0
	for _, i := range found {
		if !m.isWhole(i) { // the words are told from their signs on
			i += len(text[i:]) - len(strings.TrimLeft(text[i:], "$"))
		}
		if i < end || !m.begins(i) || i > 0 && (wordByte(text[i-1]) || m.isWhole(i) && text[i-1] == '$') {
			continue
		}
		end = m.visit(path, i, func(from, to int, use Use) {
			if slices.Contains(words, text[from:to]) {
				visit(from, to, use)
			}
		})
	}
}

// isWhole reports whether a word at i has its $.
func (m *marked) isWhole(i int) bool { return m.script && i < len(m.text) && m.uses[i] == CodeUse }

// begins reports whether a word may begin at i, where none goes on.
func (m *marked) begins(i int) bool {
	return i < len(m.text) && (wordByte(m.text[i]) || m.text[i] == '$' && m.isWhole(i))
}

// visit visits the word that begins at i, and returns its end.
func (m *marked) visit(path string, i int, visit func(from, to int, use Use)) int {
	text, whole, end := m.text, m.isWhole(i), wordEnd(m.text, i)
	if whole {
		_, end = withDollars(text, i)
	}
	use := m.uses[i]
	if use == 0 || text[i] >= '0' && text[i] <= '9' {
		return end
	}
	switch {
	case use == proseUse:
		use = TextUse
	// What go:generate names is marked as alone, whatever option it is of.
	case use&(CodeUse|TextUse|AloneUse) != 0 && !(use == AloneUse && strings.HasSuffix(path, ".go")) &&
		m.behindOption(i):
		use = OptionUse
	case (use == TextUse || use == CodeUse && m.loose) &&
		(m.imports || i > 0 && strings.IndexByte(".:#", text[i-1]) >= 0) && Qualifier(text, i) != "":
		use = QualifiedUse
	}
	visit(i, end, use)
	if m.dollars && !whole {
		if from, to := withDollars(text, i); to-from > end-i && strings.Trim(text[from:i], "$") == "" {
			visit(from, to, use)
		}
	}
	return end
}

// withDollars returns the word at i with each $ that it has, and the words behind these. The $ of ${ is none.
func withDollars(text string, i int) (from, to int) {
	for from = i; from > 0 && (text[from-1] == '$' || wordByte(text[from-1])); {
		from--
	}
	for to = i; to < len(text) && (text[to] == '$' || wordByte(text[to])); {
		to++
	}
	if to < len(text) && to > i && text[to-1] == '$' && text[to] == '{' {
		to--
	}
	return from, to
}

// isScript reports whether a language (LSP identifier) is JavaScript or TypeScript.
func isScript(languageID string) bool {
	return slices.Contains([]string{"typescript", "typescriptreact", "javascript", "javascriptreact"}, languageID)
}

// proseUse is the mark of comments and documents, in which no name is more than a word.
const proseUse Use = 1 << UseBits

// marked is a text with the use of each byte. What is 0 at the end holds no words: signs, and what is no source of a
// notebook.
type marked struct {
	text string
	uses []Use
	// loose: what is code here may as well be data, or code of another language: a file of an unknown language, or the
	// script of a shell.
	loose bool
	// dollars: it has a dollar sign, which belongs to words in a script. imports: it has the word.
	dollars, script, imports bool
}

// mark tells the use of each byte of a text.
func mark(path, text string) *marked {
	m := &marked{text: text, uses: make([]Use, len(text)), dollars: strings.Contains(text, "$"),
		imports: strings.Contains(text, "import ")} // mostly not, and a look at the line costs more than one at two bytes
	m.script = m.dollars && isScript(OfText(path, text).ID)
	m.mark(path)
	return m
}

func (m *marked) fill(from, to int, use Use) {
	for i := from; i < min(to, len(m.uses)); i++ {
		m.uses[i] = use
	}
}

// options matches what stands before the value of an option.
var options = source.LazyRegexp(`(?:^|[\s"'(\[,])--?[A-Za-z][\w,=.+-]*[=,]$`)

// maxOption bounds the length of an option before its value, in bytes.
const maxOption = 100

// behindOption reports whether the word at i is the value of an option.
func (m *marked) behindOption(i int) bool {
	if i == 0 || m.text[i-1] != '=' && m.text[i-1] != ',' {
		return false
	}
	from := max(i-maxOption, strings.LastIndexByte(m.text[:i], '\n')+1)
	return strings.Contains(m.text[from:i], "-") && options.MatchString(m.text[from:i])
}

// mark decides by the language.
func (m *marked) mark(path string) {
	if made := TemplateOf(path); made != "" {
		m.source(Of(made), 0, len(m.text))
		m.templates(0, len(m.text))
		return
	}
	l := OfText(path, m.text)
	switch {
	case strings.HasSuffix(path, ".ipynb"):
		m.notebook()
		return
	case l.ID == "asm":
		m.assembler()
		return
	case slices.Contains(proseLanguages, l.ID):
		m.fill(0, len(m.text), proseUse)
		return
	}
	if p, ok := m.pageOf(path, l); ok {
		p.file()
		return
	}
	if l.NoSymbols || slices.Contains(templateLanguages, l.ID) {
		m.fill(0, len(m.text), TextUse)
		m.templates(0, len(m.text))
		m.otherDelimiters()
		return
	}
	m.source(l, 0, len(m.text))
	if l.Examples {
		m.fenced(l)
	}
	switch {
	case l.ID == "" || l.ID == "shellscript" || l.ID == "zsh":
		m.loose = true
		m.templates(0, len(m.text))
	case l.ID == "go":
		m.goComments()
		m.goTemplates()
	case l.IsC():
		m.openC()
	case l.ID == "rust":
		m.open(RustMacroTexts(m.text))
		m.open(RustConditional(m.text, nil))
	}
	m.openUnclosed(l)
}

// openUnclosed marks the code behind a bracket that is never closed, and all of a comment or a string that is not, as
// open: each parser goes on there in its own way.
func (m *marked) openUnclosed(l *Language) {
	n := len(m.text)
	// In Go, whose trees are the largest, that goes to the end of the text, which is then marked as text already.
	if l.scan == nil || n == 0 || l.ID == "go" && m.uses[n-1] == CodeUse {
		return
	}
	switch at := l.Unclosed(m.text); {
	case at < 0:
	case strings.IndexByte("([{", m.text[at]) >= 0:
		m.openRange(at, n)
	default:
		m.fill(at, n, OpenUse)
	}
}

// proseLanguages are those of documents, in which delimiters of templates are examples.
var proseLanguages = []string{"markdown", "latex", "bibtex", "typst", "rmd"}

// templateLanguages are those of texts with code between the delimiters of templates.
var templateLanguages = []string{"gotmpl", "erb", "eelixir", "phoenix-heex", "helm", "xml", "xsl"}

// source marks a piece of a source by the tokens of its language.
func (m *marked) source(l *Language, from, to int) {
	next := l.pieces(m.text[:to])
	for i := from; i < to; {
		p := next(i)
		end := max(p.end, i+1)
		switch p.kind {
		case codePiece:
			m.fill(i, end, CodeUse)
		case commentPiece:
			m.fill(i, end, proseUse)
		case literalPiece:
			m.fill(i, end, TextUse)
			if end < to || len(m.text) == to {
				m.literal(l, i, min(end, to))
			}
		}
		i = end
	}
}

// literal marks what is more than text in a string: the names that the language interpolates, those
// between the delimiters of templates, and a string that is one word.
func (m *marked) literal(l *Language, from, to int) {
	piece := m.text[from:to]
	prefix := len(piece) - len(strings.TrimLeft(piece, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	script := l.IsScript()
	if script && isRun(m.text[:from]) {
		m.fill(from, to, TemplateUse)
		return
	}
	inner := strings.Trim(piece[prefix:], "\"'`# ")
	if IsName(inner) || strings.ContainsAny(inner, "[|") && typeInString.MatchString(inner) {
		at := from + prefix + strings.Index(piece[prefix:], inner)
		m.fill(at, at+len(inner), AloneUse)
		return
	}
	if l.ID == "python" && (strings.HasPrefix(piece[prefix:], `"""`) || strings.HasPrefix(piece[prefix:], `'''`)) {
		m.fill(from, to, proseUse) // mostly documentation
		m.doctests(l, from, to)
	}
	inside := nothingInside
	if l.Strings.inside != nil && len(piece) > prefix {
		inside = l.Strings.inside(piece[:prefix], piece[prefix])
	}
	if strings.ContainsAny(piece, "{%") {
		m.templates(from, to)
		if l.ID == "python" && inside == nothingInside {
			m.fields(from, to)
		}
	}
	if script && (strings.Contains(piece, "</") || strings.Contains(piece, "/>")) {
		page{m: m, as: TemplateUse}.mark(from, to)
	}
	// A substitution of a script is a piece by itself.
	if inside != nothingInside && piece[0] != '`' && piece[0] != '}' {
		m.interpolated(l, inside, from, to)
	}
}

// isRun reports whether a script runs the string behind a text: eval("total()").
func isRun(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-maxCall):], " \t\r\n")
	return (strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",")) && runsText.MatchString(before)
}

// maxCall bounds how far in front of a string the function that runs it is looked for, in bytes.
const maxCall = 100

var runsText = source.LazyRegexp(`\b(?:eval|Function|setTimeout|setInterval)\s*\((?:\s*["'][^"'()]*["']\s*,)*$`)

// typeInString matches a string that is a type: "List[Context] | None".
var typeInString = source.LazyRegexp(`^[\pL\d_.]+([\[|, \]]+[\pL\d_.]*)+$`)

// interpolated marks the code in a string.
func (m *marked) interpolated(l *Language, inside insides, from, to int) {
	for i := from; i < to; i++ {
		switch b := m.text[i]; {
		case b == '{' && inside == bracesInside && i+1 < to && m.text[i+1] == '{':
			i++
		case b == '{' && (inside == bracesInside || i > from && m.text[i-1] == '$'):
			end := i + 1
			for end < to && m.text[end] != '}' {
				end++
			}
			// Formats of Rust take names alone; other braces are text, such as code that a build script writes.
			if l.ID == "rust" && !namedArgument.MatchString(m.text[i+1:end]) {
				continue
			}
			m.fill(i+1, end, CodeUse)
			m.quoted(i+1, end)
			i = end
		case b == '$' && inside == dollarInside:
			m.fill(i+1, wordEnd(m.text, i+1), CodeUse)
		}
	}
}

// namedArgument matches what a format of Rust has between braces (std, "fmt", Syntax).
var namedArgument = source.LazyRegexp(`^\s*[\pL_][\pL\d_]*\s*(?::[^\s{}():]*)?\s*$|^\d*:`)

// delimiters are those of templates, each with its end.
var delimiters = [][2]string{{"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}, {"${", "}"}}

// templates marks what stands between the delimiters of templates.
func (m *marked) templates(from, to int) {
	for _, d := range delimiters {
		for i := from; ; {
			n := strings.Index(m.text[i:to], d[0])
			if n < 0 {
				break
			}
			begin := i + n + len(d[0])
			n = strings.Index(m.text[begin:to], d[1])
			if n < 0 {
				break
			}
			// ${{ }} is an expression of the workflows of a forge, which knows no code of the project.
			if !strings.Contains(m.text[max(begin-3, 0):min(begin+1, to)], "${{") {
				m.fill(begin, begin+n, TemplateUse)
			}
			i = begin + n
		}
	}
}

// otherDelimiter matches a field between delimiters that a program may choose for its templates (text/template, Delims;
// jinja2.Environment), because {{ }} means something else in the text. A name behind a dot tells them from other uses
// of brackets.
var otherDelimiter = source.LazyRegexp(
	`(?:\[\[|<<|\[%|\(\(|\{\[)-?\s(?:[^\]>)}\n]*[\s(|$])?\.\w[^\]>)}\n]*(?:\]\]|>>|%\]|\)\)|\]\})`)

// otherDelimiters marks what stands between such delimiters in a template.
func (m *marked) otherDelimiters() {
	for _, at := range otherDelimiter.FindAllStringIndex(m.text, -1) {
		m.fill(at[0], at[1], TemplateUse)
	}
}

// open marks words in code as open.
func (m *marked) open(offsets []int) {
	for _, i := range offsets {
		if m.uses[i] == CodeUse {
			m.fill(i, wordEnd(m.text, i), OpenUse)
		}
	}
}

// openRange marks all code of a piece as open.
func (m *marked) openRange(from, to int) {
	for i := from; i < min(to, len(m.uses)); i++ {
		if m.uses[i] == CodeUse {
			m.uses[i] = OpenUse
		}
	}
}
