package golang

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Declarations are what a Go source declares, by name; members as "Type.Member".
type Declarations struct {
	Package string
	// Text is each declaration without bodies of functions; that of a struct or interface has all members.
	Text     map[string]string
	Methods  map[string][]string // of an interface
	Embedded map[string]string   // types that a struct or interface embeds
	Imports  []string            // sorted, each once
	// Variadic are the bodies of functions and methods whose last parameter takes any number of values of any type,
	// by "Receiver.Name".
	Variadic map[string]string
	Broken   bool // the source has a syntax error, so that there may be more declarations
}

// DeclarationsOf reads the declarations of a source, without the bodies of most functions; of a broken source what
// the parser recognizes.
func DeclarationsOf(text string) Declarations {
	d := Declarations{Text: map[string]string{}, Methods: map[string][]string{}, Embedded: map[string]string{},
		Variadic: map[string]string{}}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	d.Broken = err != nil
	if file == nil {
		return d
	}
	paths := importPaths(file)
	slices.Sort(paths)
	d.Package, d.Imports = file.Name.Name, slices.Compact(paths)
	defer func() { // nothing can name these, and there may be many
		delete(d.Text, "_")
		delete(d.Text, "init")
	}()
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if of := receiverOf(decl); of != "" {
				name = of + "." + name
				d.Text[name] = printed(decl.Recv.List[0].Type)
			}
			d.Text[name] += printed(decl.Type)
			d.addVariadic(decl)
		case *ast.GenDecl:
			for i, spec := range decl.Specs {
				d.spec(decl, i, spec)
			}
		}
	}
	return d
}

// addVariadic adds the body of a function whose last parameter takes any number of values of any type.
func (d Declarations) addVariadic(fn *ast.FuncDecl) {
	if fn.Body == nil || len(fn.Type.Params.List) == 0 {
		return
	}
	last, ok := fn.Type.Params.List[len(fn.Type.Params.List)-1].Type.(*ast.Ellipsis)
	if !ok || !slices.Contains([]string{"any", "interface{}"}, printed(last.Elt)) {
		return
	}
	d.Variadic[receiverOf(fn)+"."+fn.Name.Name] += printed(fn.Body)
}

// parsed parses a source; of a broken one it returns what the parser recognizes, nil when that is nothing.
func parsed(files *token.FileSet, path, text string, mode parser.Mode) *ast.File {
	file, _ := parser.ParseFile(files, path, text, mode|parser.SkipObjectResolution)
	return file
}

// importPaths returns the paths that a source imports; none for nil.
func importPaths(file *ast.File) (out []string) {
	if file == nil {
		return nil
	}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			out = append(out, path)
		}
	}
	return out
}

func (d Declarations) spec(decl *ast.GenDecl, i int, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		d.Text[spec.Name.Name] = printed(spec)
		eachMember(spec.Type, func(f *ast.Field, method bool) { d.member(spec.Name.Name, f, method) })
	case *ast.ValueSpec:
		for n, name := range spec.Names {
			one := *spec
			one.Names = spec.Names[n : n+1]
			if len(spec.Values) == len(spec.Names) {
				one.Values = spec.Values[n : n+1]
			}
			d.Text[name.Name] = decl.Tok.String() + printed(&one)
			if decl.Tok == token.CONST { // iota and the expression of the one before
				for _, other := range decl.Specs[:i] {
					d.Text[name.Name] += printed(other)
				}
			} else if len(spec.Values) > 0 && spec.Type != nil {
				d.Text[name.Name] = decl.Tok.String() + printed(spec.Type)
			}
		}
	}
}

func (d Declarations) member(of string, f *ast.Field, method bool) {
	if len(f.Names) == 0 {
		d.Embedded[of] += printed(f.Type) + ";"
	}
	for _, name := range f.Names {
		d.Text[of+"."+name.Name] += printed(f.Type)
		if method {
			d.Methods[of] = append(d.Methods[of], name.Name)
		}
	}
}

// eachDeclared visits the names that a source declares in its package, and the members of its types; of is the type of
// a member, else "". embedded is told the types that structs and interfaces embed.
func eachDeclared(file *ast.File, visit func(of string, name *ast.Ident), embedded func(ast.Expr)) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			visit(receiverOf(decl), decl.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					visit("", spec.Name)
					eachMember(spec.Type, func(f *ast.Field, _ bool) {
						for _, name := range f.Names {
							visit(spec.Name.Name, name)
						}
						if len(f.Names) == 0 {
							embedded(f.Type)
						}
					})
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						visit("", name)
					}
				}
			}
		}
	}
}

// eachMember visits the fields of struct types and the methods of interfaces in a type or a source.
func eachMember(in ast.Node, visit func(f *ast.Field, method bool)) {
	ast.Inspect(in, func(n ast.Node) bool {
		var list *ast.FieldList
		_, method := n.(*ast.InterfaceType)
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list = n.Methods
		default:
			return true
		}
		for _, f := range list.List {
			visit(f, method)
		}
		return true
	})
}

// printed returns a part of a Go source as gofmt formats it, without comments.
func printed(node ast.Node) string {
	var b strings.Builder
	if printer.Fprint(&b, token.NewFileSet(), node) != nil {
		return ""
	}
	return b.String()
}

// receiverOf returns the name of the type of a method's receiver; "" for a function.
func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv != nil && len(fn.Recv.List) > 0 {
		if name := TypeName(fn.Recv.List[0].Type); name != nil {
			return name.Name
		}
	}
	return ""
}

// TypeName returns the identifier that names a type: T of *p.T[K]; nil for a type without a name.
func TypeName(in ast.Expr) *ast.Ident {
	for {
		switch e := in.(type) {
		case *ast.ParenExpr:
			in = e.X
		case *ast.StarExpr:
			in = e.X
		case *ast.IndexExpr:
			in = e.X
		case *ast.IndexListExpr:
			in = e.X
		case *ast.SelectorExpr:
			return e.Sel
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}
