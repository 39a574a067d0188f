package move

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/edits"
	"lspi/tools/move/splice"
)

// sameNames refuses a move behind which a name of the moved code means something else: the target has the name for
// another thing. The server adds no import for a name that the target has, where it cannot follow the one of the old
// file (typescript-language-server 6.0.2), and what is only declared anew, an interface, breaks nothing.
func (g *scriptSymbol) sameNames(ctx context.Context) error {
	own := map[string]typescript.Import{}
	for _, one := range typescript.Imports(g.at.Path, g.text.Content()) {
		own[one.Local] = one
	}
	other, err := g.boundIn(ctx)
	if err != nil {
		return err
	}
	if at, taken := other[g.at.Name]; taken && !g.ofOld(at) {
		return g.refuse("name_taken", "Rename one of them first.", "%s has the name %s already", g.c.Show(g.to), g.at.Name)
	}
	now := map[string]typescript.Import{}
	for _, one := range typescript.Imports(g.to, g.after[g.to]) {
		now[one.Local] = one
	}
	named := g.named()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		uses := named[name]
		at, taken := other[name]
		is, imported := own[name]
		switch {
		case imported && g.same(is, g.at.Path, now[name]), taken && g.ofOld(at), name == g.at.Name:
		case imported && slices.Contains(typescript.Candidates(g.at.Path, is.Module), g.to): // which declares it
		case taken && slices.ContainsFunc(uses, func(offset int) bool { return g.meansOther(ctx, offset, at, imported) }):
			return g.refuse("name_taken", "Rename one of them first.", "%s uses %s, which is another thing in %s", g.at.Name,
				name, g.c.Show(g.to))
		case imported && now[name].Local == "" && !g.inside(g.definedAt(ctx, g.text, uses[0])) && !g.carry(is):
			g.needsLook("import", "%s uses %s, which %s imports and %s would not", g.at.Name, name, g.c.Show(g.at.Path),
				g.c.Show(g.to))
		}
	}
	return nil
}

// carry adds an import of the old file to the target, which the server has left out: it could not follow it. It reports
// whether it found a place for it.
func (g *scriptSymbol) carry(one typescript.Import) bool {
	content, own := g.after[g.to], g.text.Content()
	at, end := 0, splice.LineEnd(content, own)
	for _, had := range typescript.Imports(g.to, content) {
		behind := behindImport.FindString(content[had.Whole[1]:])
		if !strings.HasSuffix(behind, "\n") {
			return false // other code shares its line
		}
		at = had.Whole[1] + len(behind)
	}
	if at == 0 && !g.fresh && !scriptCode.MatchString(content) {
		return false // what begins with a comment or a directive
	}
	statement := own[one.Whole[0]:one.Whole[1]]
	if strings.HasSuffix(statement, "}") {
		return false // which tells the kind of the module
	}
	quote := statement[len(statement)-1:]
	module, kind := g.moduleFor(g.to, one.Module), ""
	if strings.HasPrefix(strings.TrimLeft(statement, " \t"), "import type ") {
		kind = "type "
	}
	item := one.Local
	switch {
	case one.Name == "*":
		item = "* as " + one.Local
	case one.Name == one.Local:
		item = "{ " + one.Local + " }"
	case one.Name != "default":
		item = "{ " + one.Name + " as " + one.Local + " }"
	}
	text := "import " + kind + item + " from " + quote + module + quote
	if strings.HasPrefix(own[one.Whole[1]:], ";") {
		text += ";"
	}
	if text += end; at == 0 {
		text += end
	}
	g.after[g.to] = content[:at] + text + content[at:]
	return true
}

// behindImport is what ends an import.
var behindImport = source.LazyRegexp(`^[ \t]*;?[ \t]*(?://[^\n]*)?(?:\r?\n|$)`)

// scriptCode matches a text that begins with code.
var scriptCode = source.LazyRegexp(`^\s*(?:\w|@)`)

