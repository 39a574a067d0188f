package move

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// pythonRule: imports by dotted names, relative to the package of the file or to a folder of the search path (The
// Python Language Reference, The import statement). basedpyright has an edit for a move, which changes the last
// part of a module's name alone, wrong for another folder (1.40.1).
var pythonRule = rule{
	first:     true,
	languages: []string{"python"},
	check:     checkPython,
	imports:   pythonImports,
	byBase:    true,
	module:    isPythonModule,
}

// byPlace are the files that Python or its tools find by their names and folders.
var byPlace = []string{"__init__", "__main__", "conftest", "setup"}

func checkPython(m *moving) error {
	stem, _, _ := strings.Cut(filepath.Base(m.from), ".")
	if !m.folder && slices.Contains(byPlace, stem) {
		return m.refuse("found_by_name", "Move the folder, or what the file declares.",
			"%s is found by its name in its folder", m.c.Show(m.from))
	}
	now, _, _ := strings.Cut(filepath.Base(m.to), ".")
	if strings.ContainsAny(now, "- ") || lang.Reserved("python", now) {
		return m.refuse("no_module_name", "Give a name of letters, digits and _.", "%s is no name that an import can have",
			now)
	}
	return nil
}

var (
	pythonFrom = source.LazyRegexp(
		`(?m)^([ \t]*|[^\n#'"]*[:;][ \t]*)from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)`)
	pythonPlain = source.LazyRegexp(`(?m)^(?:[ \t]*|[^\n#'"]*[:;][ \t]*)import[ \t]+([^\n#;]+)`)
	pythonItem  = source.LazyRegexp(`([\w.]+)(?:[ \t]+as[ \t]+(\w+))?`)
	pythonName  = source.LazyRegexp(`(\w+)(?:[ \t]+as[ \t]+(\w+))?`)
)

// pythonModule is the path of a module: that of the file without its extension, and of a package its folder.
func pythonModule(path string) string {
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".pyi"), ".py")
	if filepath.Base(path) == "__init__" {
		return filepath.Dir(path)
	}
	return path
}

// isModule reports whether a module or package is there.
func isModule(path string) bool {
	return source.Exists(path+".py") || source.Exists(path+".pyi") || source.IsFolder(path)
}

// python are the imports of one source.
type python struct {
	*moving
	ctx     context.Context
	text    *source.Text
	code    []bool // of each byte of the text: it is neither in a comment nor in a string
	changes []splice.Change
	left    []splice.Place
}

// pythonImports is [rule].imports.
func pythonImports(ctx context.Context, m *moving, text *source.Text) ([]splice.Change, []splice.Place) {
	content := text.Content()
	p := &python{moving: m, ctx: ctx, text: text, code: lang.Code(text.Path, content)}
	for _, g := range pythonFrom.FindAllStringSubmatchIndex(content, -1) {
		if p.code[g[3]] {
			p.from(g)
		}
	}
	for _, g := range pythonPlain.FindAllStringSubmatchIndex(content, -1) {
		if !p.code[g[2]] {
			continue
		}
		for _, item := range pythonItem.FindAllStringSubmatchIndex(content[g[2]:g[3]], -1) {
			p.plain(g[2]+item[2], g[2]+item[3], item[4] >= 0)
		}
	}
	return p.changes, p.left
}

// movedModule is the path of what moves, as a module.
func (m *moving) movedModule() string { return pythonModule(m.from) }

// isMoved reports whether a module is what moves, or in it.
func (m *moving) isMoved(module string) bool { return source.Within(m.movedModule(), module) }

// afterModule is the path of a module after the move.
func (m *moving) afterModule(module string) string {
	if rel, ok := source.RelativeTo(m.movedModule(), module); ok {
		return filepath.Join(pythonModule(m.to), rel)
	}
	return module
}

