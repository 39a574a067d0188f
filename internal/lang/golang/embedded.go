package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"lspi/internal/source"
)

// MayEmbed spares parsing the file where the text of the line in front of a name, or behind it, shows that no field
// is declared there: an embedded type follows nothing but the name of its package, and what begins a struct or ends
// the field before; behind it come arguments of the type, a tag, and what ends the field.
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

// EmbeddedFields are the offsets of the names of embedded fields in a Go source (The Go Programming Language
// Specification, Struct types).
func EmbeddedFields(path, text string) (out []int) {
	files := token.NewFileSet()
	file := parsed(files, path, text, 0)
	if file == nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		structure, ok := n.(*ast.StructType)
		if !ok || structure.Fields == nil {
			return true
		}
		for _, field := range structure.Fields.List {
			if name := TypeName(field.Type); len(field.Names) == 0 && name != nil {
				out = append(out, files.PositionFor(name.Pos(), false).Offset)
			}
		}
		return true
	})
	return out
}
