package move

import (
	"context"
	"go/ast"
	"go/format"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
)

// goSymbolRule: within a package a declaration may stand in any file, and only the imports are of the file. In another
// package it has another name, and sees what is exported alone. gopls has no request for either (0.23.0): its "Extract
// declarations to new file" takes no target.
var goSymbolRule = symbolRule{languages: []string{"go"}, plan: planGoSymbol}

// goSymbol is the move of a declaration of Go.
type goSymbol struct {
	*symbolMove
	from, target *goFile
	pieces       []goPiece
	method       bool           // what was asked for is a method
	early        *ast.ValueSpec // a variable whose value calls functions of the module
}

// goPiece is a declaration that moves.
type goPiece struct {
	start, end int // what is cut, whole lines
	node       ast.Node
	doc        *ast.CommentGroup
	token      string // the keyword that a part of a group gets; else ""
	specEnd    int    // of a part of a group
}

func planGoSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	g := &goSymbol{symbolMove: m}
	var err error
	if g.from, err = m.goFile(m.at.Path); err != nil {
		return nil, err
	}
	if err = g.find(); err == nil {
		err = g.openTarget()
	}
	if err == nil {
		err = g.sameBuild()
	}
	if err != nil {
		return nil, err
	}
	g.tellOrder()
	inner, err := g.carryImports(ctx)
	if err == nil && !g.samePackage() {
		var more []splice.Change
		if more, err = g.toOtherPackage(ctx); err == nil {
			inner = append(inner, more...)
		}
	}
	if err == nil {
		err = g.cut(inner)
	}
	if err == nil {
		err = g.checkCycle()
	}
	return nil, err
}

// find finds what moves: the declaration at the place, and behind a type its methods in the file.
func (g *goSymbol) find() error {
	f := g.from
	offset, err := f.text.Offset(g.at.At)
	if err != nil {
		return err
	}
	var name string
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && f.of(fn.Name.Pos()) == offset {
			g.method = fn.Recv != nil
			if !g.method && (fn.Name.Name == "init" || fn.Name.Name == "main" && f.file.Name.Name == "main") {
				return g.refuse("not_called", "", "%s is called by the language, in the order of files", fn.Name.Name)
			}
			return g.addPiece(goPiece{node: fn, doc: fn.Doc})
		}
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for i, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if f.of(spec.Name.Pos()) == offset {
					name, err = spec.Name.Name, g.addSpec(gen, i, spec.Doc, spec.Comment)
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return f.of(id.Pos()) == offset }) {
					return g.addValue(gen, i, spec)
				}
			}
		}
	}
	if err == nil && name == "" {
		err = g.noDeclaration()
	}
	for _, decl := range f.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && err == nil && receiver(fn) == name {
			err = g.addPiece(goPiece{node: fn, doc: fn.Doc})
		}
	}
	return err
}

// receiver is the name of the type that has a method; "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	if id := golang.TypeName(fn.Recv.List[0].Type); id != nil {
		return id.Name
	}
	return ""
}

// addValue adds a constant or variable. One that takes its value from its place in a group stays there.
func (g *goSymbol) addValue(gen *ast.GenDecl, i int, spec *ast.ValueSpec) error {
	if len(spec.Names) > 1 {
		return g.refuse("several_names", "", "%s is declared together with other names", g.at.Name)
	}
	if gen.Tok == token.CONST && len(gen.Specs) > 1 {
		iota := false
		ast.Inspect(spec, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
				iota = true
			}
			return true
		})
		next := i+1 < len(gen.Specs) && len(gen.Specs[i+1].(*ast.ValueSpec).Values) == 0
		counts := strings.Contains(g.from.text.Content()[g.from.of(gen.Pos()):g.from.of(gen.End())], "iota")
		if iota || len(spec.Values) == 0 || next || counts {
			return g.refuse("counted", "Move all constants of the group yourself.",
				"the value of %s, or of one behind it, comes from its place in the group of constants", g.at.Name)
		}
	}
	if gen.Tok == token.VAR && g.from.callsOwn(spec) {
		g.early = spec
	}
	return g.addSpec(gen, i, spec.Doc, spec.Comment)
}

