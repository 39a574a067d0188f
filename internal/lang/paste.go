package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// A macro of C may make a name of its arguments (op_##n), or a string (#n), or put them into a template, where the
// compiler resolves a member only for what the template is used with. A macro that gives its parameter to such a one
// does so as well.

// parameters matches the list of the parameters of a macro, which stands right behind its name.
var parameters = source.LazyRegexp(`^\(([^()]*)\)`)

// macroText is the definition of a macro.
type macroText struct {
	Macro
	params []string // nil for a macro without a list
	text   string
	at     int // offset of text
}

func macroTexts(content string) (out []macroText) {
	for _, m := range Macros(content) {
		end := m.At + len(m.Name)
		d := macroText{Macro: m, text: content[end:directiveEnd(content, end)], at: end}
		if found := parameters.FindStringSubmatch(d.text); found != nil {
			d.params = strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(", \t\r\n\\.", r) })
			d.params = append(d.params, "__VA_ARGS__")
			d.text, d.at = d.text[len(found[0]):], d.at+len(found[0])
		}
		out = append(out, d)
	}
	return out
}

var (
	pastedBehind = source.LazyRegexp(`([\pL_$][\pL\pN_$]*)[ \t\\\r\n]*##`)
	pastedBefore = source.LazyRegexp(`##[ \t\\\r\n]*([\pL_$][\pL\pN_$]*)`)
	stringized   = source.LazyRegexp(`(?:^|[^#])#[ \t]*([\pL_$][\pL\pN_$]*)`)
)

// Pastes reports whether a source of C has a macro that pastes its parameters, makes strings of them or puts them into
// a template.
func Pastes(content string) bool {
	return strings.Contains(content, "define") && slices.ContainsFunc(macroTexts(content), func(d macroText) bool {
		return d.joins(nil) || d.puts(nil)
	})
}

// TemplateMacros are the macros of a source that put a parameter into a template, or give one to a macro that is known
// to.
func TemplateMacros(content string, known map[string]bool) (out []string) {
	for _, d := range macroTexts(content) {
		if d.puts(known) {
			out = append(out, d.Name)
		}
	}
	return out
}

func (d macroText) puts(known map[string]bool) bool {
	words := d.givenTo(known)
	for _, r := range templateRanges(d.text) {
		words = append(words, strings.FieldsFunc(d.text[r[0]:r[1]], func(r rune) bool { return !source.IsWord(r) })...)
	}
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(d.params, word) })
}

// JoiningMacros are the macros of a source that paste or stringize a parameter, or give one to a macro that is known
// to.
func JoiningMacros(content string, known map[string]bool) (out []string) {
	for _, d := range macroTexts(content) {
		if d.joins(known) {
			out = append(out, d.Name)
		}
	}
	return out
}

func (d macroText) joins(known map[string]bool) bool {
	return d.params != nil && slices.ContainsFunc(append(d.given(known), matched(stringized, d.text)...),
		func(word string) bool { return slices.Contains(d.params, word) })
}

// given are the words that a macro pastes, and the arguments that it gives to one of the known macros.
func (d macroText) given(known map[string]bool) []string {
	return append(append(matched(pastedBehind, d.text), matched(pastedBefore, d.text)...), d.givenTo(known)...)
}

// givenTo are the arguments that a macro gives to one of the known macros.
func (d macroText) givenTo(known map[string]bool) (out []string) {
	for name := range known {
		for _, i := range source.Occurrences(d.text, name) {
			out = append(out, argumentsAt(d.text, i+len(name))...)
		}
	}
	return out
}

// matched are the first groups of the matches of an expression.
func matched(re *source.Regexp, text string) (out []string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// PastedParts are the words of a source that macros paste with other ones: those beside ## that are no parameters, and
// arguments of the joining macros.
func PastedParts(content string, joining map[string]bool) (out []string) {
	for _, d := range macroTexts(content) {
		for _, word := range d.given(joining) {
			if IsWord(word) && !slices.Contains(d.params, word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// argumentsAt are the arguments of the call whose parenthesis opens at i; none where none does.
func argumentsAt(text string, i int) (out []string) {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i == len(text) || text[i] != '(' {
		return nil
	}
	for _, a := range Arguments(text, i) {
		out = append(out, strings.TrimSpace(text[a[0]:a[1]]))
	}
	return out
}

// CalledWith is the name before the parenthesis of which the word at an offset of a source is an argument by itself;
// "" where it is none.
func CalledWith(content string, from, to int) string {
	behind := strings.TrimLeft(content[to:min(to+MaxScanned, len(content))], " \t\r\n\\")
	before := strings.TrimRight(content[max(0, from-MaxScanned):from], " \t\r\n\\")
	if !strings.HasPrefix(behind, ",") && !strings.HasPrefix(behind, ")") ||
		!strings.HasSuffix(before, "(") && !strings.HasSuffix(before, ",") {
		return ""
	}
	open := BlockStart(before, len(before))
	if open < 0 || before[open] != '(' {
		return ""
	}
	name := strings.TrimRight(before[:open], " \t\r\n\\")
	start, end, _ := source.WordAround(name, len(name))
	return name[start:end]
}

// CallsAround are the names before the parentheses around an offset of a source, the innermost first.
func CallsAround(content string, at int) (out []string) {
	before := content[max(0, at-MaxScanned):at]
	for open := BlockStart(before, len(before)); open >= 0; open = BlockStart(before, open) {
		name := strings.TrimRight(before[:open], " \t\r\n\\")
		if start, end, ok := source.WordAround(name, len(name)); ok && before[open] == '(' {
			out = append(out, name[start:end])
		}
	}
	return out
}

// ParameterAround reports whether a name is a parameter of the macro in whose text an offset of a source lies.
func ParameterAround(content string, offset int, name string) bool {
	return slices.ContainsFunc(macroTexts(content), func(d macroText) bool {
		return d.at <= offset && offset < d.at+len(d.text) && slices.Contains(d.params, name)
	})
}

// WithoutParts are the words that a name becomes without the parts that macros paste in front of it, behind it or both.
func WithoutParts(name string, parts map[string]bool) (out []string) {
	add := func(rest string) {
		if len(rest) > 1 && rest != name && IsName(rest) && !slices.Contains(out, rest) {
			out = append(out, rest)
		}
	}
	for before := range parts {
		rest, ok := strings.CutPrefix(name, before)
		if !ok {
			continue
		}
		add(rest)
		for behind := range parts {
			if middle, ok := strings.CutSuffix(rest, behind); ok {
				add(middle)
			}
		}
	}
	for behind := range parts {
		if rest, ok := strings.CutSuffix(name, behind); ok {
			add(rest)
		}
	}
	slices.Sort(out)
	return out
}

// MacroLeads reports whether the text of a macro in a source holds a name, and returns the words of its code.
func MacroLeads(content, macro, name string) (holds bool, words []string) {
	for _, d := range macroTexts(content) {
		if d.Name != macro {
			continue
		}
		EachWord("macro.h", d.text, func(from, to int, use Use) {
			word := d.text[from:to]
			holds = holds || word == name
			if use&(CodeUse|OpenUse) != 0 && !slices.Contains(d.params, word) {
				words = append(words, word)
			}
		})
	}
	return holds, words
}
