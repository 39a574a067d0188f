package lang

import (
	"strings"

	"lspi/internal/source"
)

// cImport matches the import of cgo.
var cImport = source.LazyRegexp(`(?m)^import[ \t]+"C"`)

// goComments marks the comments of Go that are more than prose: the C code above the import of cgo (cmd/cgo), and the
// commands of go:generate, which name declarations to tools (go help generate).
func (m *marked) goComments() {
	within := Within("x.go", m.text)
	m.fill(within[0], within[1], OpenUse)
	const directive = "//go:generate "
	for i := 0; ; {
		n := strings.Index(m.text[i:], directive)
		if n < 0 {
			return
		}
		i += n
		end := lineEnd(m.text, i)
		if i == 0 || m.text[i-1] == '\n' {
			m.fill(i+len(directive), end, AloneUse)
		}
		i = end
	}
}

// delims matches a call that gives templates other delimiters (text/template, Delims).
var delims = source.LazyRegexp("\\bDelims\\(\\s*[\"`]([^\"`\\n]+)[\"`]\\s*,\\s*[\"`]([^\"`\\n]+)[\"`]\\s*\\)")

// goTemplates marks what stands in strings between the delimiters that the same source gives to its templates.
func (m *marked) goTemplates() {
	if !strings.Contains(m.text, "Delims(") {
		return
	}
	for _, call := range delims.FindAllStringSubmatch(m.text, -1) {
		for i := 0; ; {
			n := strings.Index(m.text[i:], call[1])
			if n < 0 {
				break
			}
			begin := i + n + len(call[1])
			if n = strings.Index(m.text[begin:], call[2]); n < 0 {
				break
			}
			i = begin
			if m.uses[begin-1] != TextUse { // no string, or the call itself
				continue
			}
			// A string may be made of several.
			for ; i < begin+n; i++ {
				if m.uses[i]&(TextUse|AloneUse) != 0 {
					m.uses[i] = TemplateUse
				}
			}
		}
	}
}

// Within returns where the text of a source holds code of another language: the comment right above the import of cgo.
func Within(path, text string) (at [2]int) {
	if !strings.Contains(text, `"C"`) || Of(path).ID != "go" {
		return at
	}
	found := cImport.FindStringIndex(text)
	if found == nil {
		return at
	}
	end := found[0]
	begin := end
	if strings.HasSuffix(text[:end], "*/\n") {
		begin = max(strings.LastIndex(text[:end], "/*"), 0)
	}
	for begin > 0 {
		line := strings.LastIndexByte(text[:begin-1], '\n') + 1
		if !strings.HasPrefix(text[line:begin], "//") {
			break
		}
		begin = line
	}
	return [2]int{begin, end}
}