// tellOrder warns of a variable that calls functions when the program starts where another one of the package does so
// too: of those that do not use each other the one in the first file is made first.
func (g *goSymbol) tellOrder() {
	if g.early == nil {
		return
	}
	for _, base := range golang.FilesIn(g.from.dir()) {
		f, file := g.from, filepath.Join(g.from.dir(), base)
		if file != g.at.Path {
			var err error
			if f, err = g.goFile(file); err != nil {
				f = g.from // which then warns
			}
		}
		if f.file.Name.Name != g.from.file.Name.Name {
			continue
		}
		for _, decl := range f.file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !g.samePackage() || ok && gen.Tok == token.VAR && slices.ContainsFunc(gen.Specs, func(spec ast.Spec) bool {
				return spec != g.early && f.callsOwn(spec.(*ast.ValueSpec))
			}) {
				g.needsLook("order of initialization", "%s calls functions when the program starts, and variables of a package "+
					"are made in the order of its files", g.at.Name)
				return
			}
		}
	}
}

// callsOwn reports whether the value of a variable comes from a call that may be of a function of the module: those of
// other modules do not read what it declares.
func (f *goFile) callsOwn(spec *ast.ValueSpec) (found bool) {
	foreign := func(call *ast.CallExpr) bool {
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			return slices.Contains([]string{"new", "make", "len", "append", "string"}, fun.Name)
		case *ast.SelectorExpr:
			id, ok := fun.X.(*ast.Ident)
			return ok && slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool {
				return names(s, id.Name) && f.m.folderOf(importPath(s)) == ""
			})
		case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.FuncType:
			return true
		}
		return false
	}
	for _, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.CallExpr:
				found = found || !foreign(n)
			}
			return true
		})
	}
	return found
}

// names reports whether a name is that of an import, as it is given or by the last of the path without its version.
func names(spec *ast.ImportSpec, name string) bool {
	if spec.Name != nil {
		return spec.Name.Name == name
	}
	own, _, _ := strings.Cut(path.Base(pathVersion.ReplaceAllString(importPath(spec), "")), ".")
	return own == name
}

var pathVersion = source.LazyRegexp(`/v[0-9]+$`)

// addSpec adds a part of a group, or the whole declaration where it has this part alone.
func (g *goSymbol) addSpec(gen *ast.GenDecl, i int, doc, comment *ast.CommentGroup) error {
	if len(gen.Specs) == 1 {
		return g.addPiece(goPiece{node: gen, doc: gen.Doc})
	}
	end := g.from.of(gen.Specs[i].End())
	if comment != nil {
		end = g.from.of(comment.End())
	}
	return g.addPiece(goPiece{node: gen.Specs[i], doc: doc, token: gen.Tok.String(), specEnd: end})
}

// addPiece adds a declaration with whole lines; one that shares a line with another is refused.
func (g *goSymbol) addPiece(p goPiece) error {
	f := g.from
	p.start, p.end = f.of(p.node.Pos()), f.of(p.node.End())
	content := f.text.Content()
	tail := strings.TrimSpace(content[p.end:f.lineEnd(p.end)])
	if head := strings.TrimSpace(content[f.lineStart(p.start):p.start]); head != "" || tail != "" && tail != ";" &&
		!strings.HasPrefix(tail, "//") && !(strings.HasPrefix(tail, "/*") && strings.HasSuffix(tail, "*/")) {
		return g.refuse("not_separate", "", "%s shares its lines with other code", g.at.Name)
	}
	if p.doc != nil {
		p.start = f.of(p.doc.Pos())
		for _, c := range p.doc.List {
			if strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//export ") {
				return g.refuse("directive", "", "a directive of the compiler stands in front of %s: %s", g.at.Name, c.Text)
			}
		}
	}
	p.start, p.end = f.lineStart(p.start), f.lineEnd(p.end)
	g.pieces = append(g.pieces, p)
	return nil
}

// moves reports whether an offset of the source is in what moves.
func (g *goSymbol) moves(offset int) bool {
	return slices.ContainsFunc(g.pieces, func(p goPiece) bool { return p.start <= offset && offset <= p.end })
}

