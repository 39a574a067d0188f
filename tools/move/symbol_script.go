package move

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/edits"
	"lspi/tools/move/splice"
)

// scriptSymbolRule: the server moves the statement, with the imports of the files of its project. It leaves exports of
// it from its file, and imports in other projects, and prints the statement anew, without its blank lines
// (typescript-language-server 6.0.2).
var scriptSymbolRule = symbolRule{languages: []string{"typescript", "typescriptreact", "javascript", "javascriptreact"},
	plan: planScriptSymbol}

// scriptSymbol is the move of a declaration of TypeScript or JavaScript.
type scriptSymbol struct {
	*symbolMove
	text     *source.Text
	parts    []*edits.Declaration // the statements that declare what moves, in their order
	typeOnly bool                 // it is a type, which an export has to say under isolatedModules
	exported bool
	hoisted  bool // it is there before its file runs
	keeps    bool // a namespace that somebody exports or uses has it from the old file
}

func planScriptSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	g := &scriptSymbol{symbolMove: m}
	if m.s.Hooks().MoveToFile == nil {
		return nil, m.refuse("no_rule", byEdits,
			"%s does not move declarations to another file", m.s.ID())
	}
	if err := g.find(ctx); err != nil {
		return nil, err
	}
	uses, err := m.s.References(ctx, m.at.Path, m.at.At, false)
	if err != nil {
		return nil, err
	}
	for _, d := range g.parts {
		m.registered(d, uses)
	}
	moved, err := g.byServer(ctx)
	if err == nil {
		err = g.sameNames(ctx)
	}
	if err != nil {
		return nil, err
	}
	g.restore()
	g.once()
	if g.exported {
		if err := g.passOn(ctx); err != nil {
			return nil, err
		}
	}
	g.atRunTime()
	for _, u := range uses {
		if u.Err == nil {
			m.near = append(m.near, u.Path)
		}
	}
	planned, err := m.planTexts()
	if err == nil {
		planned.Behind, planned.Unseen, planned.Outside = moved.Behind, moved.Unseen, moved.Outside
	}
	return planned, err
}

// find finds the statements that declare what moves: an interface and a constant, or overloads, may be one.
func (g *scriptSymbol) find(ctx context.Context) error {
	symbols, text, err := g.s.DocumentSymbols(ctx, g.at.Path)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(symbols, func(s lsp.Symbol) bool { return s.NameAt.Start == g.at.At }) {
		return g.noDeclaration()
	}
	g.text, g.typeOnly, g.hoisted = text, true, true
	listed := regexp.MustCompile(`(?m)^export\s+(?:type\s+)?(?:\{[^}]*|default\s+)\b` + regexp.QuoteMeta(g.at.Name) + `\b`)
	g.exported = listed.MatchString(text.Content())
	for _, s := range symbols {
		if s.Name != g.at.Name {
			continue
		}
		d, err := edits.DeclarationOf(text, s)
		if err != nil {
			return err
		}
		g.parts = append(g.parts, d)
		head := strings.TrimSpace(text.Line(s.NameAt.Start.Line))
		g.typeOnly = g.typeOnly && scriptType.MatchString(head)
		g.exported = g.exported || strings.HasPrefix(head, "export ")
		g.hoisted = g.hoisted && (g.typeOnly || scriptFunction.MatchString(head))
	}
	slices.SortFunc(g.parts, func(a, b *edits.Declaration) int { return first(a) - first(b) })
	for _, s := range symbols {
		if n := s.NameAt.Start.Line; n >= first(g.parts[0]) && n <= last(g.parts) && s.Name != g.at.Name {
			return g.refuse("not_separate", "", "%s is declared together with %s, or on both sides of it", g.at.Name, s.Name)
		}
	}
	if !typescript.IsModule(text.Content()) {
		g.needsLook("no module", "%s is no module, so that what it declares may be used by any script", g.c.Show(g.at.Path))
	}
	return nil
}

// first is the line in which a declaration begins, and last the one in which the last of several ends.
func first(d *edits.Declaration) int { _, line, _ := d.Lines(); return line }

func last(all []*edits.Declaration) int { _, _, n := all[len(all)-1].Lines(); return n }

var scriptFunction = source.LazyRegexp(`^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b`)

var scriptType = source.LazyRegexp(`^(?:export\s+)?(?:declare\s+)?(?:type|interface)\s`)

