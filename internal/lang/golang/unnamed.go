package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"lspi/internal/source"
)

// Unnamed reports whether a source has an interface type without a name that declares a method: v.(interface{ Flush()
// }). A source that cannot be read has none.
func Unnamed(path, method string) bool {
	text, err := source.Read(path)
	return err == nil && len(UnnamedMethods(path, text.Content(), method)) > 0
}

// unnamedInterface matches the beginning of an interface type that is not empty; sources without one are not parsed:
// most have none.
var unnamedInterface = source.LazyRegexp(`\binterface\s*\{\s*[^}\s]`)

// UnnamedMethods returns the offsets at which interface types without a name declare a method.
func UnnamedMethods(path, text, method string) (out []int) {
	if first := strings.Index(text, "interface"); first < 0 || !strings.Contains(text, method) ||
		!unnamedInterface.MatchString(text[first:]) {
		return nil
	}
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	named := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			named[n.Type] = true
		case *ast.InterfaceType:
			if named[n] {
				break
			}
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					if name.Name == method {
						out = append(out, files.Position(name.Pos()).Offset)
					}
				}
			}
		}
		return true
	})
	return out
}