// openTarget reads the file to which the declarations go, or begins it.
func (g *goSymbol) openTarget() (err error) {
	if !g.fresh {
		if g.target, err = g.goFile(g.to); err != nil {
			return err
		}
		if golang.ImportsC(g.to, g.target.text.Content()) != golang.ImportsC(g.at.Path, g.from.text.Content()) {
			return g.refuse("cgo", "", "only one of the files is of cgo, which makes what C declares known in its file alone")
		}
		return nil
	}
	pkg := g.from.file.Name.Name
	if dir := filepath.Dir(g.to); dir != g.from.dir() {
		if pkg, err = g.packageOf(dir); err != nil {
			return err
		}
	}
	if golang.ImportsC(g.at.Path, g.from.text.Content()) {
		return g.refuse("cgo", "", "%s is of cgo, which makes what C declares known in its file alone",
			g.c.Show(g.at.Path))
	}
	begin := g.from.of(g.from.file.Package)
	if doc := g.from.file.Doc; doc != nil {
		begin = g.from.of(doc.Pos())
	}
	head := strings.TrimRight(g.from.text.Content()[:begin], " \t\r\n")
	end := splice.LineEnd(g.from.text.Content())
	if head != "" {
		head += end + end
	}
	g.target, err = g.goFileOf(source.New(g.to, head+"package "+pkg+end))
	return err
}

// packageOf is the name of the package of a folder, or one after its path.
func (g *goSymbol) packageOf(dir string) (string, error) {
	for _, base := range golang.FilesIn(dir) {
		text, err := g.c.Workspace.Text(filepath.Join(dir, base))
		if name := ""; err == nil && strings.HasSuffix(base, "_test.go") == strings.HasSuffix(g.to, "_test.go") {
			if name = golang.PackageName(text.Content()); name != "" && name != "documentation" {
				return name, nil
			}
		}
	}
	name := filepath.Base(dir)
	if !token.IsIdentifier(name) {
		return "", g.refuse("no_package", "Make its first file yourself.", "%s is no name for the package of %s", name,
			g.c.Show(g.to))
	}
	return name, nil
}

// samePackage reports whether both files are of one package.
func (g *goSymbol) samePackage() bool {
	return g.from.dir() == g.target.dir() && g.from.file.Name.Name == g.target.file.Name.Name
}

// sameBuild refuses a file that is in other builds than the one in which the declaration is.
func (g *goSymbol) sameBuild() error {
	was, now := filepath.Base(g.at.Path), filepath.Base(g.to)
	from, to := g.from.text.Content(), g.target.text.Content()
	same := strings.HasSuffix(was, "_test.go") == strings.HasSuffix(now, "_test.go")
	for _, in := range golang.Ports(golang.Build(func(string) string { return "" })) {
		same = same && golang.Matches(in, was, from) == golang.Matches(in, now, to)
	}
	one, _ := golang.Constraint(from)
	other, _ := golang.Constraint(to)
	tagged := one != nil && len(golang.CustomTags(one)) > 0 || other != nil && len(golang.CustomTags(other)) > 0
	if !same || tagged && (one == nil || other == nil || one.String() != other.String()) {
		return g.refuse("other_build", "Give a file with the same constraints and the same ending of its name.",
			"the go command takes %s into other builds than %s", g.c.Show(g.to), g.c.Show(g.at.Path))
	}
	return nil
}

// carryImports gives the target the imports that what moves uses, and takes those away from the source that nothing
// else uses there. It returns the changes of the names by which the moved code uses them.
func (g *goSymbol) carryImports(ctx context.Context) (inner []splice.Change, err error) {
	f := g.from
	scope := g.goScope(g.target.dir(), g.target.file.Name.Name)
	named := map[*ast.ImportSpec]string{}
	var used []*ast.ImportSpec
	for _, spec := range f.file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			return nil, g.refuse("dot_import", "", "%s imports %s by a dot, so that its names look like those of the package",
				g.c.Show(g.at.Path), importPath(spec))
		}
	}
	for _, p := range g.pieces {
		for _, id := range qualifiers(p.node) {
			if !slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool { return mayName(s, id.Name) }) {
				continue
			}
			spec := f.importOf(ctx, id)
			if spec == nil {
				continue
			}
			if importPath(spec) == "C" {
				return nil, g.refuse("cgo", "", "%s uses C, which is declared for its file alone", g.at.Name)
			}
			if named[spec] == "" {
				used = append(used, spec)
				named[spec] = g.nameIn(spec, id.Name, scope)
			}
			if now := named[spec]; now != id.Name {
				inner = append(inner, splice.Replace(f.of(id.Pos()), f.of(id.End()), now))
			}
		}
		if p.doc != nil && strings.Contains(p.doc.Text()+commentsOf(p.doc), "//go:embed ") {
			if _, ok := g.target.imported("embed", "embed"); !ok && !g.target.imports("embed") {
				g.target.add = append(g.target.add, goImport{"_", "embed"})
			}
		}
	}
	f.drop(ctx, used, g.cutRanges())
	return inner, nil
}