// byServer has the server move the statement.
func (g *scriptSymbol) byServer(ctx context.Context) (*lsp.Planned, error) {
	end := last(g.parts)
	statements := contract.Range{Start: contract.Position{Line: first(g.parts[0]), Character: 1},
		End: contract.Position{Line: end, Character: len([]rune(g.text.Line(end))) + 1}}
	proposal, err := g.s.MoveToFile(ctx, g.at.Path, statements, g.to)
	if err != nil {
		return nil, err
	}
	planned, err := g.s.Plan(ctx, proposal, lsp.PlanOptions{Roots: g.c.Workspace.EditRoots(),
		Protected: g.c.Session.Protected(), Label: g.c.Show})
	if err != nil {
		return nil, err
	}
	for i := range planned.Files {
		if f := &planned.Files[i]; f.Kind == edit.Change || f.Kind == edit.Create {
			g.after[f.Path] = f.New
		}
	}
	if g.after[g.to] == "" || g.after[g.at.Path] == "" && len(planned.Files) < 2 {
		return nil, g.refuse("no_edit", "", "%s has no edit that moves %s", g.s.ID(), g.at.Name)
	}
	return planned, nil
}

// restore puts the text of the statements, which the server has printed anew, back as it was.
func (g *scriptSymbol) restore() {
	now := g.after[g.to]
	end := splice.LineEnd(now)
	if g.fresh { // for which the server takes the line ends of the system
		end = splice.LineEnd(g.text.Content(), now)
		now = splice.WithLineEnd(now, end)
	}
	for i, d := range g.parts {
		lead, line, last := d.Lines()
		was := splice.WithLineEnd(strings.TrimSpace(g.text.Slice(line, last)), end)
		start, stop, ok := foundSqueezed(now, was)
		if ok && lead < line {
			var from, to int
			doc := strings.TrimRight(splice.WithLineEnd(g.text.Slice(lead, line-1), end), " \t\r\n")
			if from, to, ok = foundSqueezed(now, strings.TrimSpace(doc)); ok && to <= start {
				added := strings.TrimSpace(now[to:start]) // an export
				if added != "" {
					added += " "
				}
				was = strings.TrimLeft(doc, " \t") + end + added + was
				start = from
			}
		}
		if !ok {
			g.needsLook("printed anew", "%s has printed %s anew in %s; compare it with what it was", g.s.ID(), g.at.Name,
				g.c.Show(g.to))
			return
		}
		head := now[:start]
		if above := strings.TrimRight(head, " \t\r\n"); i == 0 && above != "" && (g.fresh ||
			lead > 1 && strings.TrimSpace(g.text.Line(lead-1)) == "" && lineEnd.FindString(head[len(above):]) == head[len(above):]) {
			head = above + end + end
		}
		now = head + was + now[stop:]
	}
	if g.fresh {
		now = strings.TrimLeft(now, "\r\n")
	}
	g.after[g.to] = now
}

// foundSqueezed returns where a text stands in another one, whatever white space, semicolons and commas at the end of a
// list there are.
func foundSqueezed(in, text string) (start, end int, ok bool) {
	squeezed, at := squeeze(in)
	wanted, _ := squeeze(text)
	i := strings.Index(squeezed, wanted)
	if i < 0 || wanted == "" || strings.Contains(squeezed[i+1:], wanted) {
		return 0, 0, false
	}
	end = at[i+len(wanted)-1] + 1
	if strings.HasPrefix(in[end:], ";") {
		end++
	}
	return at[i], end, true
}

// squeeze leaves out of a text what printing may change, and returns where each byte that is left stood.
func squeeze(text string) (string, []int) {
	var b []byte
	var at []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n', ';':
		case ',':
			if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); rest != "" && strings.IndexByte(")]}>", rest[0]) >= 0 {
				continue
			}
			b = append(b, c)
			at = append(at, i)
		case '|', '&': // in front of the first of several types
			if len(b) == 0 || strings.IndexByte("=(<:,[", b[len(b)-1]) < 0 {
				b = append(b, c)
				at = append(at, i)
			}
		default:
			b = append(b, c)
			at = append(at, i)
		}
	}
	return string(b), at
}

// scriptFrom matches imports and exports from another file.
var scriptFrom = source.LazyRegexp(
	`(?m)^(import|export)[ \t]+(type[ \t]+)?(\*(?:[ \t]+as[ \t]+\w+)?|\{[^}]*\})[ \t]*from[ \t]*(["'])([^"'\n]+)["'];?`)

// scriptName matches the name of a file or package that code loads.
var scriptName = source.LazyRegexp("\\b(?:from|import|require|mock\\w*|doMock|importActual)\\b\\s*(?:<[^>()]*>)?\\(?\\s*[\"'`]([^\"'`\\n]+)[\"'`]")

