package move

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// users gives those who import what moves, or use it behind the name of its module, the new module.
func (g *pythonSymbol) users() error {
	stem := filepath.Base(pythonModule(g.at.Path))
	held, err := g.holding(g.ctx, g.at.Name, stem)
	if err != nil {
		return err
	}
	for _, path := range held {
		text, err := g.c.Workspace.Text(path)
		if err != nil {
			continue
		}
		if lang.Of(path).ID != "python" || path == g.at.Path {
			continue
		}
		u := &pythonUser{pythonSymbol: g, file: pythonFileOf(text)}
		u.p = &python{moving: g.paths, ctx: g.ctx, text: text, code: u.file.code}
		u.change()
		if now := splice.Apply(text.Content(), u.p.changes); now != text.Content() {
			g.after[path] = now
		}
		g.left = append(g.left, u.p.left...)
	}
	quoted, err := g.namedBehind(g.ctx, stem) // as patch() takes it
	g.left = append(g.left, quoted...)
	return err
}

// pythonUser is a file that may use what moves.
type pythonUser struct {
	*pythonSymbol
	file *pythonFile
	p    *python
}

// change changes the imports of what moves, and its uses behind the module.
func (u *pythonUser) change() {
	content := u.file.text.Content()
	for _, m := range pythonFrom.FindAllStringSubmatchIndex(content, -1) {
		if !u.file.code[m[3]] {
			continue
		}
		switch module := u.moduleOf(m); module {
		case "":
		case u.paths.movedModule():
			u.fromModule(m)
		case filepath.Dir(u.paths.movedModule()):
			u.fromPackage(m)
		}
	}
	for _, m := range pythonPlain.FindAllStringSubmatchIndex(content, -1) {
		if !u.file.code[m[2]] {
			continue
		}
		for _, item := range pythonItem.FindAllStringSubmatchIndex(content[m[2]:m[3]], -1) {
			start, end := m[2]+item[2], m[2]+item[3]
			if module, _ := u.p.resolved(content[start:end], end-1); module != u.paths.movedModule() || module == "" {
				continue
			}
			local := content[start:end]
			if item[4] >= 0 {
				local = content[m[2]+item[4] : m[2]+item[5]]
			}
			u.behind(local, m[2], "import ")
		}
	}
}

// moduleOf is the path of the module from which a statement imports; "" where that is neither what moves nor holds it.
func (u *pythonUser) moduleOf(m []int) string {
	content := u.file.text.Content()
	if m[5] > m[4] {
		return u.file.absolute(content[m[4]:m[7]])
	}
	module, _ := u.p.resolved(content[m[6]:m[7]], m[7]-1)
	return module
}

// fromModule changes a statement that imports names from the module.
func (u *pythonUser) fromModule(m []int) {
	content, list := u.file.text.Content(), u.file.text.Content()[m[8]:m[9]]
	module, ok := u.named(u.file.text.Path, pythonModule(u.to))
	here := at(u.file.text, m[2], strings.TrimSpace(content[m[0]:m[9]]))
	all := pythonName.FindAllStringSubmatchIndex(list, -1)
	if strings.TrimSpace(list) == "*" {
		if end := splice.LineEnd(content); ok && !strings.HasPrefix(u.at.Name, "_") && u.file.text.Path != u.to {
			u.p.changes = append(u.p.changes, splice.Insert(m[9],
				end+content[m[2]:m[3]]+"from "+module+" import "+u.at.Name))
		}
		return
	}
	for i, n := range all {
		if list[n[2]:n[3]] != u.at.Name || !u.file.code[m[8]+n[2]] {
			continue
		}
		switch indent := strings.TrimSpace(content[m[2]:m[3]]) == ""; {
		case !ok || !indent || strings.Contains(list, "#"):
			u.p.left = append(u.p.left, here)
		case u.file.text.Path == u.to && n[4] >= 0 && list[n[4]:n[5]] != u.at.Name:
			u.p.left = append(u.p.left, here)
		case u.file.text.Path == u.to && len(all) == 1:
			end := m[9] + strings.IndexByte(content[m[9]:]+"\n", '\n') + 1
			u.p.changes = append(u.p.changes, splice.Cut(m[2], min(end, len(content))))
		case len(all) == 1:
			u.p.changes = append(u.p.changes, splice.Replace(m[4], m[7], module))
		default:
			before := len(u.p.changes)
			u.p.apart(m, list, all, i, "from "+module+" import "+list[n[2]:n[1]])
			if u.file.text.Path == u.to {
				u.p.changes = slices.Delete(u.p.changes, before, before+1)
			}
		}
		return
	}
}

// fromPackage looks for uses behind a module that is imported from its package.
func (u *pythonUser) fromPackage(m []int) {
	list := u.file.text.Content()[m[8]:m[9]]
	for _, n := range pythonName.FindAllStringSubmatchIndex(list, -1) {
		if list[n[2]:n[3]] != filepath.Base(u.paths.movedModule()) {
			continue
		}
		local := list[n[2]:n[3]]
		if n[4] >= 0 {
			local = list[n[4]:n[5]]
		}
		u.behind(local, m[2], "from ")
	}
}

