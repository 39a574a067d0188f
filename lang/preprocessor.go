package lang

import (
	"bytes"
	"regexp"
	"strings"
)

// directive is one of the preprocessor of C, at its # ; defining takes the name of one that defines a macro and what follows on
// the line, and unless the name that one leaves out what follows for.
var (
	gap       = `(?:[ \t]|\\\r?\n|/\*.*?\*/)*`
	directive = regexp.MustCompile(`^(?:#|%:)` + gap + `([a-z]+)`)
	defining  = regexp.MustCompile(`^(?:#|%:)` + gap + `define` + gap + `([\pL_$][\pL\pN_$]*)([^\n]*)`)
	unless    = regexp.MustCompile(`^(?:#|%:)` + gap + `(?:ifndef|if` + gap + `!` + gap + `defined` + gap + `\(?)` + gap + `([\pL_$][\pL\pN_$]*)`)
)

// Macro is a macro that a C source defines.
type Macro struct {
	Name  string
	At    int  // the offset of the name
	Guard bool // it only keeps a header from being read twice
}

// Macros are the macros that a C source defines, in the order of the text, also between conditions that leave them out.
func Macros(content string) (out []Macro) {
	d := directives{text: content}
	for i, fresh := 0, true; i < len(content); {
		switch next := skipped(content, i); {
		case next > i:
			i = next
		case fresh && (content[i] == '#' || strings.HasPrefix(content[i:], "%:")):
			if found, ok := d.take(i); ok {
				out = append(out, found)
			}
			i, fresh = i+1, false
		case content[i] == '\n':
			i, fresh = i+1, true
		default:
			fresh = fresh && strings.IndexByte(" \t\r\f\v", content[i]) >= 0
			i++
		}
	}
	if len(out) > 0 {
		out[0].Guard = d.second && d.closes == d.count // all of the text stands in it
	}
	return out
}

// directives goes over the preprocessor directives of a text.
type directives struct {
	text   string
	count  int
	depth  int    // of #if
	closes int    // which one closes the first
	first  string // the name that the first leaves out what follows for
	second bool   // the second defines it, as nothing
}

// take reads the directive at i, and returns the macro if it defines one.
func (d *directives) take(i int) (found Macro, ok bool) {
	rest := d.text[i:]
	m := directive.FindStringSubmatch(rest)
	if m == nil {
		return found, false
	}
	d.count++
	switch {
	case strings.HasPrefix(m[1], "if"):
		d.depth++
		if name := unless.FindStringSubmatch(rest); d.count == 1 && name != nil {
			d.first = name[1]
		}
	case m[1] == "endif":
		if d.depth--; d.depth == 0 && d.closes == 0 {
			d.closes = d.count
		}
	case m[1] == "define":
		at := defining.FindStringSubmatchIndex(rest)
		if at == nil {
			return found, false
		}
		found = Macro{Name: rest[at[2]:at[3]], At: i + at[2]}
		body := strings.TrimSpace(rest[at[4]:at[5]])
		if d.count == 2 && found.Name == d.first && (body == "" || strings.HasPrefix(body, "/")) {
			d.second = true
		}
		return found, true
	}
	return found, false
}

// skipped is the end of the comment, string literal or line continuation at i; i when there is none.
func skipped(s string, i int) int {
	switch rest := s[i:]; {
	case strings.HasPrefix(rest, "/*"):
		return behind(s, i+2, "*/")
	case strings.HasPrefix(rest, "//"):
		return directiveEnd(s, i)
	case strings.HasPrefix(rest, "\\\n"):
		return i + 2
	case strings.HasPrefix(rest, "\\\r\n"):
		return i + 3
	case rest[0] == '"' && i > 0 && s[i-1] == 'R':
		if open := strings.IndexByte(rest, '('); open > 0 && open <= 17 {
			return behind(s, i+open, ")"+rest[1:open]+`"`)
		}
	case rest[0] == '"', rest[0] == '\'' && (i == 0 || !nameByte(s[i-1])): // not that in 1'000
		for j := i + 1; j < len(s); j++ {
			switch s[j] {
			case '\\':
				j++
			case rest[0]:
				return j + 1
			case '\n':
				return j
			}
		}
	}
	return i
}

// behind is the offset behind the next occurrence of end; the length of the text when there is none.
func behind(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// directiveEnd is the offset of the line break that ends a directive, which a backslash may continue on the next line.
func directiveEnd(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] == '\n' && !bytes.HasSuffix(bytes.TrimSuffix([]byte(s[max(i-2, 0):i]), []byte("\r")), []byte(`\`)) {
			return i
		}
	}
	return i
}
