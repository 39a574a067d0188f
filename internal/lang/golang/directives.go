package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// ignored are directives for which no build fails: those of tools (go help generate, go help fix). ignoredAbove are
// those about how a function is compiled, when they are above a function (go doc compile).
var (
	ignored      = []string{"generate", "fix"}
	ignoredAbove = []string{"noinline", "norace", "nocheckptr", "uintptrescapes"}
)

// directives adds the comments that the go command, the compiler or the linker reads, each with what it is about.
func (f *facts) directives() {
	above := f.documented()
	for _, group := range f.file.Comments {
		for _, comment := range group.List {
			text := strings.TrimSpace(comment.Text)
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			name, ok := strings.CutPrefix(words[0], "//go:")
			if !ok {
				if words[0] == "//export" && f.imports("C") {
					f.add(comment.Pos(), text+"\n"+described(above[group], true), "the C function "+text, true)
				}
				continue
			}
			f.directive(comment, name, words, above[group])
		}
	}
}

func (f *facts) directive(comment *ast.Comment, name string, words []string, about ast.Node) {
	text, what := strings.Join(words, " "), "the directive //go:"+name
	_, function := about.(*ast.FuncDecl)
	switch {
	case slices.Contains(ignored, name), function && slices.Contains(ignoredAbove, name):
	case name == "build" && comment.Pos() < f.file.Package: // a constraint, which Compare does not look at
	case name == "embed" && f.embeds(about): // gopls asks the go command for the files
	case name == "embed":
		f.add(comment.Pos(), text+"\n"+described(about, true), what, false)
	case name == "linkname":
		local := ""
		if len(words) > 1 {
			local = described(f.declares(words[1]), true)
		}
		if !f.imports("unsafe") {
			local += "\nnot unsafe"
		}
		f.add(comment.Pos(), text+"\n"+local, what, true)
	default:
		f.add(comment.Pos(), text+"\n"+described(about, strings.HasPrefix(name, "wasm")), what, false)
	}
}

// documented returns the declaration directly below each comment.
func (f *facts) documented() map[*ast.CommentGroup]ast.Node {
	out := map[*ast.CommentGroup]ast.Node{}
	for _, decl := range f.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			out[decl.Doc] = decl
		case *ast.GenDecl:
			if decl.Tok != token.VAR {
				continue
			}
			for _, spec := range decl.Specs {
				if one := spec.(*ast.ValueSpec); one.Doc != nil {
					out[one.Doc] = one
				} else if len(decl.Specs) == 1 {
					out[decl.Doc] = one
				}
			}
		}
	}
	delete(out, nil)
	return out
}

// described says what a directive is about, in full or by its kind.
func described(about ast.Node, full bool) string {
	switch about := about.(type) {
	case *ast.FuncDecl:
		text := "func"
		if full {
			text += " " + header(about)
		}
		if about.Body == nil {
			text += " without body"
		}
		return text
	case *ast.ValueSpec:
		if full {
			return "var " + printed(about)
		}
		return "var"
	}
	return "nothing"
}

// declares returns the function or variable of the file with a name; nil when there is none.
func (f *facts) declares(name string) ast.Node {
	for _, decl := range f.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name == name {
				return decl
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				one, ok := spec.(*ast.ValueSpec)
				if ok && decl.Tok == token.VAR && slices.ContainsFunc(one.Names, func(id *ast.Ident) bool {
					return id.Name == name
				}) {
					return one
				}
			}
		}
	}
	return nil
}

// embeds reports whether files can be embedded in the variable that a directive is about (package embed).
func (f *facts) embeds(about ast.Node) bool {
	one, ok := about.(*ast.ValueSpec)
	if !ok || len(one.Names) != 1 || len(one.Values) > 0 || one.Type == nil || !f.imports("embed") {
		return false
	}
	switch in := one.Type.(type) {
	case *ast.Ident:
		return in.Name == "string" || in.Name == "FS"
	case *ast.ArrayType:
		of, ok := in.Elt.(*ast.Ident)
		return ok && in.Len == nil && of.Name == "byte"
	case *ast.SelectorExpr:
		return in.Sel.Name == "FS"
	}
	return false
}

// Linknames visits the names in other packages that the go:linkname directives of a source refer to, with their
// lines.
func Linknames(text string, visit func(line int, remote string)) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if words := strings.Fields(line); len(words) > 2 && words[0] == "//go:linkname" {
			visit(n, words[2])
		}
	}
}

// SplitLinkname returns the package and the name in the target of a go:linkname directive: path.Name,
// path.Type.Method or path.(*Type).Method, where a dot in the last part of the path is written %2e.
func SplitLinkname(remote string) (pkg, name string) {
	slash := strings.LastIndex(remote, "/") + 1
	pkg, name, _ = strings.Cut(remote[slash:], ".")
	return remote[:slash] + strings.ReplaceAll(pkg, "%2e", "."), strings.NewReplacer("(*", "", ")", "").Replace(name)
}
