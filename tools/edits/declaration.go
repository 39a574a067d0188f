package edits

import (
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
)

// Declaration is where a declaration stands in a text, as far as edits of it are concerned: the
// server's symbol with what belongs to it in the text around. Servers leave different parts out of a
// symbol's range: documentation, decorators, template<…>, the keyword type or const.
type Declaration struct {
	text *source.Text
	// Lines, counted from 1: lead is the first one of the documentation and attributes in front, line that of the
	// declaration itself.
	lead, line, last int
	// byte offsets: where the name begins, and behind the declaration with the sign (; or ,) that ends it
	name, end int
	sign      int // of the end without that sign
}

// headWords matches what may stand before a symbol on its line: keywords and modifiers (pub(crate)
// static, export default async).
var headWords = source.LazyRegexp(`^\s*([a-z]+(\([a-z: ]+\))?\s+)*$`)

// tail matches what may stand behind it.
var tail = source.LazyRegexp(`^[ \t]*([;,])?[ \t]*((//|#|/\*).*)?$`)

// DeclarationOf finds the declaration of a symbol. One that shares its lines with other code is
// refused: an edit of whole lines would hit that, too.
func DeclarationOf(text *source.Text, s lsp.Symbol) (*Declaration, error) {
	d, separate, err := locateDeclaration(text, s)
	if err == nil && !separate {
		err = notOne(text, d.line, "%s shares its line with other code", s.Name)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// WholeLines returns the lines of a symbol's declaration with its documentation and attributes; ok is
// false where the text contradicts the server's range: another name stands there, or the declaration
// goes on behind the range.
func WholeLines(text *source.Text, s lsp.Symbol) (first, last int, ok bool) {
	d, _, err := locateDeclaration(text, s)
	if err != nil || !source.HasWord(text.Within(s.NameAt), lastWord(s.Name)) {
		return 0, 0, false
	}
	// pyright 1.1.414 gives the name alone as the range of a variable.
	line := text.Line(d.last)
	if d.sign <= d.name+len(text.Within(s.NameAt)) &&
		(brackets(line) != 0 || strings.HasSuffix(strings.TrimSpace(line), "\\")) {
		return 0, 0, false
	}
	if lang.Of(text.Path).Unclosed(text.Slice(d.lead, d.last)) >= 0 {
		return 0, 0, false
	}
	return d.lead, d.last, true
}

// lastWord returns the last identifier of a name as a server gives it, such as the method of Go's
// (*T).Name.
func lastWord(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return name
	}
	return words[len(words)-1]
}

// locateDeclaration finds the declaration of a symbol; separate is false where other code shares its
// lines.
func locateDeclaration(text *source.Text, s lsp.Symbol) (d *Declaration, separate bool, err error) {
	start, err := text.Offset(s.Range.Start)
	end, err2 := text.Offset(s.Range.End)
	name, err3 := text.Offset(s.NameAt.Start)
	if err != nil || err2 != nil || err3 != nil || start > name || name > end {
		return nil, false, notOne(text, s.NameAt.Start.Line, "the server's range of %s does not fit the text", s.Name)
	}
	// Some servers end a range behind the line end.
	for end > start && strings.ContainsRune(" \t\r\n", rune(text.Content()[end-1])) {
		end--
	}
	d = &Declaration{text: text, line: text.PositionAt(start).Line, last: text.PositionAt(end).Line, name: name}
	before := text.Content()[text.LineStart(d.line):start]
	// Documentation and attributes may be in the range.
	for depth := 0; d.line < s.NameAt.Start.Line &&
		(depth > 0 || d.leads(d.line) || blank(text.Line(d.line))); d.line++ {
		depth += brackets(text.Line(d.line))
		before = ""
	}
	after := text.Line(d.last)[end-text.LineStart(d.last):]
	behind := tail.FindStringSubmatchIndex(after)
	d.sign, d.end = end, end
	if behind != nil && behind[2] >= 0 {
		d.end = end + behind[3]
	}
	d.lead = min(d.leadAbove(min(text.PositionAt(start).Line, d.line)), d.line)
	return d, headWords.MatchString(before) && behind != nil, nil
}

// notOne is the error for a declaration that cannot be edited by itself.
func notOne(text *source.Text, line int, format string, args ...any) error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_separate", "file_path": text.Path,
		"line": line}, format, args...)
}

