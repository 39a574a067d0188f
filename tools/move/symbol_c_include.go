package move

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// cGraph is which files include which, as far as the files of the workspace tell.
type cGraph struct {
	*symbolMove
	ctx     context.Context
	folders []string // in which the compiler looks for includes
	files   map[string]*cFile
	added   map[string][]string        // the files that new includes name, by the file that gets these
	named   map[string][]string        // the files of the workspace, by base name; nil before it is asked
	led     map[string]string          // [cGraph.target], by the file and the include
	before  map[string]map[string]bool // [cGraph.mayReach] without the new includes
}

func newCGraph(ctx context.Context, m *symbolMove) *cGraph {
	g := &cGraph{symbolMove: m, ctx: ctx, files: map[string]*cFile{}, added: map[string][]string{},
		led: map[string]string{}, before: map[string]map[string]bool{}}
	if searched := m.s.Hooks().Includes; searched != nil {
		g.folders = searched.Searched(ctx)
	}
	return g
}

// file is a source of the workspace; nil for one that cannot be read.
func (g *cGraph) file(path string) *cFile {
	if f, ok := g.files[path]; ok {
		return f
	}
	var f *cFile
	if text, err := g.c.Workspace.Text(path); err == nil {
		f = cFileOf(path, text.Content())
	}
	g.files[path] = f
	return f
}

// target is the file of the workspace that an include of a file names; "" where it is none.
func (g *cGraph) target(f *cFile, i cIncludeLine) string {
	key := f.path + "\x00" + i.spelled()
	path, known := g.led[key]
	if !known {
		path = g.lookUp(f, i)
		g.led[key] = path
	}
	return path
}

// lookUp is target, which keeps it: a move asks for the same ones over and over.
func (g *cGraph) lookUp(f *cFile, i cIncludeLine) string {
	if beside := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(i.name)); i.sign == '"' && source.Exists(beside) {
		return beside
	}
	var found []string
	for _, dir := range g.folders {
		if path := filepath.Join(dir, filepath.FromSlash(i.name)); source.Exists(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	switch {
	case len(found) == 1 && g.own(found[0]):
		return found[0]
	case len(found) == 1 || len(found) == 0 && !g.mayBeOwn(i.name):
		return ""
	}
	text, err := g.c.Workspace.Text(f.path)
	to := ""
	if err == nil {
		to = (&moving{s: g.s}).leads(g.ctx, text, i.start+strings.Index(f.content[i.start:i.end], i.name))
	}
	if !g.own(to) {
		return ""
	}
	return to
}

// own reports whether a file is one of the workspace.
func (g *cGraph) own(path string) bool { return path != "" && g.s.Folders().Inside(path) }

// mayBeOwn reports whether a file of the workspace has the path that an include names.
func (g *cGraph) mayBeOwn(name string) bool {
	if g.named == nil {
		g.named = map[string][]string{}
		for path := range g.c.Workspace.Pool.Journal(g.at.Path).Files() {
			g.named[filepath.Base(path)] = append(g.named[filepath.Base(path)], path)
		}
	}
	suffix := string(filepath.Separator) + filepath.Clean(filepath.FromSlash(strings.TrimLeft(name, "./")))
	return slices.ContainsFunc(g.named[filepath.Base(filepath.FromSlash(name))], func(path string) bool {
		return strings.HasSuffix(path, suffix)
	})
}

// reach are the files that a file includes, over others too, with itself; of others than those of the workspace the
// names, in <>. all counts those under a condition, and anew those that the move adds.
func (g *cGraph) reach(path string, all, anew bool) map[string]bool {
	out := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		var to []string
		if anew {
			to = slices.Clone(g.added[next[0]])
		}
		if f := g.file(next[0]); f != nil {
			for _, i := range f.includes {
				switch target := g.target(f, i); {
				case i.depth > 0 && !all:
				case target != "":
					to = append(to, target)
				default:
					out[standard(i.name)] = true
				}
			}
		}
		for _, one := range to {
			if !out[one] {
				out[one] = true
				if !strings.HasPrefix(one, "<") {
					next = append(next, one)
				}
			}
		}
	}
	return out
}

// standard is the name of a header outside of the workspace; <cstdio> brings what <stdio.h> does.
func standard(name string) string {
	if bare, ok := strings.CutPrefix(name, "c"); ok && !strings.Contains(name, ".") && !strings.Contains(name, "/") {
		name = bare + ".h"
	}
	return "<" + name + ">"
}

// reaches reports whether a file is certain to include another one after the move.
func (g *cGraph) reaches(path, other string) bool { return g.reach(path, false, true)[other] }

// mayReach reports whether a file may include another one before the move.
func (g *cGraph) mayReach(path, other string) bool {
	if g.before[path] == nil {
		g.before[path] = g.reach(path, true, false)
	}
	return g.before[path][other]
}

// ring reports whether two files would include each other.
func (g *cGraph) ring(path, other string) bool { return g.reach(other, true, true)[path] }

