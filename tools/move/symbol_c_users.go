package move

import (
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
)

// users finds the files that have to include the target.
func (g *cSymbol) users() error {
	paths := map[string]bool{}
	for _, p := range g.uses {
		if p.Err == nil && isC(p.Path) {
			paths[p.Path] = true
		}
	}
	if g.staysUsed() {
		if err := g.ownUses(); err != nil {
			return err
		}
	}
	if g.elsewhere() || !g.header { // others know it by another declaration, or not at all
		return nil
	}
	if g.graph.reaches(g.at.Path, g.to) {
		delete(paths, g.at.Path)
	}
	delete(paths, g.to)
	first := map[string]bool{} // that need it in front of another include
	// A header that names it without including it, behind a forward declaration or another include: whoever includes
	// that header and the old one may need it.
	for _, path := range sorted(paths) {
		if g.s.Hooks().Includes.IsSource(path) || path != g.at.Path && g.graph.mayReach(path, g.at.Path) {
			continue
		}
		behind, err := g.graph.includers(path)
		if err != nil {
			return err
		}
		for _, one := range behind {
			if g.graph.mayReach(one, g.at.Path) && one != g.at.Path && one != g.to {
				paths[one] = true
				first[one] = first[one] || !g.saysForward(path)
			}
		}
	}
	delete(paths, g.at.Path)
	all := sorted(paths)
	slices.SortStableFunc(all, func(a, b string) int { return g.order(a) - g.order(b) })
	for _, path := range all {
		if !g.graph.mayReach(path, g.at.Path) || g.graph.reaches(path, g.to) {
			continue
		}
		if err := g.userOf(path, first[path]); err != nil {
			return err
		}
	}
	return nil
}

