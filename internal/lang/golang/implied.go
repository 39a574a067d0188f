package golang

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// ImpliedUse says what uses the function, method or package variable that a source declares by a name on a line
// without naming it; "" where nothing does. as is the name that it would have; a name that is used alike changes
// nothing.
func ImpliedUse(path, text, name, as string, line int) string {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, path, text, parser.SkipObjectResolution|parser.ParseComments)
	if file == nil {
		return ""
	}
	declares := func(id *ast.Ident) bool { return id.Name == name && files.Position(id.Pos()).Line == line }
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if !declares(decl.Name) {
				continue
			}
			if use := impliedCall(file, path, decl, name); use != "" && use != impliedCall(file, path, decl, as) {
				return use
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR && as == "" &&
					slices.ContainsFunc(v.Names, declares) && slices.ContainsFunc(v.Values, func(e ast.Expr) bool {
					return mayAct(file, e)
				}) {
					return "the program calls what initializes it"
				}
			}
		}
	}
	return ""
}

// impliedCall says what calls a function if it has a name; "" for nothing.
func impliedCall(file *ast.File, path string, fn *ast.FuncDecl, name string) string {
	if fn.Recv != nil {
		if of := calledUnnamed[name]; of.by != "" && of.parameters == fn.Type.Params.NumFields() &&
			fn.Type.Results.NumFields() == of.results {
			return of.by + " calls methods of that name by an interface without a name"
		}
		return ""
	}
	switch {
	case name == "init":
		return "every program with the package runs it"
	case name == "main" && file.Name.Name == "main":
		return "the program begins with it"
	case !strings.HasSuffix(path, "_test.go"):
		return ""
	}
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if name == "TestMain" || isTest(name, prefix) {
			return "go test runs it by its name"
		}
	}
	return ""
}

// calledUnnamed are the methods that the standard library looks for by interface types without a name (Go 1.26:
// errors/wrap.go, io/fs/fs.go, net/http), which no request of a server finds.
var calledUnnamed = map[string]struct {
	by                  string
	parameters, results int
}{
	"Unwrap":           {"package errors", 0, 1},
	"Is":               {"package errors", 1, 1},
	"As":               {"package errors", 1, 1},
	"Timeout":          {"package io/fs", 0, 1},
	"FlushError":       {"package net/http", 0, 1},
	"SetReadDeadline":  {"package net/http", 1, 1},
	"SetWriteDeadline": {"package net/http", 1, 1},
	"EnableFullDuplex": {"package net/http", 0, 1},
	"CloseWrite":       {"package net/http", 0, 1},
}

// pure are packages of the standard library whose functions only return what they compute.
var pure = map[string]bool{"errors": true, "bytes": true, "strings": true, "strconv": true, "regexp": true,
	"math": true, "big": true, "time": true, "unicode": true, "utf8": true, "filepath": true, "path": true,
	"reflect": true}

// acting are the predeclared functions that do more than return a value.
var acting = []string{"clear", "close", "copy", "delete", "panic", "print", "println", "recover"}

// mayAct reports whether an expression calls something that may do more than return a value. What a function literal
// calls counts only where that is called itself.
func mayAct(file *ast.File, e ast.Expr) (acts bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			acts = acts || !returnsOnly(file, n.Fun)
		case *ast.UnaryExpr:
			acts = acts || n.Op == token.ARROW
		}
		return !acts
	})
	return acts
}

// returnsOnly reports whether what is called is a conversion, or a function that only returns a value.
func returnsOnly(file *ast.File, called ast.Expr) bool {
	switch f := called.(type) {
	case *ast.ParenExpr:
		return returnsOnly(file, f.X)
	case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.Ident:
		if doc.IsPredeclared(f.Name) && !slices.Contains(acting, f.Name) {
			return true
		}
		return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			types, ok := d.(*ast.GenDecl)
			return ok && slices.ContainsFunc(types.Specs, func(s ast.Spec) bool {
				t, ok := s.(*ast.TypeSpec)
				return ok && t.Name.Name == f.Name
			})
		})
	case *ast.SelectorExpr:
		of, ok := f.X.(*ast.Ident)
		return ok && (pure[of.Name] || of.Name == "fmt" && (strings.HasPrefix(f.Sel.Name, "Sprint") ||
			f.Sel.Name == "Errorf"))
	}
	return false
}
