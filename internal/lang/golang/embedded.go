package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"lspi/internal/source"
)

// MayEmbed reports whether a name may be an embedded field, by the text of its line in front of it and behind it;
// where it returns false, the file need not be parsed. An embedded type follows only the name of its package and what
// begins a struct or ends the field before; behind it come type arguments, a tag, and what ends the field.
func MayEmbed(before, after string) bool {
	after = strings.TrimLeft(after, " \t\r")
	if after != "" && !strings.ContainsAny(after[:1], "[)`\"/;}") {
		return false
	}
	before = strings.TrimRight(before, " \t*(")
	if qualified, ok := strings.CutSuffix(before, "."); ok {
		before = strings.TrimRight(strings.TrimRightFunc(qualified, source.IsWord), " \t*(")
	}
	return before == "" || strings.ContainsAny(before[len(before)-1:], "{;/")
}

// EmbeddedFields returns the offsets of the names of embedded fields in a Go source (The Go Programming Language
// Specification, Struct types).
func EmbeddedFields(path, text string) (out []int) {
	files := token.NewFileSet()
	file := parsed(files, path, text, 0)
	if file == nil {
		return nil
	}
	eachMember(file, func(f *ast.Field, method bool) {
		if name := TypeName(f.Type); !method && len(f.Names) == 0 && name != nil {
			out = append(out, files.PositionFor(name.Pos(), false).Offset)
		}
	})
	return out
}
