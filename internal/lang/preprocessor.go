package lang

import (
	"bytes"
	"strings"

	"lspi/internal/source"
)

// directive is one of the preprocessor of C, at its # ; defining takes the name of one that defines a macro and
// what follows on the line, and unless the name that one leaves out what follows for.
var (
	gap       = `(?:[ \t]|\\\r?\n|/\*.*?\*/)*`
	directive = source.LazyRegexp(`^(?:#|%:)` + gap + `([a-z]+)`)
	defining  = source.LazyRegexp(`^(?:#|%:)` + gap + `define` + gap + `([\pL_$][\pL\pN_$]*)([^\n]*)`)
	unless    = source.LazyRegexp(`^(?:#|%:)` + gap + `(?:ifndef|if` + gap + `!` + gap + `defined` + gap + `\(?)` +
		gap + `([\pL_$][\pL\pN_$]*)`)
)

// Macro is a macro that a C source defines.
type Macro struct {
	Name  string
	At    int  // offset of the name
	Guard bool // an include guard
}

// Macros returns the macros that a C source defines, in the order of the text, those in conditions too.
func Macros(content string) []Macro {
	scan := conditionScan{text: content, names: []string{}}
	scan.run()
	if len(scan.macros) > 0 {
		scan.macros[0].Guard = scan.bare && scan.guarded()
	}
	return scan.macros
}

// skipEnd returns the end of the comment, string literal or line continuation at i; i when there is none.
func skipEnd(s string, i int) (end int) {
	switch rest := s[i:]; {
	case strings.HasPrefix(rest, "/*"):
		end, _ = commentEnd(s, i, false)
	case strings.HasPrefix(rest, "//"):
		end = directiveEnd(s, i)
	case strings.HasPrefix(rest, "\\\n"):
		end = i + 2
	case strings.HasPrefix(rest, "\\\r\n"):
		end = i + 3
	case rest[0] == '"' && i > 0 && s[i-1] == 'R':
		end, _ = cRawEnd(s, i)
	case rest[0] == '"', rest[0] == '\'' && (i == 0 || !nameByte(s[i-1])): // not that in 1'000
		end, _ = quotedEnd(s, i, false)
	default:
		end = i
	}
	return end
}

// directiveEnd returns the offset of the line break that ends a directive; a backslash continues it on the next line.
func directiveEnd(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] == '\n' && !bytes.HasSuffix(bytes.TrimSuffix([]byte(s[max(i-2, 0):i]), []byte("\r")), []byte(`\`)) {
			return i
		}
	}
	return i
}

// MacroAround returns the name of the macro in whose text an offset of a C source lies; "" where it lies in none.
func MacroAround(content string, offset int) string {
	for _, m := range Macros(content) {
		if end := m.At + len(m.Name); end <= offset && offset < directiveEnd(content, end) {
			return m.Name
		}
	}
	return ""
}