// resolved is the module that a dotted name means, and the folder that the name counts from; module is "" where it is
// neither what moves nor holds it.
func (p *python) resolved(dotted string, offset int) (module, base string) {
	rel := filepath.FromSlash(strings.ReplaceAll(dotted, ".", "/"))
	for dir := filepath.Dir(p.moving.from); ; dir = filepath.Dir(dir) {
		module := filepath.Join(dir, rel)
		if isModule(module) && (p.isMoved(module) || source.Within(module, p.movedModule())) && p.confirmed(module, offset) {
			return module, dir
		}
		if dir == p.c.Workspace.Root || dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// confirmed reports whether the server leads from a name to a module, or nowhere: then the path alone decides.
func (p *python) confirmed(module string, offset int) bool {
	to := p.leads(p.ctx, p.text, offset)
	return to == "" || to == p.text.Path || pythonModule(to) == module || source.Within(module, to)
}

// from changes a statement from … import ….
func (p *python) from(g []int) {
	content := p.text.Content()
	dots, dotted := g[5]-g[4], content[g[6]:g[7]]
	var module, base string
	if dots > 0 {
		dir := filepath.Dir(p.text.Path)
		for range dots - 1 {
			dir = filepath.Dir(dir)
		}
		module = filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(dotted, ".", "/")))
	} else if module, base = p.resolved(dotted, g[7]-1); module == "" {
		return
	}
	name, ok := p.spelled(p.afterModule(module), base)
	if old := content[g[4]:g[7]]; ok && name != old && (p.isMoved(module) || dots > 0 && p.moves(p.text.Path)) {
		p.changes = append(p.changes, splice.Replace(g[4], g[7], name))
	} else if !ok {
		p.left = append(p.left, at(p.text, g[4], old))
	}
	if !p.isMoved(module) {
		p.names(g, module, base)
	}
}

// spelled is how the source names a module after the move: relative to its package where base is "" and both are in
// one, else from the folder base.
func (p *python) spelled(module, base string) (string, bool) {
	if base != "" {
		rel, ok := source.RelativeTo(base, module)
		return dottedOf(rel), ok && rel != "."
	}
	dir, dots := filepath.Dir(p.after(p.text.Path)), "."
	for !source.Within(dir, module) {
		dir, dots = filepath.Dir(dir), dots+"."
	}
	rel, _ := source.RelativeTo(dir, module)
	if rel == "." {
		return dots, true
	}
	// Relative within the package of the source alone.
	if top := p.packageAbove(p.after(p.text.Path)); !source.Within(top, dir) || top == dir {
		rel, ok := source.RelativeTo(p.packageAbove(module), module)
		return dottedOf(rel), ok && rel != "."
	}
	return dots + dottedOf(rel), true
}

// packageAbove is the folder that holds the outermost package of a module, after the move. In a package, a folder
// without __init__.py is one, too (a namespace package).
func (p *python) packageAbove(module string) string {
	top := filepath.Dir(module)
	for dir := top; source.Within(p.c.Workspace.Root, dir); dir = filepath.Dir(dir) {
		if p.isPackage(dir) {
			top = filepath.Dir(dir)
		}
	}
	return top
}

// isPackage reports whether a folder is a package after the move.
func (p *python) isPackage(dir string) bool {
	before := dir
	if rel, ok := source.RelativeTo(p.to, dir); ok {
		before = filepath.Join(p.moving.from, rel)
	}
	return source.Exists(filepath.Join(before, "__init__.py"))
}

func dottedOf(rel string) string { return strings.ReplaceAll(filepath.ToSlash(rel), "/", ".") }

