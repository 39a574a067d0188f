package overlay

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// Kind is what a declaration declares.
type Kind uint8

// The kinds of declarations.
const (
	Value    Kind = iota
	Function      // or a method
	Type          // a class or an interface
)

// HeadOf returns the head of the declaration whose name begins at an offset of a text, on one line with
// single spaces. body is the character with which the body of a function or type begins. It is "" for a
// value that is no function.
func HeadOf(text *source.Text, name int, kind Kind, body string) string {
	content := text.Content()
	end, stop := endOf(content, name, kind == Function, body)
	from := name
	if kind != Value {
		from = min(name, text.LineStart(decorated(text, text.LineOf(name)+1)))
	} else if value := content[name:end]; stop != '>' && (stop == 0 || !strings.Contains(value, "function") &&
		!strings.Contains(value, "lambda")) {
		return ""
	}
	return strings.Join(strings.Fields(content[from:end]), " ")
}

// SameSignature reports whether a new text in place of a declaration still has one of its name at an offset that users
// can use as before; of a value its name is enough.
func SameSignature(text *source.Text, name int, kind Kind, body, now string) bool {
	signature := func(content string, at int) string {
		end, _ := endOf(content, at, kind == Function, body)
		return strings.Join(strings.Fields(content[at:end]), " ")
	}
	_, to, ok := source.WordAround(text.Content(), name)
	if !ok {
		return true
	}
	was := signature(text.Content(), name)
	return slices.ContainsFunc(source.Occurrences(now, text.Content()[name:to]), func(at int) bool {
		is := signature(now, at)
		return kind == Value || was == is || OnlyAddsOptional(was, is)
	})
}

// OnlyAddsOptional reports whether a head differs from an earlier one only by parameters at its end
// that callers may leave out: with a default, optional by "?", or variadic.
func OnlyAddsOptional(was, now string) bool {
	i := 0
	for i < len(was) && i < len(now) && was[i] == now[i] {
		i++
	}
	if i = min(i, len(was)); strings.HasPrefix(was[:i], ")") || i == 0 {
		return false
	}
	rest := was[i:]
	if !strings.HasPrefix(rest, ")") || !strings.HasSuffix(now[i:], rest) {
		return false
	}
	depth, from := 0, i
	added := now[:len(now)-len(rest)]
	for n := i; n <= len(added); n++ {
		if n < len(added) && (added[n] != ',' || depth > 0) {
			switch added[n] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			continue
		}
		one := strings.TrimSpace(added[from:n])
		from = n + 1
		optional := strings.ContainsAny(one, "=?") || strings.HasPrefix(one, "*") || strings.HasPrefix(one, "...")
		if one != "" && !optional {
			return false
		}
	}
	return depth == 0
}

// decorated returns the first line of the decorators right above a line; the line itself without any.
func decorated(text *source.Text, line int) int {
	first := line
	for line--; line > 0; line-- {
		switch above := strings.TrimSpace(text.Line(line)); {
		case strings.HasPrefix(above, "@"):
			first = line
		case !strings.HasPrefix(above, ")") && !strings.HasSuffix(above, ","):
			return first
		}
	}
	return first
}

// endOf returns where the head ends that holds the name at an offset, and the character that ends it:
// the one with which the body begins, '>' for an arrow function, 0 for the end of the line.
func endOf(content string, at int, callable bool, body string) (end int, stop byte) {
	depth, quote := 0, byte(0)
	for ; at < len(content); at++ {
		b := content[at]
		switch {
		case quote != 0:
			if b == '\\' {
				at++
			} else if b == quote || b == '\n' {
				quote = 0
			}
		case b == '"' || b == '`' || b == '\'' && closesOnLine(content[at+1:]):
			quote = b
		case depth == 0 && b == '=' && strings.HasPrefix(content[at:], "=>"):
			return at, '>'
		case depth == 0 && (b == '\n' || b == ';'):
			return at, 0
		case depth == 0 && !callable && strings.IndexByte(body, b) >= 0:
			return at, b
		case strings.IndexByte("([{", b) >= 0:
			depth++
		case strings.IndexByte(")]}", b) >= 0:
			if depth--; depth == 0 && b == ')' {
				callable = false // its parameters are told
			}
			if depth < 0 {
				return at, 0
			}
		}
	}
	return at, 0
}

// closesOnLine reports whether a ' is the begin of a literal: its line has another one. A lifetime of Rust has none.
func closesOnLine(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Contains(line, "'")
}