// passOn gives the files that export what moves from its old file the new one, and those that still import it. Who
// uses what a module exports names the file of the module, or one that passes it on: whatever else loads the old file
// and holds the name is left.
func (g *scriptSymbol) passOn(ctx context.Context) error {
	dir, base := filepath.Split(g.at.Path)
	held, err := g.holding(ctx, g.at.Name, wordOf(base), wordOf(filepath.Base(dir)))
	if err != nil {
		return err
	}
	for _, path := range held {
		content, changed := g.after[path]
		if path == g.at.Path {
			continue
		}
		if !changed {
			text, err := g.c.Workspace.Text(path)
			if err != nil {
				continue
			}
			content = text.Content()
		}
		now := content
		if symbolRuleOf(langID(path)) == symbolRuleOf(langID(g.to)) {
			now = g.passed(path, content)
		}
		if now != content {
			g.after[path] = now
		}
		g.loads(ctx, path, now)
	}
	if g.keeps && !strings.Contains(g.after[g.at.Path], "export { "+g.at.Name+" } from") {
		g.keep()
	}
	return nil
}

// atRunTime warns where both files load each other, and what moves may be asked for before its file has run.
func (g *scriptSymbol) atRunTime() {
	if !g.hoisted && g.loadsOther(g.to, g.at.Path) && g.loadsOther(g.at.Path, g.to) {
		g.needsLook("import cycle", "%s and %s import each other after the move: %s may not be there yet when the other "+
			"file runs", g.c.Show(g.at.Path), g.c.Show(g.to), g.at.Name)
	}
}

// loadsOther reports whether the new text of a file loads another one for more than types.
func (g *scriptSymbol) loadsOther(path, other string) bool {
	return slices.ContainsFunc(scriptFrom.FindAllStringSubmatch(g.after[path], -1), func(m []string) bool {
		return m[2] == "" && typescript.IsPath(m[5]) && slices.Contains(typescript.Candidates(path, m[5]), other)
	})
}

// loads finds the places that still load the old file and may use what moves by it.
func (g *scriptSymbol) loads(ctx context.Context, path, content string) {
	if !source.HasWord(content, g.at.Name) {
		return
	}
	text := source.New(path, content)
	statements := scriptFrom.FindAllStringSubmatchIndex(content, -1)
	for _, m := range scriptName.FindAllStringSubmatchIndex(content, -1) {
		name := content[m[2]:m[3]]
		if inComment(text, m[2]) || !g.isOld(ctx, path, name, m[2]) {
			continue
		}
		i := slices.IndexFunc(statements, func(s []int) bool { return s[0] <= m[2] && m[2] < s[1] })
		if i >= 0 {
			list := content[statements[i][6]:statements[i][7]]
			namespace, is := strings.CutPrefix(strings.Join(strings.Fields(list), " "), "* as ")
			item, _ := without(list, g.at.Name)
			if is { // uses behind it that the server has left go on by way of the old file
				g.keeps = g.keeps || usedAs(content, namespace, g.at.Name)
			}
			if is || list == "*" || strings.HasPrefix(list, "{") && item == "" {
				continue
			}
		}
		g.left = append(g.left, splice.PlaceAt(text, m[2]))
	}
}

// usedAs reports whether code may use a member of a namespace.
func usedAs(content, namespace, name string) bool {
	return strings.Contains(content, namespace+"[") || slices.ContainsFunc(source.Occurrences(content, name), func(i int) bool {
		return strings.HasSuffix(content[:i], namespace+".")
	})
}

// isOld reports whether a name by which code loads a file means the old one.
func (g *scriptSymbol) isOld(ctx context.Context, path, name string, offset int) bool {
	if typescript.IsPath(name) {
		return slices.Contains(typescript.Candidates(path, name), g.at.Path)
	}
	// By an alias or the name of the package, which may end with the file or its folder.
	stem, _, _ := strings.Cut(filepath.Base(g.at.Path), ".")
	end, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	if end != stem && (stem != "index" || end != filepath.Base(filepath.Dir(g.at.Path))) {
		return false
	}
	text, err := g.c.Workspace.Text(path)
	if err != nil || offset >= len(text.Content()) {
		return true
	}
	if i := strings.Index(text.Content(), name); i >= 0 {
		to := g.definedAt(ctx, text, i+len(name)-1)
		return to.Path == "" || to.Path == g.at.Path || to.Path == text.Path
	}
	return false
}

