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

// Declaration is where a declaration stands in a text, as far as edits of it are concerned: the symbol of the
// server, with what belongs to it on the text around. Servers leave different parts out of a symbol's range:
// documentation, decorators, template<…>, the keyword type or const.
type Declaration struct {
	text *source.Text
	// Lines, counted from 1: lead is the first one of the documentation and attributes in front, line that of the
	// declaration itself.
	lead, line, last int
	// byte offsets: where the name begins, and behind the declaration with the sign (; or ,) that ends it
	name, end int
	sign      int // of the end without that sign
}

// headWords may stand in front of a symbol on its line: keywords and modifiers (pub(crate) static, export default
// async).
var headWords = source.LazyRegexp(`^\s*([a-z]+(\([a-z: ]+\))?\s+)*$`)

// tail may stand behind it.
var tail = source.LazyRegexp(`^[ \t]*([;,])?[ \t]*((//|#|/\*).*)?$`)

// DeclarationOf finds the declaration of a symbol. One that shares its lines with another is refused.
func DeclarationOf(text *source.Text, s lsp.Symbol) (*Declaration, error) {
	d, separate, err := declarationOf(text, s)
	if err == nil && !separate {
		err = notOne(text, d.line, "%s shares its line with other code", s.Name)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// WholeLines are the lines of the declaration of a symbol with its documentation and attributes; false where the
// text does not bear out the range of the server: another name stands there, or the declaration goes on behind the
// range.
func WholeLines(text *source.Text, s lsp.Symbol) (first, last int, ok bool) {
	d, _, err := declarationOf(text, s)
	if err != nil || !source.HasWord(text.Within(s.NameAt), lastWord(s.Name)) {
		return 0, 0, false
	}
	// pyright 1.1.414 gives the name alone as the range of a variable.
	line := text.Line(d.last)
	if d.sign <= d.name+len(text.Within(s.NameAt)) &&
		(brackets(line) != 0 || strings.HasSuffix(strings.TrimSpace(line), "\\")) {
		return 0, 0, false
	}
	if ends := lang.Of(text.Path).Unclosed; ends != nil && ends(text.Slice(d.lead, d.last)) >= 0 {
		return 0, 0, false
	}
	return d.lead, d.last, true
}

// lastWord is the last identifier of a name that a server gives, as the method of Go's (*T).Name.
func lastWord(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return name
	}
	return words[len(words)-1]
}

func declarationOf(text *source.Text, s lsp.Symbol) (d *Declaration, separate bool, err error) {
	start, err := text.Offset(s.Range.Start)
	end, err2 := text.Offset(s.Range.End)
	name, err3 := text.Offset(s.NameAt.Start)
	if err != nil || err2 != nil || err3 != nil || start > name || name > end {
		return nil, false, notOne(text, s.NameAt.Start.Line, "the server's range of %s does not fit the text", s.Name)
	}
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

func notOne(text *source.Text, line int, format string, args ...any) error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_separate", "file_path": text.Path,
		"line": line}, format, args...)
}

// Unpaired refuses a piece of code that opens a bracket which it does not close, or closes one that it does not
// open: whoever writes a body with the brace behind it ends the declaration too early.
func Unpaired(path, text string) error {
	pairs := lang.Of(path).Unpaired
	if pairs == nil {
		return nil
	}
	if at := pairs(text); at >= 0 {
		line := source.New(path, text).PositionAt(at).Line
		return answer.Invalid("new_text",
			"has a %q in its line %d without the other bracket of the pair; give whole pairs, and a body without its braces",
			text[at], line)
	}
	return nil
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// leads reports whether a line in front of a declaration belongs to it: a comment, an attribute, a decorator, the
// head of a template.
func (d *Declaration) leads(n int) bool {
	line := strings.TrimSpace(d.text.Line(n))
	return d.comments(line) || attribute.MatchString(line)
}

func (d *Declaration) comments(line string) bool {
	block, _ := lang.InBlock(d.text.Path, line, true)
	return strings.HasPrefix(line, lang.CommentSign(d.text.Path)) || block &&
		(strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*"))
}

var attribute = source.LazyRegexp(`^(@|#!?\[|\[\[|template\s*<)`)

// leadAbove is the first line of what stands directly above a line and belongs to it; the line itself when nothing
// does.
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

// templateAbove is the line at which a head of a template begins that ends with a line; 0 when none does.
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

// brackets is how many more brackets a line opens than it closes.
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

// indent is the indentation of the declaration.
func (d *Declaration) indent() string { return indentation(d.text.Line(d.line)) }

// splice is the text with the bytes from start to end replaced.
func (d *Declaration) splice(start, end int, now string) string {
	content := d.text.Content()
	return content[:start] + now + content[end:]
}

// lineEnd is the line end of the file.
func (d *Declaration) lineEnd() string {
	if strings.Contains(d.text.Content(), "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Replace gives the text with another declaration. Documentation and attributes stay, unless the new text begins
// with such.
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

// inLines gives a text the line ends of the file.
func (d *Declaration) inLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", d.lineEnd())
}

// Insert gives the text with more code before or behind the declaration; a blank line parts what has several lines.
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

// Delete gives the text without the declaration, its documentation, and one of the blank lines around it.
func (d *Declaration) Delete() string {
	from, to := d.lead, d.last+1 // to is the line behind
	last := d.text.Lines()
	if d.text.Line(last) == "" { // behind the last line end
		last--
	}
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

// quiet are the attributes that make nothing use what they stand at.
var quiet = source.LazyRegexp(
	`^(#\[(allow|expect|inline|must_use|derive|doc|deprecated|cold)\b|\[\[(maybe_unused|nodiscard|deprecated)\b|template\s*<)`)

// Registered is the first attribute or decorator in front by which something else may use the declaration; ""
// without one.
func (d *Declaration) Registered() string {
	for n := d.lead; n < d.line; n++ {
		if line := strings.TrimSpace(d.text.Line(n)); attribute.MatchString(line) && !quiet.MatchString(line) {
			return line
		}
	}
	return ""
}

// Path is the file.
func (d *Declaration) Path() string { return d.text.Path }

// Contains reports whether a place is in the declaration.
func (d *Declaration) Contains(p lsp.Place) bool {
	return p.Path == d.text.Path && p.Range.Start.Line >= d.lead && p.Range.Start.Line <= d.last
}

// ReplaceBody gives the text with another body: what is between the braces that end the declaration, or what a
// colon heads (Python).
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

// unit is one step of indentation in the file.
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

// body is where the body of the declaration stands: between its last pair of braces, or from the line behind its
// head's colon on.
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

// indented gives the lines of a text, which may have an indentation of their own, that of a place.
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

// Unclosed refuses a text that an edit leaves with a bracket, string or comment which is never closed, when it had
// none.
func Unclosed(c *answer.Call, path, before, after string) error {
	ends := lang.Of(path).Unclosed
	if ends == nil || ends(before) >= 0 {
		return nil
	}
	if at := ends(after); at >= 0 {
		line := source.New(path, after).PositionAt(at).Line
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "unclosed", "file_path": path,
			"line": line},
			"new_text leaves a bracket, string or comment of %s open, the one in line %d of the new text",
			c.Show(path), line)
	}
	return nil
}
