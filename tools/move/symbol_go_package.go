package move

import (
	"context"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"lspi/contract"
	"lspi/internal/lang/golang"
	"lspi/tools/move/splice"
)

// otherPackage is what the move to another package needs to know of both.
type otherPackage struct {
	*goSymbol
	path, name     string // of the package to which the declaration goes
	own            string // the path of the one in which it is
	scope          map[string]bool
	files          map[string]*goFile // those with uses
	unexportedUses []splice.Place
}

// toOtherPackage qualifies the names of the old package in what moves, and all uses of what moves anew. It returns the
// changes in what moves.
func (g *goSymbol) toOtherPackage(ctx context.Context) ([]splice.Change, error) {
	p := &otherPackage{goSymbol: g, path: goPackage(g.target.dir()), name: g.target.file.Name.Name,
		own: goPackage(g.from.dir()), files: map[string]*goFile{g.at.Path: g.from}}
	if !g.fresh {
		p.files[g.to] = g.target
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.scope = g.goScope(g.from.dir(), g.from.file.Name.Name)
	inner, err := p.qualifyMoved(ctx)
	if err == nil {
		err = p.qualifyUses(ctx)
	}
	return inner, err
}

// check refuses packages between which the declaration cannot move.
func (p *otherPackage) check() error {
	before, _ := golang.ModuleAbove(p.from.dir())
	after, _ := golang.ModuleAbove(p.target.dir())
	folder := neverBuilt(after, p.target.dir())
	switch {
	case p.method:
		return p.refuse("method", "Move its type, or the method within the package.",
			"a method stays in the package of its type")
	case before == "" || before != after:
		return p.refuse("other_module", "Move it within its module.", "%s and %s are not in one module",
			p.c.Show(p.at.Path), p.c.Show(p.to))
	case folder != "":
		return p.refuse("never_built", "Give a path without such a folder.",
			"no build looks into %s: its path has the folder %s", p.c.Show(p.to), folder)
	case strings.HasSuffix(p.from.file.Name.Name, "_test") || strings.HasSuffix(p.name, "_test"):
		return p.refuse("test_package", "Move it within its package.",
			"nothing can import the package of %s or %s, which is one of tests", p.c.Show(p.at.Path), p.c.Show(p.to))
	case p.goScope(p.target.dir(), p.name)[p.at.Name]:
		return p.refuse("name_taken", "Rename one of them first.", "the package %s declares %s already", p.path, p.at.Name)
	}
	for _, base := range golang.FilesIn(p.from.dir()) {
		path := filepath.Join(p.from.dir(), base)
		f, err := p.goFile(path)
		if err != nil || path == p.at.Path || f.file.Name.Name != p.from.file.Name.Name {
			continue
		}
		for _, decl := range f.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && receiver(fn) == p.at.Name {
				return p.refuse("methods_elsewhere", "Move these methods to the file of the type first, by new_path.",
					"%s has methods in other files, such as %s in %s", p.at.Name, fn.Name.Name, p.c.Show(path))
			}
		}
	}
	return nil
}

// qualifyMoved names the old package in front of what the moved code uses of it.
func (p *otherPackage) qualifyMoved(ctx context.Context) (inner []splice.Change, err error) {
	behind := map[*ast.Ident]bool{} // behind a dot
	for _, piece := range p.pieces {
		ast.Inspect(piece.node, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				behind[sel.Sel] = true
			}
			id, ok := n.(*ast.Ident)
			if !ok || err != nil || behind[id] || id.Name == p.at.Name || !p.scope[id.Name] ||
				!p.ofPackage(ctx, p.from, id) {
				return true
			}
			switch {
			case !id.IsExported() || p.from.file.Name.Name == "main":
				err = p.refuse("uses_unexported", "Export it, or move it as well.",
					"%s uses %s, which code outside of the package %s cannot", p.at.Name, id.Name, p.own)
			default:
				name := p.target.use(p.own, p.from.file.Name.Name, p.from.file.Name.Name, p.goScope(p.target.dir(), p.name))
				at := p.from.of(id.Pos())
				inner = append(inner, splice.Insert(at, name+"."))
			}
			return true
		})
	}
	return inner, err
}

// ofPackage reports whether a name in a file means what its package declares at the top level.
func (p *otherPackage) ofPackage(ctx context.Context, f *goFile, id *ast.Ident) bool {
	to := p.definedAt(ctx, f.text, f.of(id.Pos()))
	if filepath.Dir(to.Path) != f.dir() {
		return false
	}
	in, err := p.goFile(to.Path)
	if err != nil {
		return false
	}
	offset, err := in.text.Offset(to.Range.Start)
	return err == nil && slices.ContainsFunc(in.file.Decls, func(decl ast.Decl) bool {
		return slices.ContainsFunc(declared(decl), func(id *ast.Ident) bool { return in.of(id.Pos()) == offset })
	})
}

