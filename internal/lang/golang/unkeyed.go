package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Source is a parsed source with its text.
type Source struct {
	Path string
	Text *source.Text
	file *ast.File
	set  *token.FileSet
}

// offset is where a node begins in the text.
func (s *Source) offset(pos token.Pos) int { return s.set.Position(pos).Offset }

// StructField is a field of a struct type, by its place in it, with the types that lead to the struct type.
type StructField struct {
	// Types grows while references are added: its own name, aliases, types that are declared by one of these, and
	// slices, arrays and maps of them. The first one is missing where the struct type has no name.
	Types []NamedType

	index   int
	in      *Source
	at      int // offset of the struct type
	sources map[string]*Source
	refs    map[reference]NamedType
}

// NamedType is a type by the place of its name where it is declared.
type NamedType struct {
	In   *Source
	At   int // offset of the name
	Name string

	is ast.Expr // what it is declared to be
}

type reference struct {
	path   string
	offset int
}

// Value is a value of a literal without keys.
type Value struct {
	In       *Source
	From, To int // offsets
}

// MayDeclareField reports whether a line may declare a field; where it returns false, the file need not be parsed.
func MayDeclareField(line string) bool {
	return strings.Contains(line, "struct") || !strings.ContainsAny(line, "=:") && !strings.Contains(line, "return ")
}

// FieldAt returns the field of a struct type that is declared by a name at an offset; nil where there is none. An
// embedded field has the name of its type.
func FieldAt(path string, offset int, name string) *StructField {
	f := &StructField{sources: map[string]*Source{}, refs: map[reference]NamedType{}}
	in := f.source(path)
	if in == nil {
		return nil
	}
	f.in, f.index = in, -1
	ast.Inspect(in.file, func(n ast.Node) bool {
		structure, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		index := 0
		for _, one := range structure.Fields.List {
			names := one.Names
			if len(names) == 0 {
				names = []*ast.Ident{TypeName(one.Type)}
			}
			for _, ident := range names {
				if ident != nil && ident.Name == name && in.offset(ident.Pos()) == offset {
					f.index, f.at = index, in.offset(structure.Pos())
				}
				index++
			}
		}
		return true
	})
	if f.index < 0 {
		return nil
	}
	f.declared(in)
	return f
}

// source parses a file, once; nil when it cannot be read.
func (f *StructField) source(path string) *Source {
	known, ok := f.sources[path]
	if ok {
		return known
	}
	if text, err := source.Read(path); err == nil {
		set := token.NewFileSet()
		if file, _ := parser.ParseFile(set, path, text.Content(), parser.SkipObjectResolution); file != nil {
			known = &Source{path, text, file, set}
		}
	}
	f.sources[path] = known
	return known
}

// Refer adds a reference of one of Types, and the types that the source declares by it.
func (f *StructField) Refer(t NamedType, path string, offset int) {
	if in := f.source(path); in != nil {
		f.refs[reference{path, offset}] = t
		f.declared(in)
	}
}

// Text returns the text of a source; nil when it cannot be read.
func (f *StructField) Text(path string) *source.Text {
	if in := f.source(path); in != nil {
		return in.Text
	}
	return nil
}

// declared adds the types of a source that lead to the struct type.
func (f *StructField) declared(in *Source) {
	ast.Inspect(in.file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !f.leads(in, spec.Type) {
			return true
		}
		t := NamedType{in, in.offset(spec.Name.Pos()), spec.Name.Name, spec.Type}
		if !slices.ContainsFunc(f.Types, func(have NamedType) bool { return have.In == in && have.At == t.At }) {
			f.Types = append(f.Types, t)
		}
		return true
	})
}

// leads reports whether literals of a type have literals of the struct type among their elements, or are such.
func (f *StructField) leads(in *Source, of ast.Expr) bool {
	switch of := of.(type) {
	case *ast.StructType:
		return in == f.in && in.offset(of.Pos()) == f.at
	case *ast.ArrayType:
		return f.leads(in, of.Elt)
	case *ast.MapType:
		return f.leads(in, of.Key) || f.leads(in, of.Value)
	}
	if inner, ok := typeInside(of); ok {
		return f.leads(in, inner)
	}
	_, ok := f.refs[reference{in.Path, in.offset(nameOf(of))}]
	return ok
}

