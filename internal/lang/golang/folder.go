package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
)

// PackageName returns the name in the package clause of a source; "" when it has none.
func PackageName(text string) string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly)
	if file == nil {
		return ""
	}
	return file.Name.Name
}

// Mainless returns the first file of package main among the built files of one folder, without tests, when none of
// them has a func main: only the linker reports that. texts are by base name.
func Mainless(texts map[string]string) (base string, line int) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if PackageName(texts[name]) != "main" {
			continue
		}
		files := token.NewFileSet()
		file, _ := parser.ParseFile(files, name, texts[name], parser.SkipObjectResolution)
		if (&facts{files: files, file: file}).function("main") {
			return "", 0
		}
		if base == "" {
			base, line = name, files.PositionFor(file.Package, false).Line
		}
	}
	return base, line
}

func (f *facts) function(name string) bool {
	return slices.ContainsFunc(f.file.Decls, func(decl ast.Decl) bool {
		fn, ok := decl.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == name
	})
}

// FilesIn returns the base names of the Go sources in a folder.
func FilesIn(dir string) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && entry.Type().IsRegular() {
			out = append(out, entry.Name())
		}
	}
	return out
}