// qualifyUses gives all uses the new package.
func (p *otherPackage) qualifyUses(ctx context.Context) error {
	places, err := p.usesOf(ctx, p.c, p.s, p.at)
	if err != nil {
		return err
	}
	p.c.Withdraw(func(w contract.Warning) bool { return w.Kind == contract.WarnMentions }) // of the name alone
	quoted, err := p.namedBehind(ctx, p.from.file.Name.Name)
	if err != nil {
		return err
	}
	p.left = append(p.left, quoted...)
	for _, place := range places {
		if place.Err != nil || place.Path == p.at.Path && place.Range.Start == p.at.At {
			continue
		}
		f := p.files[place.Path]
		if f == nil {
			if f, err = p.goFile(place.Path); err != nil {
				return err
			}
			p.files[place.Path] = f
		}
		offset, err := f.text.Offset(place.Range.Start)
		if err != nil {
			return err
		}
		if f != p.from || !p.moves(offset) {
			p.qualify(f, offset)
		}
	}
	if len(p.unexportedUses) > 0 {
		u := p.unexportedUses[0]
		if p.name == "main" {
			return p.refuse("main_package", "", "%s:%d uses %s, and nothing can import the package main of %s",
				p.c.Show(u.Path), u.Line, p.at.Name, p.c.Show(p.to))
		}
		p.c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "rename_symbol", Message: "Export it first.",
			Arguments: map[string]any{"file_path": p.c.Show(p.at.Path), "line": p.at.At.Line, "symbol_name": p.at.Name,
				"new_name": strings.ToUpper(p.at.Name[:1]) + p.at.Name[1:]}})
		return p.refuse("unexported", "", "%s is not exported and would be used from another package, the first time at %s:%d",
			p.at.Name, p.c.Show(u.Path), u.Line)
	}
	return p.finish(ctx)
}

// qualify gives one use the new package.
func (p *otherPackage) qualify(f *goFile, offset int) {
	way, _ := astutil.PathEnclosingInterval(f.file, f.pos(offset), f.pos(offset))
	here := splice.PlaceAt(f.text, offset)
	id, ok := way[0].(*ast.Ident)
	if !ok || id.Name != p.at.Name {
		p.left = append(p.left, here)
		return
	}
	if pair, ok := way[1].(*ast.KeyValueExpr); ok && pair.Key == id && p.isType() {
		return // likewise
	}
	start, qualified := f.of(id.Pos()), false
	if sel, ok := way[1].(*ast.SelectorExpr); ok && sel.Sel == id {
		of, plain := sel.X.(*ast.Ident)
		if !plain || !slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool {
			name := p.from.file.Name.Name
			if s.Name != nil {
				name = s.Name.Name
			}
			return importPath(s) == p.own && name == of.Name
		}) {
			return // a field that embeds what moves keeps its name
		}
		start, qualified = f.of(sel.Pos()), true
	}
	inTarget := f.dir() == p.target.dir() && f.file.Name.Name == p.name
	inOwn := f.dir() == p.from.dir() && f.file.Name.Name == p.from.file.Name.Name
	switch {
	case qualified == inOwn: // a field, or a dot import
		p.left = append(p.left, here)
	case inTarget:
		f.changes = append(f.changes, splice.Cut(start, f.of(id.Pos())))
	case !id.IsExported() || p.name == "main":
		p.unexportedUses = append(p.unexportedUses, here)
	case !mayImport(goPackage(f.dir()), p.path):
		p.left = append(p.left, here)
	default:
		name := f.use(p.path, p.name, p.name, p.goScope(f.dir(), f.file.Name.Name))
		f.changes = append(f.changes, splice.Replace(start, f.of(id.Pos()), name+"."))
	}
}

// isType reports whether a type moves.
func (p *otherPackage) isType() bool {
	switch node := p.pieces[0].node.(type) {
	case *ast.TypeSpec:
		return true
	case *ast.GenDecl:
		return node.Tok == token.TYPE
	}
	return false
}

// finish takes the imports of the old package away where nothing is left that uses it.
func (p *otherPackage) finish(ctx context.Context) error {
	for path, f := range p.files {
		var of []*ast.ImportSpec
		for _, spec := range f.file.Imports {
			if importPath(spec) == p.own && (spec.Name == nil || spec.Name.Name != "_") {
				of = append(of, spec)
			}
		}
		if len(f.changes) > 0 {
			var gone [][2]int
			for _, c := range f.changes {
				gone = append(gone, [2]int{c.Start, max(c.End, c.Start+1)})
			}
			f.drop(ctx, of, gone)
		}
		if f == p.from || f == p.target || len(f.changes) == 0 {
			continue
		}
		text, err := f.result()
		if err != nil {
			return err
		}
		p.after[path] = text
	}
	return nil
}

// checkCycle refuses a move after which packages import each other in a circle.
func (g *goSymbol) checkCycle() error {
	if g.samePackage() {
		return nil
	}
	read := func(path string) string {
		if text, ok := g.after[path]; ok {
			return text
		}
		text, err := g.c.Workspace.Text(path)
		if err != nil {
			return ""
		}
		return text.Content()
	}
	in := golang.Build(func(string) string { return "" })
	for path := range g.after {
		if golang.ImportsItself(in, path, read) {
			return g.refuse("import_cycle", "Move what it uses, or what uses it, along by calls of their own.",
				"the package of %s would import itself by way of others: what moves and what stays use each other",
				g.c.Show(path))
		}
	}
	return nil
}