// typeInside returns the type in a pointer, in parentheses, or with type arguments.
func typeInside(of ast.Expr) (ast.Expr, bool) {
	switch of := of.(type) {
	case *ast.StarExpr:
		return of.X, true
	case *ast.ParenExpr:
		return of.X, true
	case *ast.IndexExpr:
		return of.X, true
	case *ast.IndexListExpr:
		return of.X, true
	}
	return nil, false
}

// nameOf is where the name in a type stands, behind that of its package.
func nameOf(of ast.Expr) token.Pos {
	if selected, ok := of.(*ast.SelectorExpr); ok {
		return selected.Sel.Pos()
	}
	return of.Pos()
}

// resolved follows names of types to what they are declared to be.
func (f *StructField) resolved(in *Source, of ast.Expr) (*Source, ast.Expr) {
	for range maxNested {
		if inner, ok := typeInside(of); ok {
			of = inner
			continue
		}
		switch of.(type) {
		case *ast.StructType, *ast.ArrayType, *ast.MapType:
			return in, of
		}
		t, ok := f.refs[reference{in.Path, in.offset(nameOf(of))}]
		if !ok {
			return nil, nil
		}
		in, of = t.In, t.is
	}
	return nil, nil
}

// maxNested bounds the names that lead to a type.
const maxNested = 50

// Values returns the values for the field in the literals without keys of all sources with references.
func (f *StructField) Values() (out []Value) {
	for _, path := range slices.Sorted(maps.Keys(f.sources)) {
		if in := f.sources[path]; in != nil {
			out = append(out, f.valuesIn(in)...)
		}
	}
	return out
}

// valuesIn are the values for the field in the literals of a source.
func (f *StructField) valuesIn(in *Source) (out []Value) {
	ast.Inspect(in.file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type != nil {
			out = f.literal(out, in, lit, in, lit.Type)
		}
		return true
	})
	return out
}

// literal adds the values for the field in a literal, whose type stands in a source that may be another one.
func (f *StructField) literal(out []Value, in *Source, lit *ast.CompositeLit, typeIn *Source, of ast.Expr) []Value {
	typeIn, of = f.resolved(typeIn, of)
	var element, key ast.Expr
	switch of := of.(type) {
	case *ast.StructType:
		if typeIn == f.in && typeIn.offset(of.Pos()) == f.at {
			return f.value(out, in, lit)
		}
		return out
	case *ast.ArrayType:
		element = of.Elt
	case *ast.MapType:
		element, key = of.Value, of.Key
	default:
		return out
	}
	inner := func(value ast.Expr, of ast.Expr) {
		if one, ok := value.(*ast.CompositeLit); ok && one.Type == nil && of != nil {
			out = f.literal(out, in, one, typeIn, of)
		}
	}
	for _, value := range lit.Elts {
		if pair, ok := value.(*ast.KeyValueExpr); ok {
			inner(pair.Key, key)
			value = pair.Value
		}
		inner(value, element)
	}
	return out
}

// value adds the value for the field in a literal of the struct type, where it has no keys.
func (f *StructField) value(out []Value, in *Source, lit *ast.CompositeLit) []Value {
	if len(lit.Elts) <= f.index {
		return out
	}
	value := lit.Elts[f.index]
	if _, keyed := value.(*ast.KeyValueExpr); keyed {
		return out
	}
	return append(out, Value{in, in.offset(value.Pos()), in.offset(value.End())})
}

// ValuesByName returns the values for the field in the literals of a source of which no references are known: going by
// the names of Types, in the folder of a type or behind a package that is called as it.
func (f *StructField) ValuesByName(file string) (out []Value) {
	in := f.source(file)
	if in == nil {
		return nil
	}
	packages := map[string]string{}
	for _, spec := range in.file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = path.Base(imported)
	}
	ast.Inspect(in.file, func(n ast.Node) bool {
		var named, qualifier string
		switch n := n.(type) {
		case *ast.Ident:
			named = n.Name
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			if !ok || packages[of.Name] == "" {
				return !ok
			}
			named, qualifier = n.Sel.Name, packages[of.Name]
		default:
			return true
		}
		for _, t := range f.Types {
			folder := filepath.Dir(t.In.Path)
			here := qualifier == "" && (folder == filepath.Dir(file) || packages["."] == filepath.Base(folder))
			if t.Name == named && (here || qualifier != "" && qualifier == filepath.Base(folder)) {
				f.refs[reference{file, in.offset(nameOf(n.(ast.Expr)))}] = t
			}
		}
		return qualifier == ""
	})
	f.declared(in)
	return f.valuesIn(in)
}
