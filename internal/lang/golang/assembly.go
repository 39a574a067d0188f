package golang

import (
	"strings"
	"unicode"
)

// AssemblyNames visits the names of Go declarations to which an assembly source refers (go.dev/doc/asm): ·name and
// path·name, where pkg is the path, "" for the package itself; and those of go_asm.h: const_name, Type__size and
// Type_field, which is visited as Type.field. Any underscore may be that of go_asm.h, so some visited names do not
// exist.
func AssemblyNames(text string, visit func(line int, pkg, name string)) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "//")
		for symbol := range strings.FieldsFuncSeq(line, func(r rune) bool {
			return r != '_' && r != '·' && r != '∕' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			if i := strings.LastIndex(symbol, "·"); i >= 0 {
				pkg := strings.NewReplacer("·", ".", "∕", "/").Replace(symbol[:i])
				visit(n, pkg, symbol[i+len("·"):])
				continue
			}
			if name, ok := strings.CutPrefix(symbol, "const_"); ok {
				visit(n, "", name)
				continue
			}
			for i := range len(symbol) {
				switch rest := symbol[i+1:]; {
				case symbol[i] != '_' || i == 0 || symbol[i-1] == '_':
				case rest == "_size":
					visit(n, "", symbol[:i])
				default:
					visit(n, "", symbol[:i]+"."+rest)
				}
			}
		}
	}
}
