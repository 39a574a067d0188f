package move

import (
	"bytes"
	"context"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// goFile is a source of Go that the move of a declaration reads or changes.
type goFile struct {
	m       *symbolMove
	text    *source.Text
	set     *token.FileSet
	file    *ast.File
	changes []splice.Change // behind the imports
	behind  []string        // declarations that are added at the end
	add     []goImport
	dropped []*ast.ImportSpec
}

// goImport is an import to add; name is "" where the package's own name does.
type goImport struct{ name, path string }

// goFile reads a source.
func (m *symbolMove) goFile(path string) (*goFile, error) {
	text, err := m.c.Workspace.Text(path)
	if err != nil {
		return nil, err
	}
	return m.goFileOf(text)
}

func (m *symbolMove) goFileOf(text *source.Text) (*goFile, error) {
	f := &goFile{m: m, text: text, set: token.NewFileSet()}
	var err error
	f.file, err = parser.ParseFile(f.set, text.Path, text.Content(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, m.refuse("syntax_error", "Mend it first.", "%s does not parse: %v", m.c.Show(text.Path), err)
	}
	return f, nil
}

func (f *goFile) dir() string { return filepath.Dir(f.text.Path) }

// of is the offset of a position.
func (f *goFile) of(p token.Pos) int { return f.set.PositionFor(p, false).Offset }

// pos is the position of an offset.
func (f *goFile) pos(offset int) token.Pos { return f.set.File(f.file.FileStart).Pos(offset) }

// lineStart and lineEnd are the bounds of the line of an offset, without its line end.
func (f *goFile) lineStart(offset int) int { return f.text.LineStart(f.text.LineOf(offset) + 1) }

func (f *goFile) lineEnd(offset int) int {
	n := f.text.LineOf(offset) + 1
	return f.text.LineStart(n) + len(strings.TrimSuffix(f.text.Line(n), "\r"))
}

// importPath is the path of an import.
func importPath(spec *ast.ImportSpec) string {
	name, _ := strconv.Unquote(spec.Path.Value)
	return name
}

// importOf is the import that a name at an offset means, as the server tells; nil where it means something else.
func (f *goFile) importOf(ctx context.Context, id *ast.Ident) *ast.ImportSpec {
	to := f.m.definedAt(ctx, f.text, f.of(id.Pos()))
	if to.Path != f.text.Path {
		return nil
	}
	for _, spec := range f.file.Imports {
		if n := f.set.PositionFor(spec.Pos(), false).Line; to.Range.Start.Line == n {
			return spec
		}
	}
	return nil
}

// mayName reports whether a name may be that of an import: where none is given, the package has the last.
func mayName(spec *ast.ImportSpec, name string) bool {
	if spec.Name != nil {
		return spec.Name.Name == name
	}
	// the name of a package whose path ends otherwise (gopkg.in/yaml.v3, go-cmp) is a part of it
	return strings.Contains(importPath(spec), name) || !slices.Contains(strings.Split(importPath(spec), "/"), name)
}

// qualifiers are the names that stand in front of a dot in a node.
func qualifiers(node ast.Node) (out []*ast.Ident) {
	ast.Inspect(node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				out = append(out, id)
			}
		}
		return true
	})
	return out
}

// imported returns the local name of an import of a path that code may use; ok is false where there is none.
func (f *goFile) imported(path, own string) (name string, ok bool) {
	for _, spec := range f.file.Imports {
		switch {
		case importPath(spec) != path || slices.Contains(f.dropped, spec):
		case spec.Name == nil:
			return own, true
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			return spec.Name.Name, true
		}
	}
	for _, one := range f.add {
		if one.path == path && one.name != "_" {
			return orElse(one.name, own), true
		}
	}
	return "", false
}

func orElse(name, own string) string {
	if name == "" {
		return own
	}
	return name
}

// use returns the name under which the file can use a package from now on: by an import that it has, or a new one. own
// is the name of the package itself, and wanted the one that the moved code has for it.
func (f *goFile) use(path, own, wanted string, scope map[string]bool) string {
	if name, ok := f.imported(path, own); ok {
		return name
	}
	taken := f.names()
	name := wanted
	for i := 2; taken[name] || scope[name]; i++ {
		name = wanted + strconv.Itoa(i)
	}
	one := goImport{path: path}
	if name != own {
		one.name = name
	}
	f.add = append(f.add, one)
	return name
}

