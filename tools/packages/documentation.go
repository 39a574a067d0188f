package packages

import (
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/symbol"
)

// Offers reports whether the package offers a declaration of the file by its name. Names of C and C++ that begin
// with an underscore are those of its library.
func (f File) Offers(name string) bool {
	last := symbol.LastComponent(name)
	if lang.Of(f.Path).IsC() || !strings.Contains(f.Path[strings.LastIndexByte(f.Path, '/')+1:], ".") {
		if strings.HasPrefix(last, "_") {
			return false
		}
	}
	return f.Names == nil || f.Names[name] || f.Names[last]
}

var (
	// docstring matches the documentation of Python, at the beginning of a body.
	docstring = source.LazyRegexp(`^\s*[rRuU]?(?:"""|\'\'\'|")([^"]*)`)
	// between matches what may stand between a documentation and the line of the name.
	beside = source.LazyRegexp(`^\s*(?:#\[|@|template\b|\[\[|export\b|declare\b|pub\b)`)
	signs  = "/*! \t"
)

// Documentation is the first sentence of what documents a declaration in a text.
func Documentation(text *source.Text, sym lsp.Symbol) string {
	if lang.Of(text.Path).ID == "python" {
		return docstringOf(text, sym)
	}
	n := sym.NameAt.Start.Line - 1
	for n > 0 && beside.MatchString(text.Line(n)) {
		n--
	}
	var lines []string
	block := n > 0 && strings.HasSuffix(strings.TrimSpace(text.Line(n)), "*/")
	for ; n > 0; n-- {
		line := strings.TrimSpace(text.Line(n))
		if !block && !strings.HasPrefix(line, "//") || strings.HasPrefix(line, "//go:") {
			break
		}
		lines = append([]string{strings.Trim(strings.TrimSuffix(line, "*/"), signs)}, lines...)
		if block && strings.HasPrefix(line, "/*") {
			break
		}
	}
	return sentence(paragraph(lines))
}

// docstringOf is the first sentence of the string at the beginning of a body of Python.
func docstringOf(text *source.Text, sym lsp.Symbol) string {
	if !sym.Kind.IsFunction() && !sym.Kind.IsContainer() {
		return ""
	}
	from, err := text.Offset(sym.NameAt.End)
	to, endErr := text.Offset(sym.Range.End)
	if err != nil || endErr != nil || from > to {
		return ""
	}
	body := text.Content()[from:to]
	code := lang.Code(text.Path, body)
	depth := 0
	for i := 0; i < len(body); i++ {
		switch {
		case !code[i]:
		case strings.IndexByte("([{", body[i]) >= 0:
			depth++
		case strings.IndexByte(")]}", body[i]) >= 0:
			depth--
		case body[i] == ':' && depth == 0:
			if m := docstring.FindStringSubmatch(body[i+1:]); m != nil {
				return sentence(paragraph(strings.Split(strings.TrimSpace(m[1]), "\n")))
			}
			return ""
		}
	}
	return ""
}

// paragraph is the text of lines up to an empty one.
func paragraph(lines []string) string {
	var out []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" && len(out) > 0 {
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// sentence is the first sentence of a text.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') &&
			!strings.HasSuffix(text[:i+1], "e.g.") && !strings.HasSuffix(text[:i+1], "i.e.") {
			return text[:i+1]
		}
	}
	return text
}
