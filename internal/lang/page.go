package lang

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// page marks a text of HTML, or of a language like it: tags whose attributes and scripts hold code around prose.
type page struct {
	m  *marked
	as Use // of what is code in it
	// braces: {x} is code in texts and attributes, as in Svelte, Astro and MDX.
	braces bool
	// moustaches: {{ x }} is code like that of attributes. Else it is what templates of any language have.
	moustaches bool
	scripts    bool // the bodies of script elements are code
}

// templateExtensions are those of files with delimiters of templates in HTML, of languages that no server knows.
var templateExtensions = words("ejs eta hbs handlebars mustache njk liquid twig j2 jinja jinja2 jsp ftl cshtml latte")

// madeOf are the extensions of templates of any text.
var madeOf = append(words("in tmpl tpl gotmpl template erb"), templateExtensions...)

// TemplateOf returns the name of the source that is made of a template, config.h of config.h.in; "" for what is none.
func TemplateOf(path string) string {
	ext := filepath.Ext(path)
	inner := strings.TrimSuffix(path, ext)
	if !slices.Contains(madeOf, strings.TrimPrefix(ext, ".")) || filepath.Ext(inner) == "" {
		return ""
	}
	l := Of(inner)
	_, page := new(marked).pageOf(inner, l)
	if l.ID == "" || l.NoSymbols || page || slices.Contains(slices.Concat(proseLanguages, templateLanguages), l.ID) {
		return ""
	}
	return inner
}

// pageOf returns how the text of a file is marked as a page; ok is false for what is none.
func (m *marked) pageOf(path string, l *Language) (p page, ok bool) {
	switch l.ID {
	case "html":
		return page{m: m, as: CodeUse, scripts: true}, true
	case "vue":
		return page{m: m, as: CodeUse, moustaches: true, scripts: true}, true
	case "svelte", "astro":
		return page{m: m, as: CodeUse, braces: true, scripts: true}, true
	}
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if ext == "mdx" {
		return page{m: m, as: CodeUse, braces: true}, true
	}
	for _, e := range templateExtensions {
		if e == ext {
			return page{m: m, as: TemplateUse, scripts: true}, true
		}
	}
	return p, false
}

// file marks a whole file.
func (p page) file() {
	text := p.m.text
	p.m.fill(0, len(text), TextUse)
	if !p.braces && !p.moustaches {
		p.m.templates(0, len(text))
	}
	begin := 0
	// What stands between the first fences is a script in Astro, and data in MDX.
	if rest, ok := strings.CutPrefix(text, "---\n"); ok && p.braces {
		if n := strings.Index(rest, "\n---"); n >= 0 {
			begin = len("---\n") + n
			if p.scripts {
				p.script(0, begin)
			}
		}
	}
	if p.braces && !p.scripts {
		p.modules(begin)
	}
	p.mark(begin, len(text))
}

// modules marks the imports and exports of MDX, which begin a line and end before an empty one.
func (p page) modules(from int) {
	for i := from; i < len(p.m.text); {
		end := lineEnd(p.m.text, i)
		if line := p.m.text[i:end]; strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ") {
			if n := strings.Index(p.m.text[i:], "\n\n"); n >= 0 {
				end = i + n
			} else {
				end = len(p.m.text)
			}
			p.script(i, end)
		}
		i = end + 1
	}
}

// mark marks a piece with texts and elements.
func (p page) mark(from, to int) {
	text := p.m.text
	for i := from; i < to; {
		switch rest := text[i:to]; {
		case strings.HasPrefix(rest, "<!--"):
			end, _ := endBehind(text[:to], i, "-->")
			p.m.fill(i, end, proseUse)
			i = end
		case !p.scripts && p.braces && strings.HasPrefix(rest, "```"):
			i, _ = endBehind(text[:to], i+3, "```")
		case p.moustaches && strings.HasPrefix(rest, "{{"):
			end, _ := endBehind(text[:to], i, "}}")
			p.script(i+2, max(end-2, i+2))
			i = end
		case p.braces && rest[0] == '{' && p.m.uses[i] == TextUse:
			i = p.braced(i, to)
		case len(rest) > 1 && rest[0] == '<' && (rest[1] == '/' || wordByte(rest[1])) && p.m.uses[i] == TextUse:
			i = p.tag(i, to)
		default:
			i++
		}
	}
}