// includers are the files that may include one before the move, over others too.
func (g *cGraph) includers(path string) (out []string, err error) {
	seen := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		held, err := g.holding(g.ctx, wordOf(filepath.Base(next[0])))
		if err != nil {
			return nil, err
		}
		for _, one := range held {
			f := g.file(one)
			if seen[one] || f == nil || !isC(one) {
				continue
			}
			if slices.ContainsFunc(f.includes, func(i cIncludeLine) bool { return g.target(f, i) == next[0] }) {
				seen[one] = true
				out = append(out, one)
				next = append(next, one)
			}
		}
	}
	return out, nil
}

// isC reports whether a file is one of C or C++, or of a language that includes their headers.
func isC(path string) bool { return slices.Contains(cRule.languages, langID(path)) }

// cSpelling is how includes name files of the workspace: by the path from a folder of the compiler, or beside the file.
type cSpelling struct {
	sign   byte
	beside bool
}

// spelling is how most includes of a file name files of the workspace; ok is false where it has none that tells.
func (g *cGraph) spelling(f *cFile) (cSpelling, bool) {
	counts, best := map[cSpelling]int{}, cSpelling{}
	for _, i := range f.includes {
		to := g.target(f, i)
		if to == "" {
			continue
		}
		short, _ := g.fromFolder(to)
		beside := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(i.name)) == to && i.sign == '"'
		if beside && short == i.name { // either
			continue
		}
		one := cSpelling{i.sign, beside}
		if counts[one]++; counts[one] > counts[best] {
			best = one
		}
	}
	return best, len(counts) > 0
}

// fromFolder is the shortest path of a file from a folder in which the compiler looks for includes.
func (g *cGraph) fromFolder(path string) (short string, ok bool) {
	for _, dir := range g.folders {
		if rel, inside := source.RelativeTo(dir, path); inside && (short == "" || len(rel) < len(short)) {
			short = filepath.ToSlash(rel)
		}
	}
	return short, short != ""
}

// spelled is an include of one file in another one, as its includes, or else those of others, are written.
func (g *cGraph) spelled(in, of string, others ...string) (string, bool) {
	how, known := cSpelling{sign: '"'}, false
	for _, path := range append([]string{in}, others...) {
		if f := g.file(path); f != nil && !known {
			how, known = g.spelling(f)
		}
	}
	short, fromFolder := g.fromFolder(of)
	rel, err := filepath.Rel(filepath.Dir(in), of)
	switch {
	case fromFolder && (known && !how.beside || !known && strings.HasPrefix(rel, "..")):
		return cIncludeLine{sign: how.sign, name: short}.spelled(), true
	case err != nil:
		return "", false
	}
	return `"` + filepath.ToSlash(rel) + `"`, true
}

// guardFor are the lines that guard a new header and those that end it, in the manner of another header.
func (g *cGraph) guardFor(like *cFile) (head, tail string) {
	end := splice.LineEnd(like.content)
	if like.guard == "" {
		return "#pragma once" + end, ""
	}
	guard := like.guard
	was, now := g.guardParts(like.path), g.guardParts(g.to)
	for n := range slices.Backward(was) { // from the longest path down
		if i := strings.LastIndex(strings.ToUpper(guard), was[n]); i >= 0 {
			guard = guard[:i] + now[min(n, len(now)-1)] + guard[i+len(was[n]):]
			break
		}
	}
	if guard == like.guard {
		guard = now[len(now)-1] + "_"
	}
	last := like.directives[len(like.directives)-1]
	tail = strings.ReplaceAll(strings.TrimRight(like.content[last.start:last.end], "\r\n"), like.guard, guard) + end
	return "#ifndef " + guard + end + "#define " + guard + end, tail
}

// guardParts are the ends of a path as guards have them, from the name of the file on.
func (g *cGraph) guardParts(path string) (out []string) {
	rel, _ := source.RelativeTo(g.c.Workspace.Root, path)
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for n := len(parts) - 1; n >= 0; n-- {
		out = append(out, strings.ToUpper(strings.Map(func(r rune) rune {
			if source.IsLetter(r) && r < 0x80 {
				return r
			}
			return '_'
		}, strings.Join(parts[n:], "_"))))
	}
	return out
}

// headerLike is a header whose guard a new one follows: one in its folder, or the one from which the declaration comes.
func (g *cGraph) headerLike() *cFile {
	g.mayBeOwn("")
	var all []string
	for _, paths := range g.named {
		for _, path := range paths {
			if isC(path) && !g.s.Hooks().Includes.IsSource(path) && path != g.to {
				all = append(all, path)
			}
		}
	}
	near := func(path string) int {
		beside := filepath.Dir(path) == filepath.Dir(g.to)
		switch {
		case beside && path == g.at.Path:
			return 0
		case beside:
			return 1
		case path == g.at.Path:
			return 2
		}
		return 3
	}
	slices.SortFunc(all, func(a, b string) int {
		if n := near(a) - near(b); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, path := range all {
		if f := g.file(path); f != nil && (f.guard != "" || strings.Contains(f.content, "#pragma once")) {
			return f
		}
		if near(path) == 3 {
			break
		}
	}
	return cFileOf(g.to, "")
}
