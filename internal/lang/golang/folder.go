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

// PackageName is the name in the package clause of a source; "" when it has none.
func PackageName(text string) string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly)
	if file == nil {
		return ""
	}
	return file.Name.Name
}

// Mainless is the first file of package main among those of one folder that are built, without tests, when none of
// them has a func main, which only the linker misses. texts are by base name.
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

// TestMain reports whether a source of tests has one; go test refuses a second in the package of the same folder
// whose name ends with _test, and gopls looks at each for itself.
func TestMain(text string) bool {
	f := readFacts("x_test.go", text)
	return f.file != nil && f.function("TestMain")
}

func (f *facts) function(name string) bool {
	return slices.ContainsFunc(f.file.Decls, func(decl ast.Decl) bool {
		fn, ok := decl.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == name
	})
}

// FilesIn are the base names of the sources in a folder.
func FilesIn(dir string) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && entry.Type().IsRegular() {
			out = append(out, entry.Name())
		}
	}
	return out
}
