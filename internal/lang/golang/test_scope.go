package golang

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"path"
	"strings"

	"lspi/internal/source"
)

// TestScope is what a test adds to the package with which it is compiled. Errors in the other sources of that package
// may be due to it.
type TestScope struct {
	Package string // of the package clause
	// Names are those that the test declares in the package, methods that it gives to types of other sources, and its
	// imports.
	Names map[string]bool
	Any   bool // the test may add names that its text does not show
}

// TestScopeOf reads a test; of a broken one what the parser recognizes, with Any set.
func TestScopeOf(text string) TestScope {
	file := parsed(token.NewFileSet(), "", text, 0)
	if file == nil {
		return TestScope{Any: true}
	}
	s := TestScope{Package: file.Name.Name, Names: map[string]bool{}, Any: !Parses("", text)}
	own := map[string]bool{} // the types that it declares
	methods := map[string][]string{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil || len(decl.Recv.List) == 0 {
				s.Names[decl.Name.Name] = true
			} else {
				of := Receiver(decl.Recv.List[0].Type)
				methods[of] = append(methods[of], decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				s.spec(spec, own)
			}
		}
	}
	for of, names := range methods {
		for _, name := range names {
			s.Names[name] = s.Names[name] || !own[of]
		}
	}
	delete(s.Names, "_")
	delete(s.Names, "init") // each source may have its own
	return s
}

func (s *TestScope) spec(spec ast.Spec, types map[string]bool) {
	switch spec := spec.(type) {
	case *ast.ImportSpec:
		switch {
		case spec.Name == nil:
			s.imports(strings.Trim(spec.Path.Value, "`\""))
		case spec.Name.Name == ".":
			s.Any = true
		default:
			s.Names[spec.Name.Name] = true
		}
	case *ast.TypeSpec:
		s.Names[spec.Name.Name], types[spec.Name.Name] = true, true
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			s.Names[name.Name] = true
		}
	}
}

// notInNames separates the words of the last element of an import path; one of them usually is the name of the
// package.
var notInNames = source.LazyRegexp(`[^\pL\pN_]+`)

// majorVersion matches an element of an import path that is a major version and not a name.
var majorVersion = source.LazyRegexp(`^v\d+$`)

// imports adds the names that the package of an import path may have.
func (s *TestScope) imports(of string) {
	if majorVersion.MatchString(path.Base(of)) {
		of = path.Dir(of)
	}
	for _, word := range notInNames.Split(path.Base(of), -1) {
		s.Names[word] = true
	}
}

// Concerns reports whether an error in a source of the same package may be due to the test: the source has one of the
// names.
func (s TestScope) Concerns(text string) bool {
	if s.Any {
		return true
	}
	switch PackageName(text) {
	case s.Package:
	case strings.TrimSuffix(s.Package, "_test"):
		return false // a package of its own
	default:
		return true // they disagree about their package
	}
	found := false
	eachIdentifier(text, func(name string) bool {
		found = s.Names[name]
		return !found
	})
	return found
}

// eachIdentifier visits the identifiers of a source until visit returns false.
func eachIdentifier(text string, visit func(name string) bool) {
	files := token.NewFileSet()
	var scan scanner.Scanner
	scan.Init(files.AddFile("", files.Base(), len(text)), []byte(text), func(token.Position, string) {}, 0)
	for _, tok, word := scan.Scan(); tok != token.EOF; _, tok, word = scan.Scan() {
		if tok == token.IDENT && !visit(word) {
			return
		}
	}
}