// moduleFor is how a file names a module that the old file imports.
func (g *scriptSymbol) moduleFor(path, name string) string {
	if !typescript.IsPath(name) || filepath.IsAbs(name) {
		return name
	}
	rel, err := filepath.Rel(filepath.Dir(path), filepath.Join(filepath.Dir(g.at.Path), filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return rel
}

// bound is a name that the target has at its top level.
type bound struct {
	typescript.Import
	text   *source.Text
	offset int
}

// boundIn are the names that the target has before the move.
func (g *scriptSymbol) boundIn(ctx context.Context) (map[string]bound, error) {
	out := map[string]bound{}
	if g.fresh {
		return out, nil
	}
	symbols, text, err := g.s.DocumentSymbols(ctx, g.to)
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if offset, err := text.Offset(s.NameAt.Start); err == nil && !strings.HasSuffix(s.Name, " callback") {
			out[s.Name] = bound{text: text, offset: offset}
		}
	}
	for _, one := range typescript.Imports(g.to, text.Content()) {
		out[one.Local] = bound{one, text, one.At}
	}
	return out, nil
}

// ofOld reports whether the target has a name from the file that the moved code comes from.
func (g *scriptSymbol) ofOld(b bound) bool {
	return b.Local != "" && slices.Contains(typescript.Candidates(g.to, b.Module), g.at.Path)
}

// named are the names in the code of what moves, with the offsets of their uses. Members behind a dot are none.
func (g *scriptSymbol) named() map[string][]int {
	out := map[string][]int{}
	for _, d := range g.parts {
		_, from, to := d.Lines()
		start := g.text.LineStart(from)
		code := lang.CodeOf(g.at.Path, g.text.Slice(from, to))
		for i := 0; i < len(code); {
			end := i
			for end < len(code) && source.IsWord(rune(code[end])) {
				end++
			}
			if before := strings.TrimRight(code[:i], " \t\r\n"); end > i && (!strings.HasSuffix(before, ".") ||
				strings.HasSuffix(before, "...")) {
				out[code[i:end]] = append(out[code[i:end]], start+i)
			}
			i = max(end, i+1)
		}
	}
	return out
}

// once takes imports out of the target that it has twice, or from itself: the server adds those that it cannot follow,
// whatever is there, and those by which the old file has names of the target (typescript-language-server 6.0.2).
func (g *scriptSymbol) once() {
	old, err := g.c.Workspace.Text(g.to)
	if g.fresh || err != nil {
		return
	}
	had, content := typescript.Imports(g.to, old.Content()), g.after[g.to]
	all := typescript.Imports(g.to, content)
	var changes []splice.Change
	for i, one := range all {
		statement := content[one.Whole[0]:one.Whole[1]]
		if i > 0 && all[i-1].Whole == one.Whole || strings.Contains(old.Content(), statement) &&
			strings.Index(content, statement) == one.Whole[0] {
			continue // the first one of its words is what was there
		}
		if slices.ContainsFunc(all[i:], func(added typescript.Import) bool {
			own := added.Name == added.Local && typescript.IsPath(added.Module) &&
				slices.Contains(typescript.Candidates(g.to, added.Module), g.to)
			return added.Whole == one.Whole && !own && !slices.ContainsFunc(had, func(h typescript.Import) bool {
				return h.Local == added.Local && g.same(h, g.to, added)
			})
		}) {
			continue
		}
		end := one.Whole[1]
		if strings.HasPrefix(content[end:], ";") {
			end++
		}
		changes = append(changes, splice.Cut(one.Whole[0], end+len(lineEnd.FindString(content[end:]))))
	}
	g.after[g.to] = splice.Apply(content, changes)
}

// lineEnd is what is left of a line behind its code.
var lineEnd = source.LazyRegexp(`^[ \t]*(?:\r?\n|$)`)

// same reports whether an import of a file and one of the target are of one name of one module, as they are written.
func (g *scriptSymbol) same(was typescript.Import, of string, now typescript.Import) bool {
	if was.Name != now.Name || !typescript.IsPath(was.Module) || !typescript.IsPath(now.Module) {
		return was.Name == now.Name && was.Module == now.Module
	}
	there := typescript.Candidates(g.to, now.Module)
	return slices.ContainsFunc(typescript.Candidates(of, was.Module), func(path string) bool {
		return source.Exists(path) && !source.IsFolder(path) && slices.Contains(there, path)
	})
}

// meansOther reports whether a use of a name in the moved code means something else than what the target has under it.
// Of an import the server may not know what it means; another word of which it knows nothing is none of a name.
func (g *scriptSymbol) meansOther(ctx context.Context, offset int, b bound, imported bool) bool {
	was, err := g.s.Locate(ctx, lsp.MethodDefinition, g.at.Path, g.text.PositionAt(offset))
	if err != nil || len(was) == 0 {
		return err != nil || imported
	}
	now, err := g.s.Locate(ctx, lsp.MethodDefinition, g.to, b.text.PositionAt(b.offset))
	return err != nil || slices.ContainsFunc(was, func(p lsp.Place) bool {
		return !g.inside(p) && !slices.ContainsFunc(now, func(n lsp.Place) bool {
			return n.Path == p.Path && n.Range.Start == p.Range.Start
		})
	})
}

// inside reports whether a place is in what moves.
func (g *scriptSymbol) inside(p lsp.Place) bool {
	return p.Path == g.at.Path && slices.ContainsFunc(g.parts, func(d *edits.Declaration) bool {
		_, from, last := d.Lines()
		return from <= p.Range.Start.Line && p.Range.Start.Line <= last
	})
}