// commentsOf are the comments of a group as they are written.
func commentsOf(group *ast.CommentGroup) (out string) {
	for _, c := range group.List {
		out += c.Text + "\n"
	}
	return out
}

// imports reports whether a file imports a path in any way.
func (f *goFile) imports(path string) bool {
	return slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == path })
}

// nameIn is the name by which the moved code uses an import of the source in the target; "" stands for what it is
// anyway: the package to which the code moves.
func (g *goSymbol) nameIn(spec *ast.ImportSpec, name string, scope map[string]bool) string {
	own := name
	if spec.Name != nil {
		own = "" // which nobody has asked for; the import keeps its name
		if now, ok := g.target.imported(importPath(spec), g.ownName(spec)); ok {
			return now
		}
	}
	return g.target.use(importPath(spec), own, name, scope)
}

// ownName is the name of a package of the workspace, or the last of its path.
func (g *goSymbol) ownName(spec *ast.ImportSpec) string {
	path := importPath(spec)
	if dir := g.folderOf(path); dir != "" {
		if name, err := g.packageOf(dir); err == nil {
			return name
		}
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// folderOf is the folder of a package of the module; "" for others.
func (m *symbolMove) folderOf(path string) string {
	root, module := golang.ModuleAbove(filepath.Dir(m.at.Path))
	if rest, ok := strings.CutPrefix(path, module); ok && module != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(root, filepath.FromSlash(rest))
	}
	return ""
}

func (g *goSymbol) cutRanges() (out [][2]int) {
	for _, p := range g.pieces {
		out = append(out, [2]int{p.start, p.end})
	}
	return out
}

// cut takes the pieces, in which inner changes, out of the source, and adds them to the target.
func (g *goSymbol) cut(inner []splice.Change) error {
	f := g.from
	slices.SortFunc(g.pieces, func(a, b goPiece) int { return a.start - b.start })
	for _, p := range g.pieces {
		text := g.textOf(p, inner)
		if p.token != "" {
			now, err := format.Source([]byte(text))
			if err != nil {
				return g.refuse("not_separate", "", "%s does not stand alone: %v", g.at.Name, err)
			}
			text = string(now)
		}
		g.target.behind = append(g.target.behind, strings.Trim(text, "\r\n"))
		f.changes = append(f.changes, g.without(p))
	}
	for _, one := range []*goFile{f, g.target} {
		text, err := one.result()
		if err != nil {
			return g.refuse("not_separate", "", "%s would not parse: %v", g.c.Show(one.text.Path), err)
		}
		g.after[one.text.Path] = text
	}
	g.near = append(g.near, g.at.Path)
	return nil
}

// textOf is the text of a piece, with the changes in it.
func (g *goSymbol) textOf(p goPiece, inner []splice.Change) string {
	content := g.from.text.Content()
	part := func(start, end int) string {
		var within []splice.Change
		for _, c := range inner {
			if c.Start >= start && c.End <= end {
				within = append(within, splice.Replace(c.Start-start, c.End-start, c.Text))
			}
		}
		return splice.Apply(content[start:end], within)
	}
	if p.token == "" {
		return part(p.start, p.end)
	}
	doc := ""
	if p.doc != nil {
		doc = content[g.from.of(p.doc.Pos()):g.from.of(p.doc.End())] + "\n"
	}
	return doc + p.token + " " + part(g.from.of(p.node.Pos()), p.specEnd)
}

// without is the change that takes a piece out, with one of the blank lines around it.
func (g *goSymbol) without(p goPiece) splice.Change {
	text := g.from.text
	first, last := text.LineOf(p.start)+1, text.LineOf(p.end)+2 // last is the line behind
	blank := func(n int) bool { return strings.TrimSpace(text.Line(n)) == "" }
	end := len(text.Content())
	if last <= text.Lines() && blank(last) && (first == 1 || blank(first-1)) && text.LineStart(last) < end {
		last++
	}
	if last <= text.Lines() {
		end = text.LineStart(last)
	}
	return splice.Cut(text.LineStart(first), end)
}
