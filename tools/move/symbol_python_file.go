package move

import (
	"path/filepath"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// pythonFile is a source of Python with what its statements bind at the level of the module.
type pythonFile struct {
	text     *source.Text
	code     []bool // of each byte: it is neither in a comment nor in a string
	depth    []int  // how many brackets are open
	bindings []*pythonBinding
	future   bool // it has from __future__ import annotations
	names    map[string]bool
}

// pythonBinding is a name that an import binds.
type pythonBinding struct {
	local, item, from string // from is "" for import …
	as                bool
	at                int // of the name
	start, end        int // the whole statement with its line end
	count             int // how many names the statement has
	guard             string
	nested            bool // under another condition than TYPE_CHECKING
	noqa              bool
}

func (b *pythonBinding) statement() string {
	out := "import " + b.item
	if b.from != "" {
		out = "from " + b.from + " import " + b.item
	}
	if b.as {
		out += " as " + b.local
	}
	return out
}

func pythonFileOf(text *source.Text) *pythonFile {
	content := text.Content()
	f := &pythonFile{text: text, code: lang.Code(text.Path, content), depth: make([]int, len(content)+1)}
	n := 0
	for i := range len(content) {
		if f.code[i] && strings.IndexByte("([{", content[i]) >= 0 {
			n++
		}
		f.depth[i] = n
		if f.code[i] && strings.IndexByte(")]}", content[i]) >= 0 {
			n = max(n-1, 0)
		}
	}
	for _, g := range pythonFrom.FindAllStringSubmatchIndex(content, -1) {
		if f.code[g[3]] {
			f.bind(g[2], g[3], g[8], g[9], content[g[4]:g[7]])
		}
	}
	for _, g := range pythonPlain.FindAllStringSubmatchIndex(content, -1) {
		if f.code[g[2]] {
			start := f.text.LineStart(f.text.LineOf(g[2]) + 1)
			at := start + len(content[start:]) - len(strings.TrimLeft(content[start:], " \t"))
			f.bind(start, at, g[2], g[3], "")
		}
	}
	return f
}

// typeChecking matches a condition that no run meets.
var typeChecking = source.LazyRegexp(`^if[ \t]+(?:\w+\.)?TYPE_CHECKING[ \t]*:`)

// bind notes the names that an import binds, whose statement begins at head and has its list of names from one offset
// to another.
func (f *pythonFile) bind(line, head, from, to int, module string) {
	content := f.text.Content()
	indent := content[line:head]
	if strings.TrimSpace(indent) != "" {
		return // behind other code on its line
	}
	guard, nested, local := f.block(line, indent)
	if local {
		return
	}
	end := to
	if n := strings.IndexByte(content[to:], '\n'); n >= 0 {
		end = to + n + 1
	} else {
		end = len(content)
	}
	items := pythonName
	if module == "" {
		items = pythonItem
	}
	all := items.FindAllStringSubmatchIndex(content[from:to], -1)
	for _, n := range all {
		start := from + n[2]
		if !f.code[start] {
			continue
		}
		b := &pythonBinding{item: content[start : from+n[3]], from: module, at: start, start: line, end: end, count: len(all),
			guard: guard, nested: nested, noqa: strings.Contains(content[line:end], "#")}
		if b.local = b.item; n[4] >= 0 {
			b.local, b.as = content[from+n[4]:from+n[5]], true
		} else if module == "" {
			b.local, _, _ = strings.Cut(b.item, ".")
		}
		f.future = f.future || module == "__future__" && b.item == "annotations"
		f.bindings = append(f.bindings, b)
	}
}

// block tells in which block a line with an indentation is: guard is its condition where that is TYPE_CHECKING; nested
// says that it is another one, and local that it is of a function or class.
func (f *pythonFile) block(line int, indent string) (guard string, nested, local bool) {
	width := len(indent)
	for n := f.text.LineOf(line); n >= 1 && width > 0; n-- { // the line above, from 1
		above := f.text.Line(n)
		own := len(above) - len(strings.TrimLeft(above, " \t"))
		if head := strings.TrimSpace(above); head != "" && own < width && !strings.HasPrefix(head, "#") {
			width = own
			if strings.IndexByte(")]}", head[0]) >= 0 { // the end of a head whose first line stands above
				width++
				continue
			}
			switch word, _, _ := strings.Cut(head, " "); {
			case typeChecking.MatchString(head):
				guard = head
			case word == "def" || word == "class" || word == "async":
				local = true
			default:
				nested = true
			}
		}
	}
	return guard, nested, local
}

// binding is the import that binds a name last; nil where none does.
func (f *pythonFile) binding(name string) (out *pythonBinding) {
	for _, b := range f.bindings {
		if b.local == name {
			out = b
		}
	}
	return out
}

var pythonTop = source.LazyRegexp(`(?m)^(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^\n=]*)?=[^=]|` +
	`[ \t]+(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^\n=]*)?=[^=])|(\w+)[ \t]*:[ \t]*\w)`)

// declared are the names that statements of the module may declare, as far as their lines tell; those of blocks count
// where the block is one of the module.
func (f *pythonFile) declared() map[string]bool {
	if f.names != nil {
		return f.names
	}
	f.names = map[string]bool{}
	content := f.text.Content()
	for _, g := range pythonTop.FindAllStringSubmatchIndex(content, -1) {
		for i := 2; i < len(g); i += 2 {
			if g[i] < 0 || !f.code[g[i]] || f.depth[g[i]] > 0 {
				continue
			}
			line := f.text.LineStart(f.text.LineOf(g[i]) + 1)
			indent := content[line : line+len(content[line:])-len(strings.TrimLeft(content[line:], " \t"))]
			if _, _, local := f.block(line, indent); !local {
				f.names[content[g[i]:g[i+1]]] = true
			}
		}
	}
	return f.names
}

// guardOf is the condition TYPE_CHECKING under which alone the module declares a name; "" where a run has it.
func (f *pythonFile) guardOf(name string) (guard string) {
	content := f.text.Content()
	for _, g := range pythonTop.FindAllStringSubmatchIndex(content, -1) {
		for i := 2; i < len(g); i += 2 {
			if g[i] < 0 || content[g[i]:g[i+1]] != name || !f.code[g[i]] || f.depth[g[i]] > 0 {
				continue
			}
			line := f.text.LineStart(f.text.LineOf(g[i]) + 1)
			indent := content[line : line+len(content[line:])-len(strings.TrimLeft(content[line:], " \t"))]
			own, _, local := f.block(line, indent)
			if own == "" && !local {
				return ""
			}
			if !local {
				guard = own
			}
		}
	}
	return guard
}

// namesIn are the words of a part of the text that may be names of the module.
func (f *pythonFile) namesIn(from, to int) (out []string) {
	seen := map[string]bool{}
	part := f.text.Content()[from:to]
	for _, m := range pythonItem.FindAllStringSubmatchIndex(part, -1) {
		word, _, _ := strings.Cut(part[m[2]:m[3]], ".")
		if word != "" && !seen[word] && !source.IsNumber(word) {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}

// occurrences are the places of a part of the text that may use a name of the module: not behind a dot, not the name of
// an argument, and not in a comment. Those in strings are no code; only the server knows whether they are annotations.
func (f *pythonFile) occurrences(name string, from, to int) (out []int) {
	content := f.text.Content()
	for _, i := range source.Occurrences(content[from:to], name) {
		i += from
		before := strings.TrimRight(content[:i], " \t")
		rest := strings.TrimLeft(content[i+len(name):], " \t")
		switch {
		case strings.HasSuffix(before, ".") && !strings.HasSuffix(before, ".."):
		case f.depth[i] > 0 && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "=="):
		case !f.code[i] && inComment(f.text, i):
		default:
			out = append(out, i)
		}
	}
	return out
}

// absolute is the path of the module that a relative name means.
func (f *pythonFile) absolute(name string) string {
	rest := strings.TrimLeft(name, ".")
	dir := filepath.Dir(f.text.Path)
	for range len(name) - len(rest) - 1 {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(rest, ".", "/")))
}

// importsEnd is the offset behind the imports at the beginning of the module, or behind its first comments and its
// documentation.
func (f *pythonFile) importsEnd() (end int) {
	content := f.text.Content()
	for n := 1; n <= f.text.Lines(); n++ {
		line, at := f.text.Line(n), f.text.LineStart(n)
		next := len(content)
		if n < f.text.Lines() {
			next = f.text.LineStart(n + 1)
		}
		inside := at < len(f.code) && at > 0 && (!f.code[at] && !f.code[at-1] && strings.TrimSpace(line) != "" || f.depth[at-1] > 0)
		word := strings.TrimSpace(line)
		switch {
		case inside:
			if end == at {
				end = next
			}
		case strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "import "):
			end = next
		case n == 1 && strings.HasPrefix(word, "#"), end == at && strings.HasPrefix(word, "#") && end > 0 && f.headOnly(at),
			f.headOnly(at) && strings.HasPrefix(strings.TrimLeft(word, "rRuU"), `"""`):
			end = next
		case word == "" || strings.HasPrefix(word, "#") || line[0] == ' ' || line[0] == '\t' || line[0] == ')' ||
			typeChecking.MatchString(line) || strings.HasPrefix(word, "try:") || strings.HasPrefix(word, "except") ||
			strings.HasPrefix(word, "else:"):
		default:
			return end
		}
	}
	return end
}

