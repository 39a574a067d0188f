package golang

import (
	"go/ast"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tests adds the functions that go test takes for tests, and refuses for their signatures (cmd/go/internal/load,
// test.go; Go 1.26).
func (f *facts) tests() {
	for _, decl := range f.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		wants := ""
		switch name := fn.Name.Name; {
		case name == "TestMain":
			wants = "MT" // with a *testing.T it is a test
		case isTest(name, "Test"):
			wants = "T"
		case isTest(name, "Benchmark"):
			wants = "B"
		case isTest(name, "Fuzz"):
			wants = "F"
		}
		if wants != "" && !takesOnly(fn, wants) {
			f.add(fn.Pos(), "test "+header(fn), "the signature of the test function "+fn.Name.Name, false)
		}
	}
}

// isTest reports whether a name begins with prefix, and goes on with anything but a lower case letter.
func isTest(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

// takesOnly reports whether a function takes only a pointer to one of the types of package testing, each given by one
// letter, and returns nothing.
func takesOnly(fn *ast.FuncDecl, types string) bool {
	in := fn.Type
	if in.TypeParams != nil || in.Results != nil && len(in.Results.List) > 0 || len(in.Params.List) != 1 ||
		len(in.Params.List[0].Names) > 1 {
		return false
	}
	star, ok := in.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name := ""
	switch of := star.X.(type) {
	case *ast.Ident:
		name = of.Name
	case *ast.SelectorExpr:
		name = of.Sel.Name
	}
	return len(name) == 1 && strings.Contains(types, name)
}
