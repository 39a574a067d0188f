package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
)

// The compiler bounds the sizes of types, by the address space, and of the elements of channels; gopls does not compute
// them. Here the number of elements is known and not the size of one, so arrays of some hundred millions count.
const (
	manyElements = 1 << 28
	chanElement  = 1 << 16
)

// sizes adds the large arrays, by their lengths as far as the file itself says them.
func (f *facts) sizes() {
	values := f.constants()
	seen := map[string]bool{}
	note := func(in ast.Expr, most int64) {
		n, ok := elements(in, values)
		if !ok || constant.Compare(n, token.LEQ, constant.MakeInt64(most)) {
			return
		}
		if key := "array " + printed(in) + " " + n.ExactString(); !seen[key] {
			seen[key] = true
			f.add(in.Pos(), key, "the size of "+printed(in), false)
		}
	}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			note(n, manyElements)
			return n.Len == nil // of [a][b]T both count at once
		case *ast.ChanType:
			note(n.Value, chanElement)
		}
		return true
	})
}

// elements returns how many elements an array type has, those of inner arrays multiplied; ok is false for other
// types.
func elements(in ast.Expr, values map[string]ast.Expr) (n constant.Value, ok bool) {
	array, isArray := in.(*ast.ArrayType)
	if !isArray || array.Len == nil {
		return nil, false
	}
	n = evaluate(array.Len, values, 0)
	if n == nil || n.Kind() != constant.Int || constant.Sign(n) < 0 {
		return nil, false
	}
	if inner, ok := elements(array.Elt, values); ok {
		n = constant.BinaryOp(n, token.MUL, inner)
	}
	return n, true
}

// constants returns the constants of the file that have an expression of their own.
func (f *facts) constants() map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, decl := range f.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			one := spec.(*ast.ValueSpec)
			for i, name := range one.Names {
				if i < len(one.Values) {
					out[name.Name] = one.Values[i]
				}
			}
		}
	}
	return out
}

// Bounds of what is evaluated: how many constants lead to each other, and the bits of a shift.
const (
	maxDepth = 20
	maxShift = 512
)

// evaluate returns the value of a constant expression of integers; nil for any other.
func evaluate(in ast.Expr, values map[string]ast.Expr, depth int) constant.Value {
	if depth++; depth > maxDepth {
		return nil
	}
	switch in := in.(type) {
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(in.Value, in.Kind, 0); v.Kind() == constant.Int {
			return v
		}
	case *ast.ParenExpr:
		return evaluate(in.X, values, depth)
	case *ast.Ident:
		if value := values[in.Name]; value != nil {
			return evaluate(value, values, depth)
		}
	case *ast.BinaryExpr:
		x, y := evaluate(in.X, values, depth), evaluate(in.Y, values, depth)
		if x != nil && y != nil {
			return operate(x, in.Op, y)
		}
	}
	return nil
}

func operate(x constant.Value, op token.Token, y constant.Value) constant.Value {
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return constant.BinaryOp(x, op, y)
	case token.SHL, token.SHR:
		if by, ok := constant.Uint64Val(y); ok && by <= maxShift {
			return constant.Shift(x, op, uint(by))
		}
	}
	return nil
}