// keep has the old file export what has moved, for those who have it as a member of a namespace.
func (g *scriptSymbol) keep() {
	content := g.after[g.at.Path]
	name := "./x" + filepath.Ext(g.at.Path)
	quote, ends := `"`, true
	for _, m := range scriptFrom.FindAllStringSubmatch(content, -1) {
		if quote, ends = m[4], strings.HasSuffix(m[0], ";"); typescript.IsPath(m[5]) {
			name = m[5]
		}
	}
	end := splice.LineEnd(content)
	g.after[g.at.Path] = strings.TrimRight(content, "\r\n") + end + end +
		g.statement(g.at.Path, "export", "", g.at.Name, quote, name, ends) + end
}

// passed is the text of a file with its imports and exports of what moves from the new file.
func (g *scriptSymbol) passed(path, content string) string {
	var changes []splice.Change
	for _, m := range scriptFrom.FindAllStringSubmatchIndex(content, -1) {
		part := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return content[m[2*n]:m[2*n+1]]
		}
		verb, list, name := part(1), part(3), part(5)
		if !typescript.IsPath(name) || !slices.Contains(typescript.Candidates(path, name), g.at.Path) {
			continue
		}
		item, others := "", ""
		switch {
		case list == "*" && verb == "export":
			item = g.at.Name
		case strings.HasPrefix(list, "*"): // as a namespace: of one that is imported the server changes the uses
			g.keeps = g.keeps || verb == "export"
			continue
		default:
			if item, others = without(list, g.at.Name); item == "" {
				continue
			}
			if strings.Contains(list, "/*") || strings.Contains(list, "//") {
				continue // which is then told as one that loads the old file
			}
		}
		statement := g.statement(path, verb, part(2), item, part(4), name, strings.HasSuffix(content[m[0]:m[1]], ";"))
		if path == g.to { // which has it now
			statement = ""
		}
		switch end := splice.LineEnd(content); {
		case list == "*" && (statement == "" || g.exportsAll(path, content)):
		case list == "*":
			changes = append(changes, splice.Insert(m[1], end+statement))
		case others == "":
			changes = append(changes, splice.Replace(m[0], m[1], statement))
		default:
			changes = append(changes, splice.Replace(m[6], m[7], others), splice.Insert(m[1], end+statement))
		}
	}
	return splice.Apply(content, changes)
}

// exportsAll reports whether a file exports all of the new file.
func (g *scriptSymbol) exportsAll(path, content string) bool {
	return slices.ContainsFunc(scriptFrom.FindAllStringSubmatch(content, -1), func(m []string) bool {
		return m[1] == "export" && m[3] == "*" && slices.Contains(typescript.Candidates(path, m[5]), g.to)
	})
}

// statement is an import or export of an item from the new file, named as the old one is.
func (g *scriptSymbol) statement(path, verb, kind, item, quote, name string, ends bool) string {
	rel, err := filepath.Rel(filepath.Dir(path), g.to)
	if err != nil {
		return ""
	}
	rel = filepath.ToSlash(rel)
	if !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	rel = strings.TrimSuffix(rel, filepath.Ext(rel))
	if ext := filepath.Ext(name); slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts"}, ext) {
		rel += ext
	}
	if kind == "" && g.typeOnly && !strings.HasPrefix(item, "type ") {
		kind = "type "
	}
	out := verb + " " + kind + "{ " + item + " } from " + quote + rel + quote
	if ends {
		out += ";"
	}
	return out
}

// without takes the item of a name out of a list of imports or exports; item is "" where it has none.
func without(list, name string) (item, others string) {
	one := regexp.MustCompile(`(?:type\s+)?\b` + regexp.QuoteMeta(name) + `\b(?:\s+as\s+\w+)?`)
	var rest []string
	for _, part := range strings.Split(strings.Trim(list, "{}"), ",") {
		part = strings.TrimSpace(part)
		if item == "" && one.FindString(part) == part && part != "" {
			item = part
		} else if part != "" {
			rest = append(rest, part)
		}
	}
	if len(rest) == 0 {
		return item, ""
	}
	if m := listIndent.FindStringSubmatch(list); m != nil {
		return item, "{" + m[1] + strings.Join(rest, ","+m[1]) + "," + m[2] + "}"
	}
	return item, "{ " + strings.Join(rest, ", ") + " }"
}

// listIndent matches a list of which each item has a line.
var listIndent = source.LazyRegexp(`(?s)^\{(\r?\n[ \t]+)\S.*?(\r?\n)[ \t]*\}$`)

// holding are the files of the workspace that hold one of words.
func (m *symbolMove) holding(ctx context.Context, words ...string) (out []string, err error) {
	return holdingWords(ctx, m.c, m.at.Path, words...)
}
