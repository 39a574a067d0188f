package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// topLevel matches the first line of a declaration that is not a member of a type. Only a source that imports its
// package can name it, while a method may be called on a value that came by way of another package.
var topLevel = source.LazyRegexp(`^(func|type|var|const|package) (\pL|_)`)

// importSpec matches a line that names a package.
var importSpec = source.LazyRegexp(`^\s*(import\s+)?([\pL_.][\pL\d_]*\s+)?"[^"]*"`)

// IsTopLevel reports whether a line begins a declaration that certainly is not a member of a type.
func IsTopLevel(line string) bool { return topLevel.MatchString(line) }

// IsImport reports whether a line names a package.
func IsImport(line string) bool { return importSpec.MatchString(line) }

// ImportsIn returns the imports of all sources in a folder.
func ImportsIn(dir string) map[string]bool {
	out := map[string]bool{}
	for _, base := range FilesIn(dir) {
		file, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, base), nil, parser.ImportsOnly)
		for _, path := range importPaths(file) {
			out[path] = true
		}
	}
	return out
}

// Parses reports whether a source has no syntax error.
func Parses(path, text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	return err == nil
}

// MentionsOf returns the names in a source; of a broken one as far as the parser reads it.
func MentionsOf(path, text string) *lang.Mentions {
	m := &lang.Mentions{Words: map[string]bool{}, Declared: map[string]bool{},
		Embedded: map[string]bool{}, Imports: map[string]bool{}}
	eachIdentifier(text, func(name string) bool {
		m.Words[name] = true
		return true
	})
	file := parsed(token.NewFileSet(), path, text, 0)
	if file == nil {
		return m
	}
	for _, path := range importPaths(file) {
		m.Imports[path] = true
		for _, word := range strings.FieldsFunc(path, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			m.Words[word] = true
		}
	}
	d := declaredNames{m, file.Name.Name}
	for _, decl := range file.Decls {
		d.declaration(decl)
	}
	return m
}

// declaredNames collects what a package declares.
type declaredNames struct {
	*lang.Mentions
	pkg string
}

// add adds a name of the package, or the member of a type, with its qualified forms.
func (d declaredNames) add(of, name string) {
	d.Declared[name] = true
	if of != "" {
		name = of + "." + name
		d.Declared[name] = true
	}
	d.Declared[d.pkg+"."+name] = true
}

func (d declaredNames) declaration(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		of := ""
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			of = Receiver(decl.Recv.List[0].Type)
		}
		d.add(of, decl.Name.Name)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.add("", spec.Name.Name)
				d.members(spec.Name.Name, spec.Type)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					d.add("", name.Name)
				}
			}
		}
	}
}

// members adds fields, methods of interfaces, and what is embedded.
func (d declaredNames) members(of string, in ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			d.fields(of, n.Fields)
		case *ast.InterfaceType:
			d.fields(of, n.Methods)
		}
		return true
	})
}

func (d declaredNames) fields(of string, list *ast.FieldList) {
	for _, f := range list.List {
		for _, name := range f.Names {
			d.add(of, name.Name)
		}
		if len(f.Names) == 0 {
			ast.Inspect(f.Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					d.Embedded[id.Name] = true
				}
				return true
			})
		}
	}
}