// assigned matches what stands behind a name that gets another value.
var assigned = source.LazyRegexp(`^[ \t]*(?::[^=\n]*)?=(?:[^=]|$)`)

// behind changes the uses of what moves behind the name that the module has in the file.
func (u *pythonUser) behind(local string, statement int, verb string) {
	content := u.file.text.Content()
	var found []int
	for _, i := range source.Occurrences(content, u.at.Name) {
		head := strings.TrimSuffix(content[:i], ".")
		if len(head) == i || !strings.HasSuffix(head, local) || !u.file.code[i] {
			continue
		}
		start := i - 1 - len(local)
		switch {
		case start > 0 && wordOrDot(content[start-1]):
		case assigned.MatchString(content[i+len(u.at.Name):]): // for those who look in the old module, too
			u.p.left = append(u.p.left, splice.PlaceAt(u.file.text, start))
		default:
			found = append(found, start)
		}
	}
	if len(found) == 0 {
		return
	}
	path := u.file.text.Path
	module, ok := u.named(path, pythonModule(u.to))
	line := u.file.text.LineStart(u.file.text.LineOf(statement) + 1)
	head := content[line : line+len(content[line:])-len(strings.TrimLeft(content[line:], " \t"))]
	if !ok || path == u.to || strings.TrimSpace(content[line:statement]) != "" && verb == "from " {
		for _, i := range found {
			u.p.left = append(u.p.left, splice.PlaceAt(u.file.text, i))
		}
		return
	}
	now := module
	added := "import " + module
	if verb == "from " || strings.HasPrefix(module, ".") {
		now = filepath.Base(pythonModule(u.to))
		dots := module[:len(module)-len(now)]
		if of := strings.TrimSuffix(dots, "."); of == "" || strings.Trim(dots, ".") == "" {
			added = "from " + dots + " import " + now
		} else {
			added = "from " + of + " import " + now
		}
		if dots == "" {
			added = "import " + now
		}
		if b := u.file.binding(now); b != nil || len(u.file.occurrences(now, 0, len(content))) > 0 {
			added += " as " + now + "_module"
			now += "_module"
		}
	}
	u.p.changes = append(u.p.changes, splice.Insert(line, head+added+splice.LineEnd(content)))
	for _, i := range found {
		u.p.changes = append(u.p.changes, splice.Replace(i, i+len(local), now))
	}
}

func wordOrDot(b byte) bool { return b == '.' || source.IsLetter(rune(b)) }

// checkCycle refuses a move after which modules import each other that did not.
func (g *pythonSymbol) checkCycle() error {
	was, now := map[string][]string{}, map[string][]string{}
	for path, text := range g.after {
		for _, to := range g.imported(path, text, now) {
			if old, err := g.c.Workspace.Text(path); err == nil && slices.Contains(g.imported(path, old.Content(), was), to) {
				continue
			}
			if g.reaches(to, path, now, map[string]bool{}) {
				return g.refuse("import_cycle", "Move what it uses, or what uses it, along by calls of their own.",
					"%s and %s would import each other, what moves and what stays use each other", g.c.Show(path), g.c.Show(to))
			}
		}
	}
	return nil
}

// reaches reports whether a module imports another one, by way of others, after the move.
func (g *pythonSymbol) reaches(path, to string, known map[string][]string, seen map[string]bool) bool {
	if path == to {
		return true
	}
	if seen[path] {
		return false
	}
	seen[path] = true
	text, ok := g.after[path]
	if !ok {
		of, err := g.c.Workspace.Text(path)
		if err != nil {
			return false
		}
		text = of.Content()
	}
	return slices.ContainsFunc(g.imported(path, text, known), func(next string) bool {
		return g.reaches(next, to, known, seen)
	})
}

// imported are the files of the modules that a text imports when it runs.
func (g *pythonSymbol) imported(path, text string, known map[string][]string) []string {
	if out, ok := known[path]; ok {
		return out
	}
	f := pythonFileOf(source.New(path, text))
	out := []string{}
	add := func(module string) bool {
		for _, file := range []string{module + ".py", filepath.Join(module, "__init__.py")} {
			if _, made := g.after[file]; made || source.Exists(file) {
				if !slices.Contains(out, file) && file != path {
					out = append(out, file)
				}
				return true
			}
		}
		return false
	}
	for _, b := range f.bindings {
		module := b.from
		if module == "" {
			module = b.item
		}
		rel := filepath.FromSlash(strings.ReplaceAll(module, ".", "/"))
		for dir := filepath.Dir(path); b.guard == ""; dir = filepath.Dir(dir) {
			base := filepath.Join(dir, rel)
			if strings.HasPrefix(b.from, ".") {
				base = f.absolute(b.from)
			} else if first, _, _ := strings.Cut(module, "."); lang.InPythonLibrary(first) &&
				source.Exists(filepath.Join(dir, "__init__.py")) {
				break // from types import x beside a types.py of a package
			}
			if b.from != "" && add(filepath.Join(base, b.item)) || add(base) || strings.HasPrefix(b.from, ".") ||
				dir == g.c.Workspace.Root || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	known[path] = out
	return out
}