// names changes what a statement imports from a package, where that is the module which moves.
func (p *python) names(g []int, module, base string) {
	content, moved := p.text.Content(), p.movedModule()
	if filepath.Dir(moved) != module {
		return
	}
	list := content[g[8]:g[9]]
	all := pythonName.FindAllStringSubmatchIndex(list, -1)
	for i, n := range all {
		start, end := g[8]+n[2], g[8]+n[3]
		if content[start:end] != filepath.Base(moved) || !p.confirmed(moved, end-1) {
			continue
		}
		after := p.afterModule(moved)
		name, as := filepath.Base(after), list[n[3]:n[1]]
		switch {
		case n[4] < 0 && name != content[start:end]:
			name += " as " + content[start:end]
		case n[4] >= 0 && name == list[n[4]:n[5]]: // the name by which the source uses it
			end, as = g[8]+n[1], ""
		}
		if filepath.Dir(after) == p.afterModule(module) {
			p.changes = append(p.changes, splice.Replace(start, end, name))
			return
		}
		of, ok := p.spelled(filepath.Dir(after), base)
		switch {
		case !ok:
			p.left = append(p.left, at(p.text, start, content[g[0]:g[1]]))
		case len(all) == 1:
			p.changes = append(p.changes, splice.Replace(g[4], g[7], of), splice.Replace(start, end, name))
		default:
			p.apart(g, list, all, i, "from "+of+" import "+name+as)
		}
		return
	}
}

// apart takes one name out of a list of imports, and gives it a statement of its own in front.
func (p *python) apart(g []int, list string, all [][]int, i int, statement string) {
	head := p.text.Content()[g[2]:g[3]]
	if strings.TrimSpace(head) != "" { // behind a colon or semicolon
		p.left = append(p.left, at(p.text, g[8]+all[i][0], list))
		return
	}
	p.changes = append(p.changes, splice.Insert(g[0], head+statement+"\n"))
	start, end := all[i][0], all[i][1]
	if i+1 < len(all) {
		end = all[i+1][0]
	} else {
		start = all[i-1][1]
	}
	p.changes = append(p.changes, splice.Cut(g[8]+start, g[8]+end))
}

// plain changes an item of import …. One that is imported by its dots alone is used by them, too.
func (p *python) plain(start, end int, as bool) {
	content := p.text.Content()
	dotted := content[start:end]
	module, base := p.resolved(dotted, end-1)
	if module == "" || !p.isMoved(module) {
		return
	}
	name, ok := p.spelled(p.afterModule(module), base)
	switch {
	case !ok:
		p.left = append(p.left, at(p.text, start, "import "+dotted))
	case name == dotted:
	case as:
		p.changes = append(p.changes, splice.Replace(start, end, name))
	case !strings.Contains(dotted, "."):
		p.changes = append(p.changes, splice.Replace(start, end, name+" as "+dotted))
	default:
		p.changes = append(p.changes, splice.Replace(start, end, name))
		p.uses(dotted, name, end)
	}
}

// uses changes the uses of a module by its dotted name in the code behind its import.
func (p *python) uses(dotted, name string, from int) {
	content := p.text.Content()
	for at := from; ; {
		i := strings.Index(content[at:], dotted)
		if i < 0 {
			return
		}
		start := at + i
		end := start + len(dotted)
		at = end
		if !p.code[start] || source.IsLetter(rune(content[start-1])) || content[start-1] == '.' ||
			end < len(content) && source.IsLetter(rune(content[end])) || within(rangesOf(p.changes), start, end) {
			continue
		}
		p.changes = append(p.changes, splice.Replace(start, end, name))
	}
}

func rangesOf(all []splice.Change) (out [][2]int) {
	for _, c := range all {
		out = append(out, [2]int{c.Start, c.End})
	}
	return out
}

// isPythonModule is [rule].module: a dotted name whose last parts are those of the module.
func isPythonModule(m *moving, token string) bool {
	parts := strings.Split(strings.ReplaceAll(token, ":", "."), ".")
	own := strings.Split(filepath.ToSlash(m.movedModule()), "/")
	for i := range parts {
		if parts[i] == own[len(own)-1] && i > 0 && parts[i-1] == own[len(own)-2] {
			return true
		}
	}
	return false
}