// tag marks the element that begins at i, and returns the end of its tag, or that of its script.
func (p page) tag(i, to int) int {
	text := p.m.text
	begin := i + 1
	if text[begin] == '/' {
		begin++
	}
	end := begin
	for end < to && !strings.ContainsRune(" \t\r\n/>", rune(text[end])) {
		end++
	}
	name := text[begin:end]
	// A name that begins with a capital, or has a hyphen, is that of a component.
	component := strings.Contains(name, "-") || name != "" && name[0] >= 'A' && name[0] <= 'Z'
	if component {
		p.m.fill(begin, end, p.as)
	}
	at := end
	for at < to && text[at] != '>' {
		switch {
		case strings.IndexByte(" \t\r\n/", text[at]) >= 0:
			at++
		case p.braces && text[at] == '{':
			at = p.braced(at, to)
		default:
			at = p.attribute(at, to, component)
		}
	}
	at = min(at+1, to)
	low := strings.ToLower(name)
	if text[begin-1] == '/' || low != "script" && low != "style" {
		return at
	}
	stop := strings.Index(strings.ToLower(text[at:to]), "</"+low)
	if stop < 0 {
		stop = to - at
	}
	switch {
	case low == "style":
		p.m.fill(at, at+stop, proseUse)
	case p.scripts && !strings.Contains(text[end:at], "json"):
		p.script(at, at+stop)
	}
	return at + stop
}

// attribute marks the attribute at i of a tag, and returns its end.
func (p page) attribute(i, to int, component bool) int {
	text := p.m.text
	end := i + 1
	for end < to && !strings.ContainsRune(" \t\r\n=>", rune(text[end])) {
		end++
	}
	name := text[i:end]
	if component { // what it passes to the component has the component's name for it
		p.m.fill(i, end, p.as)
	}
	at := end
	for at < to && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	if at >= to || text[at] != '=' {
		return end
	}
	for at++; at < to && strings.IndexByte(" \t\r\n", text[at]) >= 0; at++ {
	}
	if at >= to {
		return to
	}
	from, stop := at, at
	switch quote := text[at]; {
	case quote == '"' || quote == '\'':
		from = at + 1
		end, _ := endBehind(text[:to], from, string(quote))
		stop, at = max(end-1, from), end
	case quote == '{' && p.braces:
		return p.braced(at, to)
	default:
		for at < to && !strings.ContainsRune(" \t\r\n>", rune(text[at])) {
			at++
		}
		stop = at
	}
	switch {
	case boundAttribute.MatchString(name):
		p.script(from, stop)
	case p.braces:
		for j := from; j < stop; j++ {
			if text[j] == '{' {
				j = p.braced(j, stop) - 1
			}
		}
	}
	return at
}

// boundAttribute matches the names of attributes whose values are code: events of HTML, and the bindings of Vue,
// Angular, Alpine, htmx and Svelte.
var boundAttribute = source.LazyRegexp(`^(?:on[a-z]+$|[@:(\[*#]|v-|x-|ng-|hx-on|bind:|on:|use:|class:)`)

// braced marks the code in the braces that open at i, and returns their end.
func (p page) braced(i, to int) int {
	begin := i + 1
	if begin < to && strings.IndexByte("#/:@", p.m.text[begin]) >= 0 { // a block of Svelte: {#if x}, {/if}
		begin++
	}
	s, depth, at := scriptScan{text: p.m.text[:to]}, 1, begin
	for at < to {
		end, _ := s.token(at)
		if end == at+1 && p.m.text[at] == '{' {
			depth++
		}
		if end == at+1 && p.m.text[at] == '}' {
			if depth--; depth == 0 {
				break
			}
		}
		at = max(end, at+1)
	}
	at = min(at, to)
	p.script(begin, at)
	return min(at+1, to)
}

// script marks a piece as a script.
func (p page) script(from, to int) {
	if from >= to {
		return
	}
	p.m.source(ByID("javascript"), from, to)
	if p.as != CodeUse {
		for i := from; i < to; i++ {
			if p.m.uses[i] == CodeUse {
				p.m.uses[i] = p.as
			}
		}
	}
}
