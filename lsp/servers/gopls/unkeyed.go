package gopls

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// unnamed is [lsp.CoverageHooks].Unnamed: the values of composite literals without keys, Pair{3, 9}, each of which sets
// the field at its place (The Go Programming Language Specification, Composite literals). The literals are found by
// the references of the struct type.
func (a *Process) unnamed(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place) (sure,
	doubtful []lsp.Place) {
	at, field := structOf(declared, name)
	if field < 0 {
		return nil, nil
	}
	places, err := s.Recalling().References(ctx, declared.Path, at, false)
	if err != nil {
		return nil, []lsp.Place{declared}
	}
	byFile := map[string][]contract.Position{}
	for _, p := range places {
		byFile[p.Path] = append(byFile[p.Path], p.Range.Start)
	}
	for path, types := range byFile {
		sure = append(sure, unkeyedIn(path, types, field)...)
	}
	return sure, nil
}

// structOf returns where the name of the struct type stands that declares a field at a place, and which of its fields
// that is; -1 where the place is no field of a struct with a name.
func structOf(declared lsp.Place, name string) (at contract.Position, field int) {
	text, err := source.Read(declared.Path)
	if err != nil {
		return at, -1
	}
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, declared.Path, text.Content(), parser.SkipObjectResolution)
	field = -1
	if file == nil {
		return at, field
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		structure, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		index := 0
		for _, f := range structure.Fields.List {
			for _, ident := range f.Names {
				if ident.Name == name && files.Position(ident.Pos()).Line == declared.Range.Start.Line {
					field, at = index, text.PositionAt(files.Position(spec.Name.Pos()).Offset)
				}
				index++
			}
			if len(f.Names) == 0 {
				index++
			}
		}
		return true
	})
	return at, field
}

// unkeyedIn returns the values for a field in the literals of a source whose type is named at one of the positions.
func unkeyedIn(path string, types []contract.Position, field int) (out []lsp.Place) {
	text, err := source.Read(path)
	if err != nil {
		return nil
	}
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, path, text.Content(), parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	isType := func(in ast.Expr) bool {
		if star, ok := in.(*ast.StarExpr); ok {
			in = star.X
		}
		if index, ok := in.(*ast.IndexExpr); ok {
			in = index.X
		}
		if sel, ok := in.(*ast.SelectorExpr); ok {
			in = sel.Sel
		}
		ident, ok := in.(*ast.Ident)
		return ok && slices.Contains(types, text.PositionAt(files.Position(ident.Pos()).Offset))
	}
	var literal func(lit *ast.CompositeLit, in ast.Expr)
	literal = func(lit *ast.CompositeLit, in ast.Expr) {
		if lit.Type != nil {
			in = lit.Type
		}
		if in == nil {
			return
		}
		if isType(in) && len(lit.Elts) > field {
			value := lit.Elts[field]
			if _, keyed := value.(*ast.KeyValueExpr); !keyed {
				r := contract.Range{Start: text.PositionAt(files.Position(value.Pos()).Offset),
					End: text.PositionAt(files.Position(value.End()).Offset)}
				out = append(out, lsp.Place{Path: path, Range: r, Full: r, Line: text.Line(r.Start.Line)})
			}
			return
		}
		var element, key ast.Expr
		switch of := in.(type) {
		case *ast.ArrayType:
			element = of.Elt
		case *ast.MapType:
			element, key = of.Value, of.Key
		}
		for _, value := range lit.Elts {
			if pair, ok := value.(*ast.KeyValueExpr); ok {
				if inner, ok := pair.Key.(*ast.CompositeLit); ok && inner.Type == nil {
					literal(inner, key)
				}
				value = pair.Value
			}
			if inner, ok := value.(*ast.CompositeLit); ok && inner.Type == nil {
				literal(inner, element)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type != nil {
			literal(lit, nil)
		}
		return true
	})
	return out
}