// names are all names of the code of a file, besides those behind a dot, and those of its imports.
func (f *goFile) names() map[string]bool {
	out := map[string]bool{}
	if f.file == nil {
		return out
	}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					out[id.Name] = true
				}
				return true
			})
			return false
		case *ast.Ident:
			out[n.Name] = true
		}
		return true
	})
	for _, spec := range f.file.Imports {
		if spec.Name == nil {
			out[path.Base(importPath(spec))] = true
		}
	}
	for _, one := range f.add {
		out[orElse(one.name, path.Base(one.path))] = true
	}
	return out
}

// drop leaves out imports of which nothing is left that uses them, outside of the ranges that go or change.
func (f *goFile) drop(ctx context.Context, specs []*ast.ImportSpec, gone [][2]int) {
	for _, spec := range specs {
		if slices.Contains(f.dropped, spec) {
			continue
		}
		used := slices.ContainsFunc(qualifiers(f.file), func(id *ast.Ident) bool {
			at := f.of(id.Pos())
			return mayName(spec, id.Name) && !slices.ContainsFunc(gone, func(r [2]int) bool {
				return r[0] <= at && at < r[1]
			}) && f.importOf(ctx, id) == spec
		})
		if !used {
			f.dropped = append(f.dropped, spec)
		}
	}
}

// result is the new text. What gofmt had formatted it formats anew.
func (f *goFile) result() (string, error) {
	before := f.text.Content()
	content := splice.Apply(before, f.changes)
	if len(f.add)+len(f.dropped) > 0 {
		head, err := f.head()
		if err != nil {
			return "", err
		}
		content = head + content[f.headEnd():]
	}
	end := splice.LineEnd(before, content)
	if len(f.behind) > 0 {
		content = strings.TrimRight(content, "\r\n") + end + end + splice.WithLineEnd(strings.Join(f.behind, "\n\n"), end) + end
	}
	if was, err := format.Source([]byte(before)); before == "" || err == nil && string(was) == before {
		now, err := format.Source([]byte(content))
		return string(now), err
	}
	return content, nil
}

// headEnd is the offset behind the package clause and the imports.
func (f *goFile) headEnd() int {
	end := f.of(f.file.Name.End())
	for _, decl := range f.file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			end = f.of(gen.End())
		}
	}
	return f.lineEnd(end)
}

// head is the text of the package clause and the imports with their changes.
func (f *goFile) head() (string, error) {
	text := f.text.Content()[:f.headEnd()]
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, f.text.Path, text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, spec := range f.dropped {
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		astutil.DeleteNamedImport(set, file, name, importPath(spec))
	}
	for _, one := range f.add {
		astutil.AddNamedImport(set, file, one.name, one.path)
	}
	var b bytes.Buffer
	if err := format.Node(&b, set, file); err != nil {
		return "", err
	}
	return splice.WithLineEnd(strings.TrimRight(b.String(), "\n"), splice.LineEnd(f.text.Content())), nil
}

// goScope are the names that a package declares, whatever the build.
func (m *symbolMove) goScope(dir, pkg string) map[string]bool {
	key := dir + "\x00" + pkg
	if m.scopes[key] != nil {
		return m.scopes[key]
	}
	out := map[string]bool{}
	m.scopes[key] = out
	for _, base := range golang.FilesIn(dir) {
		f, err := m.goFile(filepath.Join(dir, base))
		if err != nil || f.file.Name.Name != pkg {
			continue
		}
		for _, decl := range f.file.Decls {
			for _, id := range declared(decl) {
				out[id.Name] = true
			}
		}
	}
	return out
}

// declared are the names that a declaration adds to its package.
func declared(decl ast.Decl) (out []*ast.Ident) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			return []*ast.Ident{decl.Name}
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out = append(out, spec.Name)
			case *ast.ValueSpec:
				out = append(out, spec.Names...)
			}
		}
	}
	return out
}