// headOnly reports whether nothing but comments stands before an offset.
func (f *pythonFile) headOnly(offset int) bool {
	for line := range strings.Lines(f.text.Content()[:offset]) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// insertion adds statements behind the imports.
func (f *pythonFile) insertion(statements []string, end string) splice.Change {
	at := f.importsEnd()
	text := strings.Join(statements, end) + end
	before := f.text.Content()[:at]
	if before != "" && !strings.HasSuffix(before, "\n") {
		text = end + text
	}
	imports := false
	for _, b := range f.bindings {
		imports = imports || b.end <= at
	}
	if before != "" && !imports {
		text = end + text
	}
	if rest := f.text.Content()[at:]; strings.TrimSpace(rest) != "" && !strings.HasPrefix(strings.TrimLeft(rest, "\r"), "\n") {
		text += end
	}
	return splice.Insert(at, text)
}

// guardedInsertion adds statements under a condition that the module has, or gets.
func (f *pythonFile) guardedInsertion(guard string, statements []string, end string) splice.Change {
	content := f.text.Content()
	text := ""
	for _, s := range statements {
		text += "    " + s + end
	}
	for n := 1; n <= f.text.Lines(); n++ {
		if typeChecking.MatchString(f.text.Line(n)) && n < f.text.Lines() {
			return splice.Insert(f.text.LineStart(n+1), text)
		}
	}
	at := f.importsEnd()
	text = end + guard + end + text
	if at > 0 && !strings.HasSuffix(content[:at], "\n") {
		text = end + text
	}
	return splice.Insert(at, text)
}