// Unpaired refuses code that opens a bracket which it does not close, or the other way round: a body
// that was given with the brace behind it would end the declaration too early.
func Unpaired(path, text string) error {
	if at := lang.Of(path).Unpaired(text); at >= 0 {
		line := source.New(path, text).PositionAt(at).Line
		return answer.Invalid("new_text",
			"has a %q in its line %d without the other bracket of the pair; give whole pairs, and a body without its braces",
			text[at], line)
	}
	return nil
}

// blank reports whether a line has nothing but white space.
func blank(line string) bool { return strings.TrimSpace(line) == "" }

// leads reports whether a line before a declaration belongs to it: a comment, an attribute, a
// decorator, the head of a template.
func (d *Declaration) leads(n int) bool {
	line := strings.TrimSpace(d.text.Line(n))
	return d.comments(line) || attribute.MatchString(line)
}

// comments reports whether a line is a comment, or part of one in its usual form.
func (d *Declaration) comments(line string) bool {
	block, _ := lang.InBlock(d.text.Path, line, true)
	return strings.HasPrefix(line, lang.CommentSign(d.text.Path)) || block &&
		(strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*"))
}

// attribute matches the beginning of an attribute, a decorator, or the head of a template.
var attribute = source.LazyRegexp(`^(@|#!?\[|\[\[|template\s*<)`)

// leadAbove returns the first line of what stands directly above a line and belongs to it; the line
// itself without any.
func (d *Declaration) leadAbove(line int) int {
	first := line
	for n, open := line-1, 0; n >= 1 && !blank(d.text.Line(n)); n-- {
		if !d.comments(strings.TrimSpace(d.text.Line(n))) { // an attribute may have several lines
			open -= brackets(d.text.Line(n))
		}
		if open > 0 {
			continue
		}
		if head := d.templateAbove(n); head > 0 {
			n = head
		}
		if !d.leads(n) || strings.HasPrefix(strings.TrimSpace(d.text.Line(n)), "#!") && n == 1 {
			break
		}
		first = n
	}
	return first
}

// templateAbove returns the line at which a template's head begins that ends with line n; 0 when none
// does.
func (d *Declaration) templateAbove(n int) int {
	if !strings.HasSuffix(strings.TrimSpace(d.text.Line(n)), ">") {
		return 0
	}
	for ; n >= 1 && !blank(d.text.Line(n)) && !strings.ContainsAny(d.text.Line(n), ";{}"); n-- {
		if strings.HasPrefix(strings.TrimSpace(d.text.Line(n)), "template") {
			return n
		}
	}
	return 0
}

// brackets returns how many more brackets a line opens than it closes.
func brackets(line string) (n int) {
	for _, b := range []byte(line) {
		switch b {
		case '(', '[', '{':
			n++
		case ')', ']', '}':
			n--
		}
	}
	return n
}

// indent returns the indentation of the declaration.
func (d *Declaration) indent() string { return indentation(d.text.Line(d.line)) }

// splice returns the text with the bytes from start to end replaced.
func (d *Declaration) splice(start, end int, now string) string {
	content := d.text.Content()
	return content[:start] + now + content[end:]
}

// lineEnd returns the line end of the file.
func (d *Declaration) lineEnd() string {
	if strings.Contains(d.text.Content(), "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Replace returns the text with another declaration. Documentation and attributes stay, unless the new
// text begins with such.
func (d *Declaration) Replace(now string) string {
	now = indented(now, d.indent())
	from, head := d.line, strings.TrimSpace(now)
	if d.comments(head) {
		from = d.lead
	} else if attribute.MatchString(head) {
		for from = d.lead; from < d.line && d.comments(strings.TrimSpace(d.text.Line(from))); {
			from++
		}
	}
	// Who copied whole lines gives the sign, or the comment, behind the declaration as well.
	end, lineEnd := d.sign, d.text.LineStart(d.last)+len(d.text.Line(d.last))
	if behind := strings.TrimSpace(d.text.Content()[d.sign:lineEnd]); behind != "" && strings.HasSuffix(now, behind) {
		end = lineEnd
	} else if d.end > d.sign && strings.HasSuffix(now, d.text.Content()[d.end-1:d.end]) {
		end = d.end
	}
	return d.splice(d.text.LineStart(from), end, d.inLines(now))
}

// inLines returns a text with the line ends of the file.
func (d *Declaration) inLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", d.lineEnd())
}

// Insert returns the text with more code before or behind the declaration, parted by a blank line when
// either has several lines.
func (d *Declaration) Insert(now string, behind bool) string {
	now = indented(now, d.indent())
	gap := "\n"
	if d.last == d.line && !strings.Contains(now, "\n") {
		gap = ""
	}
	if !behind {
		at := d.text.LineStart(d.lead)
		return d.splice(at, at, d.inLines(now+"\n"+gap))
	}
	at := d.text.LineStart(d.last) + len(d.text.Line(d.last))
	return d.splice(at, at, d.inLines("\n"+gap+now))
}

// Delete returns the text without the declaration, its documentation, and one of the blank lines around
// it.
func (d *Declaration) Delete() string {
	from, to := d.lead, d.last+1 // to is the line behind
	last := d.text.Lines()
	if d.text.Line(last) == "" { // behind the last line end
		last--
	}
	// One blank line stays between the neighbours, where there was one on both sides.
	switch above := from == 1 || blank(d.text.Line(from-1)); {
	case above && to <= last && blank(d.text.Line(to)):
		to++
	case above && from > 1 && to > last:
		from--
	}
	end := len(d.text.Content())
	if to <= d.text.Lines() {
		end = d.text.LineStart(to)
	}
	return d.splice(d.text.LineStart(from), end, "")
}

// quiet matches the attributes that do not register what they stand at with anything that would use it.
var quiet = source.LazyRegexp(
	`^(#\[(allow|expect|inline|must_use|derive|doc|deprecated|cold|cfg|repr|non_exhaustive|track_caller)\b|` +
		`\[\[(maybe_unused|nodiscard|deprecated)\b|template\s*<|` +
		`@(staticmethod|classmethod|(typing\.|t\.)?(final|overload))\s*(#|$))`)

// usedByAttribute matches the attributes of C by which the start of the program, an interrupt or the linker's script
// uses what has no reference.
var usedByAttribute = source.LazyRegexp(`(?:__attribute(?:__)?\s*\(\(|\[\[)[^;{]*?` +
	`\b(?:__)?(?:constructor|destructor|used|retain|section|interrupt|signal|naked|init_priority)(?:__)?\b`)

// Registered returns the first attribute or decorator by which something may use the declaration
// without naming it; "" for none. A deletion asks for it.
func (d *Declaration) Registered() string {
	if lang.Of(d.text.Path).IsC() {
		from := d.text.LineStart(d.lead)
		head := d.text.Content()[from:]
		if end := strings.IndexAny(head, "{;"); end >= 0 {
			head = head[:end]
		}
		if found := usedByAttribute.FindString(head); found != "" {
			return found
		}
	}
	for n := d.lead; n < d.line; n++ {
		if line := strings.TrimSpace(d.text.Line(n)); attribute.MatchString(line) && !quiet.MatchString(line) {
			return line
		}
	}
	return ""
}

// Lines are its lines, counted from 1: the first one of its documentation and attributes, its own first one, and its
// last.
func (d *Declaration) Lines() (lead, line, last int) { return d.lead, d.line, d.last }

// Path returns the file.
func (d *Declaration) Path() string { return d.text.Path }

// Contains reports whether a place begins in the declaration, its documentation included.
func (d *Declaration) Contains(p lsp.Place) bool {
	return p.Path == d.text.Path && p.Range.Start.Line >= d.lead && p.Range.Start.Line <= d.last
}

// ReplaceBody returns the text with another body: between the braces that end the declaration, or
// behind the colon of its head (Python). The body may be given with or without its braces, in any
// indentation.
func (d *Declaration) ReplaceBody(now string) (string, error) {
	start, end, braces := d.body()
	if start < 0 {
		return "", notOne(d.text, d.line, "lspi cannot tell where the body begins; replace the whole declaration")
	}
	content := d.text.Content()
	inner := content[start:end]
	if t := strings.TrimSpace(now); braces && strings.HasPrefix(t, "{\n") && strings.HasSuffix(t, "\n}") {
		now = t[2 : len(t)-2]
	}
	// The present body tells the step of indentation better than the whole file does.
	unit := d.unit()
	for line := range strings.Lines(inner) {
		if !blank(line) && strings.Contains(inner, "\n") && len(indentation(line)) > len(d.indent()) {
			unit = indentation(line)[len(d.indent()):]
			break
		}
	}
	now = indented(now, d.indent()+unit)
	if braces {
		now = "\n" + now + "\n" + d.indent()
	}
	return d.splice(start, end, d.inLines(now)), nil
}

// HasBody reports whether it has a body that [Declaration.ReplaceBody] replaces.
func (d *Declaration) HasBody() bool {
	start, _, _ := d.body()
	return start >= 0
}

// unit returns one step of indentation in the file: the smallest that some line has.
func (d *Declaration) unit() string {
	unit := ""
	for n := 1; n <= d.text.Lines(); n++ {
		line := d.text.Line(n)
		if in := indentation(line); in != "" && !d.comments(strings.TrimSpace(line)) &&
			(unit == "" || len(in) < len(unit)) {
			unit = in
		}
	}
	switch {
	case unit == "" && lang.Of(d.text.Path).Tabs:
		return "\t"
	case unit == "":
		return "    "
	}
	return unit
}

// body returns where the body stands: between the last pair of braces, or from the line behind the
// head's colon on; start is -1 where it cannot be told.
func (d *Declaration) body() (start, end int, braces bool) {
	content, stack, colon := d.text.Content(), []int{}, strings.HasPrefix(lang.CommentSign(d.text.Path), "#")
	block := false
	for n := d.text.PositionAt(d.name).Line; n <= d.last; n++ {
		line, at := d.text.Line(n), d.text.LineStart(n)
		var inside bool
		if inside, block = lang.InBlock(d.text.Path, line, block); inside {
			continue
		}
		code := lang.Code(d.text.Path, line)
		for i := max(0, d.name-at); i < len(line) && at+i < d.sign; i++ {
			switch b := line[i]; {
			case !code[i]:
			case strings.IndexByte("([{", b) >= 0:
				stack = append(stack, at+i)
			case strings.IndexByte(")]}", b) >= 0:
				if len(stack) == 0 {
					return -1, -1, false
				}
				open := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if at+i == d.sign-1 && len(stack) == 0 && b == '}' && content[open] == '{' {
					return open + 1, at + i, true
				}
			// Outside of all brackets, so not the colon of an annotation, a slice or a dict. A body on
			// the same line cannot be replaced by lines.
			case colon && b == ':' && len(stack) == 0:
				if n == d.last || !blank(strings.SplitN(line[i+1:], "#", 2)[0]) {
					return -1, -1, false
				}
				return d.text.LineStart(n + 1), d.sign, false
			}
		}
	}
	return -1, -1, false
}

// indented returns the lines of a text, which may have an indentation of their own, with the
// indentation of a place.
func indented(text, indent string) string {
	lines := strings.Split(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	own := ""
	for i, first := 0, true; i < len(lines); i++ {
		if blank(lines[i]) {
			continue
		}
		in := indentation(lines[i])
		if first {
			own, first = in, false
		}
		for !strings.HasPrefix(in, own) {
			own = own[:len(own)-1]
		}
	}
	for i, line := range lines {
		if blank(line) {
			lines[i] = ""
		} else {
			lines[i] = indent + strings.TrimRight(line[len(own):], " \t")
		}
	}
	return strings.Join(lines, "\n")
}

// Unclosed refuses an edit that leaves a bracket, string or comment of the text open, when it had none
// open before.
func Unclosed(c *answer.Call, path, before, after string) error {
	l := lang.Of(path)
	if l.Unclosed(before) >= 0 {
		return nil
	}
	if at := l.Unclosed(after); at >= 0 {
		line := source.New(path, after).PositionAt(at).Line
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "unclosed", "file_path": path,
			"line": line},
			"new_text leaves a bracket, string or comment of %s open, the one in line %d of the new text",
			c.Show(path), line)
	}
	return nil
}