func sorted(paths map[string]bool) (out []string) {
	for path := range paths {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// order puts headers first: what includes them has the target by them.
func (g *cSymbol) order(path string) int {
	if g.s.Hooks().Includes.IsSource(path) {
		return 1
	}
	return 0
}

// saysForward reports whether a header says itself that there is the type which moves.
func (g *cSymbol) saysForward(path string) bool {
	return slices.ContainsFunc(g.uses, func(p lsp.Place) bool {
		return p.Path == path && cForward.MatchString(strings.TrimSpace(p.Line))
	})
}

// userOf has a file include the target; first: right behind what brings the old header.
func (g *cSymbol) userOf(path string, first bool) error {
	if !g.toHeader {
		g.tellUses(path)
		return nil
	}
	spelled, ok := g.graph.spelled(path, g.to, g.near...)
	f := g.graph.file(path)
	if !ok || f == nil {
		g.tellUses(path)
		return nil
	}
	g.graph.added[path] = append(g.graph.added[path], g.to)
	if err := g.noRing(path, g.to, g.at.Name); err != nil {
		return err
	}
	content, changed := g.after[path]
	if !changed {
		content = f.content
	}
	now := cFileOf(path, content)
	at := now.include(spelled)
	if i := slices.IndexFunc(now.includes, func(i cIncludeLine) bool {
		to := g.graph.target(now, i)
		return to != "" && i.depth == 0 && (to == g.at.Path || g.graph.mayReach(to, g.at.Path))
	}); first && i >= 0 {
		at = now.includeAt(now.includes[i].end, spelled)
	}
	g.after[path] = splice.Apply(content, []splice.Change{at})
	return nil
}

// tellUses tells the uses of a file as left.
func (g *cSymbol) tellUses(path string) {
	for _, p := range g.uses {
		if p.Path == path && p.Err == nil {
			g.left = append(g.left, splice.Place{Path: path, Line: p.Range.Start.Line, Text: strings.TrimSpace(p.Line)})
			return
		}
	}
}

// ownUses has the old file include the target where it goes on using what moves.
func (g *cSymbol) ownUses() error {
	if !g.toHeader {
		own := g.uses[slices.IndexFunc(g.uses, func(p lsp.Place) bool { return p.Path == g.at.Path })]
		return g.refuse("still_used", "Move it to a header, or declare it in one first.",
			"%s:%d still uses %s, which no include of it would declare then", g.c.Show(g.at.Path), own.Range.Start.Line,
			g.at.Name)
	}
	if g.graph.reaches(g.at.Path, g.to) || g.staysForward() && g.graph.ring(g.at.Path, g.to) {
		return nil
	}
	return g.userOf(g.at.Path, false)
}

// rewrite makes the new texts of both files.
func (g *cSymbol) rewrite() error {
	left := g.from.cut(g.emptied())
	if now, ok := g.after[g.at.Path]; ok && now != g.from.content { // it includes the target
		spelled, _ := g.graph.spelled(g.at.Path, g.to, g.near...)
		left = splice.Apply(left, []splice.Change{cFileOf(g.at.Path, left).include(spelled)})
	}
	g.after[g.at.Path] = left
	content := g.target.content
	if g.fresh {
		content = g.fileFor()
	}
	return g.intoTarget(content)
}

// emptied are the parts that go, and in their place the namespaces in which nothing stays.
func (g *cSymbol) emptied() []cItem {
	parts := slices.Clone(g.parts)
	inside := func(p cItem, from, to int) bool { return from <= p.start && p.end <= to }
	for _, b := range slices.Backward(g.from.blocks) {
		rest, at := "", b.open+1
		var others []cItem
		for _, p := range parts {
			if !inside(p, b.open, b.close) {
				others = append(others, p)
				continue
			}
			rest += g.from.content[at:max(at, p.start)]
			at = p.end
		}
		whole := cItem{g.from.lineStart(b.head), g.from.lineEnd(b.close)}
		if rest += g.from.content[at:b.close]; len(others) < len(parts) && strings.TrimSpace(rest) == "" &&
			strings.TrimSpace(g.from.code[whole.start:b.head]+g.from.code[b.close+1:whole.end]) == "" {
			parts = append(others, whole)
			slices.SortFunc(parts, inText)
		}
	}
	return parts
}

// fileFor is a new file without declarations.
func (g *cSymbol) fileFor() string {
	if !g.toHeader {
		return ""
	}
	like := g.graph.headerLike()
	head, tail := g.graph.guardFor(like)
	end := splice.LineEnd(like.content, g.from.content)
	if tail != "" {
		tail = end + tail
	}
	return splice.WithLineEnd(head+tail, end)
}

// intoTarget adds what moves to the text of the target.
func (g *cSymbol) intoTarget(content string) error {
	end := splice.LineEnd(content, g.from.content)
	f := cFileOf(g.to, content)
	slices.Sort(g.needs)
	for _, spelled := range slices.Compact(g.needs) {
		content = splice.Apply(content, []splice.Change{f.include(spelled)})
		f = cFileOf(g.to, content)
	}
	was, before := source.New(g.to, g.target.content), -1
	for _, p := range g.uses {
		if p.Path != g.to || p.Err != nil || g.elsewhere() {
			continue
		}
		if at, err := was.Offset(p.Range.Start); err == nil && (before < 0 || at < before) {
			before = at
		}
	}
	if before >= 0 { // behind the includes that came
		before += len(content) - len(g.target.content)
	}
	offset, around := f.place(g.names, before, f.top())
	if f.depth(offset) > 0 {
		return g.refuse("conditional", byEdits, "%s has no place without a condition for %s", g.c.Show(g.to), g.at.Name)
	}
	text := ""
	for _, p := range g.parts {
		if text != "" {
			text += "\n"
		}
		text += strings.TrimRight(splice.WithLineEnd(g.from.content[p.start:p.end], "\n"), " \t\n") + "\n"
	}
	if lines := g.forwards(f, f.blockAt(offset), around); lines != "" {
		text = lines + "\n" + text
	}
	text = g.inNamespaces(text, around)
	g.after[g.to] = inLines(f.content, offset, splice.WithLineEnd(text, end), end)
	return nil
}

// forwards are the forward declarations of what moves that the target does not have.
func (g *cSymbol) forwards(f *cFile, block, around int) string {
	out := ""
	for _, one := range g.carried {
		from, to := f.bounds(block)
		if around < len(g.names) || !strings.Contains(f.content[from:to], one) {
			out += one + "\n"
		}
	}
	return out
}

// inNamespaces puts a text into the namespaces that the place does not have around it, written as in the old file.
func (g *cSymbol) inNamespaces(text string, around int) string {
	var heads, tails []string
	for i, b := range g.chain {
		names := b.names
		for skip := len(namesOf(g.chain[:i])); len(names) > 0 && skip < around; skip++ {
			names = names[1:]
		}
		switch {
		case len(names) == 0:
			continue
		case names[0] == cLinkage && g.from.depth(b.open) > 0:
			heads = append(heads, "#ifdef __cplusplus\n"+cLinkage+" {\n#endif")
			tails = append(tails, "#ifdef __cplusplus\n}\n#endif")
			continue
		case len(names) < len(b.names):
			heads = append(heads, "namespace "+strings.Join(names, "::")+" {")
		default:
			heads = append(heads, g.from.content[b.head:b.open+1])
		}
		tail, rest := "}", strings.TrimRight(g.from.content[b.close+1:g.from.lineEnd(b.close)], " \t\r\n")
		if strings.TrimSpace(g.from.code[b.close+1:b.close+1+len(rest)]) == "" {
			tail += rest
		}
		tails = append(tails, tail)
	}
	if len(heads) == 0 {
		return text
	}
	slices.Reverse(tails)
	return strings.Join(heads, "\n") + "\n\n" + text + "\n" + strings.Join(tails, "\n") + "\n"
}

// inLines puts whole lines into a text at the beginning of a line, with blank lines around them.
func inLines(content string, offset int, text, end string) string {
	before, after := content[:offset], content[offset:]
	begins := before == "" || before == byteOrderMark
	if !begins && !strings.HasSuffix(before, "\n") {
		before += end
	}
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	if lines := strings.SplitAfter(before, "\n"); !begins && !blank(lines[len(lines)-2]) {
		text = end + text
	}
	if first, _, _ := strings.Cut(after, "\n"); after != "" && !blank(first) {
		text += end
	}
	return before + text + after
}
