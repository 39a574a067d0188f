package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// BuildCommands are the commands that check what gopls leaves to them, for people.
const BuildCommands = "go build and go test"

// Change is a change by an edit that gopls does not check.
type Change struct {
	Line int    // 1-based, in the text after the edit; in the text before it for something that the edit removes
	What string // what the edit changes, as the object of a sentence
}

// fact is something in a source that only the go command, the compiler or the linker checks.
type fact struct {
	key    string // equal in two texts when nothing about it has changed
	pos    token.Pos
	what   string
	needed bool // the build may fail without it
}

// facts collects the facts of one source.
type facts struct {
	files *token.FileSet
	file  *ast.File
	all   []fact
}

func (f *facts) add(pos token.Pos, key, what string, needed bool) {
	f.all = append(f.all, fact{key, pos, what, needed})
}

// line returns the line of a position, ignoring //line directives.
func (f *facts) line(pos token.Pos) int { return f.files.PositionFor(pos, false).Line }

// readFacts reads a source; base is the name of its file.
func readFacts(base, text string) *facts {
	f := &facts{files: token.NewFileSet()}
	// The error is dropped: gopls reports syntax errors.
	f.file, _ = parser.ParseFile(f.files, base, text, parser.ParseComments|parser.SkipObjectResolution)
	if f.file == nil {
		return f
	}
	f.directives()
	f.bodyless()
	f.cgo()
	if strings.HasSuffix(base, "_test.go") {
		f.tests()
	}
	return f
}

// Compare returns the first change from one text of a file to another that gopls does not check (0.23.0, with Go
// 1.26); nil when there is none. base is the base name of the file; before is "" for a new file, after for a deleted
// one. Build constraints are not looked at.
func Compare(base, before, after string) *Change {
	old, now := readFacts(base, before), readFacts(base, after)
	had := map[string]int{}
	for _, one := range old.all {
		had[one.key]++
	}
	for _, one := range now.all {
		if had[one.key]--; had[one.key] < 0 {
			return &Change{now.line(one.pos), one.what}
		}
	}
	for _, one := range old.all {
		if had[one.key]--; had[one.key] >= 0 && one.needed {
			return &Change{old.line(one.pos), one.what}
		}
	}
	return shifted(old, now)
}

// bodyless adds the functions without a body: gopls takes each for one that assembly or a directive provides.
func (f *facts) bodyless() {
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body == nil {
			f.add(fn.Pos(), "bodyless "+header(fn), "the function "+fn.Name.Name+", which has no body", true)
		}
	}
}

// header returns a function without its body, for a key.
func header(fn *ast.FuncDecl) string {
	of := ""
	if fn.Recv != nil {
		for _, field := range fn.Recv.List {
			of = printed(field.Type)
		}
	}
	return of + "." + fn.Name.Name + " " + printed(fn.Type)
}

// cgo adds the C code of a file and the C names that it uses. gopls runs cgo when it loads a package, and not again
// when the preamble changes; so it also knows no C name that the package did not use at that time.
func (f *facts) cgo() {
	for _, decl := range f.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		for _, spec := range gen.Specs {
			one := spec.(*ast.ImportSpec)
			if one.Path.Value != `"C"` {
				continue
			}
			key := "cgo"
			for _, doc := range []*ast.CommentGroup{gen.Doc, one.Doc} {
				if doc == nil {
					continue
				}
				for _, comment := range doc.List {
					key += "\n" + comment.Text
				}
			}
			f.add(one.Pos(), key, `the C code of import "C"`, true)
		}
	}
	f.usesOfC(func(pos token.Pos, name string) { f.add(pos, "C."+name, "the use of C."+name, false) })
}

// usesOfC visits the first use of each C name.
func (f *facts) usesOfC(visit func(pos token.Pos, name string)) {
	if !f.imports("C") {
		return
	}
	seen := map[string]bool{}
	ast.Inspect(f.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := sel.X.(*ast.Ident); ok && of.Name == "C" && !seen[sel.Sel.Name] {
			seen[sel.Sel.Name] = true
			visit(sel.Pos(), sel.Sel.Name)
		}
		return true
	})
}

// CNames visits the C names that a source uses by cgo, each with its first line, and without the word for its kind
// (C.struct_x).
func CNames(text string, visit func(line int, name string)) {
	if !strings.Contains(text, `"C"`) {
		return
	}
	f := readFacts("", text)
	if f.file == nil {
		return
	}
	f.usesOfC(func(pos token.Pos, name string) {
		for _, kind := range []string{"struct_", "union_", "enum_", "sizeof_"} {
			name = strings.TrimPrefix(name, kind)
		}
		visit(f.line(pos), name)
	})
}

// imports reports whether the file imports a path.
func (f *facts) imports(path string) bool {
	return slices.Contains(importPaths(f.file), path)
}
