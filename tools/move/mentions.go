package move

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/move/splice"
)

// tellLeft warns of the imports that a plan leaves, of other places that name the path, and of paths in what moves that
// lead elsewhere from the new place.
func (m *moving) tellLeft(ctx context.Context, p *lsp.Planned, left []splice.Place) error {
	held, err := m.holding(ctx)
	if err != nil {
		return err
	}
	taken := takenBy(p)
	var mentions []splice.Place
	for _, path := range held {
		text, err := m.c.Workspace.Text(path)
		switch {
		case err != nil && lang.Of(path).ID != "":
			mentions = append(mentions, splice.Place{Path: path, Line: 1, Text: "a source that cannot be read"})
			continue
		case err != nil:
			continue // what is no text names no path
		}
		for _, one := range m.named(text, taken[path]) {
			if one.isImport {
				left = append(left, one.Place)
			} else {
				mentions = append(mentions, one.Place)
			}
		}
	}
	for _, path := range m.files {
		if text, err := m.c.Workspace.Text(path); err == nil {
			left = append(left, m.outward(text, taken[path])...)
		}
	}
	mentions = append(mentions, m.databases()...)
	left = slices.Compact(left)
	mentions = slices.DeleteFunc(mentions, func(p splice.Place) bool { // an include that leads nowhere, by its words
		return slices.ContainsFunc(left, func(l splice.Place) bool { return l.Path == p.Path && l.Line == p.Line })
	})
	shown := filepath.ToSlash(m.c.Show(m.from))
	if len(left) > 0 {
		facts := contract.Facts{"total": len(left), "files": m.c.ShowSome(filesOf(left))}
		m.c.Warn(contract.WarnUsesLeft, facts, fmt.Sprintf(
			"the edit leaves %s that the move of %s concerns, the first %s; change them yourself",
			answer.Counted(len(left), "place"), shown, m.shown(left[0])))
	}
	if len(mentions) > 0 {
		m.c.Warn(contract.WarnMentions, m.mentionFacts(mentions), fmt.Sprintf(
			"%s outside of imports may name %s, the first %s; lspi does not edit these",
			answer.Counted(len(mentions), "place"), shown, m.shown(mentions[0])))
	}
	return nil
}

// shown is a place in words.
func (m *moving) shown(p splice.Place) string {
	return fmt.Sprintf("%q at %s:%d", answer.CutText(p.Text, 100), m.c.Show(p.Path), p.Line)
}

// filesOf are the files of places, each once.
func filesOf(all []splice.Place) (files []string) {
	for _, p := range all {
		if !slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	return files
}

// mentionFacts are the facts of a warning about mentions, as package audit has them.
func (m *moving) mentionFacts(all []splice.Place) contract.Facts {
	type file struct {
		FilePath string `json:"file_path"`
		Count    int    `json:"count"`
		Line     int    `json:"line,omitempty"`
	}
	var files []*file
	by := map[string]*file{}
	for _, p := range all {
		if by[p.Path] == nil {
			by[p.Path] = &file{FilePath: m.c.Show(p.Path), Line: p.Line}
			files = append(files, by[p.Path])
		}
		by[p.Path].Count++
	}
	return contract.Facts{"names": []string{filepath.ToSlash(m.c.Show(m.from))}, "total": len(all),
		"files": files[:min(len(files), answer.MaxShown)]}
}

// takenBy returns the ranges that a plan replaces in the texts before, by the paths before.
func takenBy(p *lsp.Planned) map[string][][2]int {
	out := map[string][][2]int{}
	for i := range p.Files {
		f := &p.Files[i]
		path := f.Path
		if f.From != "" {
			path = f.From
		}
		for _, r := range f.Edits {
			out[path] = append(out[path], [2]int{r.Start, r.Start + len(r.Old)})
		}
	}
	return out
}

// within reports whether a range touches one of others.
func within(ranges [][2]int, from, to int) bool {
	return slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] <= to && from <= r[1] })
}

// namedPlace is a place that names what moves.
type namedPlace struct {
	splice.Place
	isImport bool // a path in code, relative to the file
}

// pathSigns are what a path may have beside letters, digits and _.
const pathSigns = "./\\@~+-"

func isPathByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 ||
		strings.IndexByte(pathSigns, b) >= 0
}

// named returns the places of a text that name what moves, besides those that are taken.
func (m *moving) named(text *source.Text, taken [][2]int) (out []namedPlace) {
	content, end := text.Content(), 0
	stem, _, _ := strings.Cut(filepath.Base(m.from), ".")
	if m.folder {
		stem = filepath.Base(m.from)
	}
	for i := 0; stem != ""; {
		n := strings.Index(content[i:], stem)
		if n < 0 {
			break
		}
		from, to := i+n, i+n+len(stem)
		i = to
		for from > end && isPathByte(content[from-1]) {
			from--
		}
		for to < len(content) && isPathByte(content[to]) {
			to++
		}
		end = to
		i = max(i, to)
		token := content[from:to]
		if within(taken, from, to) || !m.means(text.Path, token) || inComment(text, from) {
			continue
		}
		l := lang.Of(text.Path)
		relative := strings.HasPrefix(token, "./") || strings.HasPrefix(token, "../")
		out = append(out, namedPlace{at(text, from, token), relative && l.ID != "" && !l.Optional && !l.NoSymbols})
	}
	return out
}

// inComment reports whether an offset of a source is in a comment: no program reads it.
func inComment(text *source.Text, offset int) bool {
	l := lang.Of(text.Path)
	return l.ID != "" && !l.Optional && !l.NoSymbols && lang.InComment(text.Path, text.Content(), offset)
}

// means reports whether a word of path letters in a file may name what moves: by its path from the folder of the file
// or from a folder above what moves, or as a module of the language.
func (m *moving) means(file, token string) bool {
	token = strings.ReplaceAll(strings.TrimRight(token, ".\\/@~+-"), "\\", "/")
	token, rooted := strings.CutPrefix(token, "@/")
	if folder, ok := strings.CutPrefix(token, "-I"); ok { // of a compiler, which needs no slash
		return m.above(func(dir string) bool { return m.moves(filepath.Join(dir, filepath.FromSlash(folder))) })
	}
	if !m.moves(file) && m.isPathOf(filepath.Dir(file), token, true) {
		return true
	}
	if strings.HasPrefix(token, ".") {
		return m.rule != nil && m.rule.module != nil && m.rule.module(m, token)
	}
	if !rooted && m.leadsNearby(file, token) {
		return false
	}
	token = strings.TrimLeft(token, "/")
	// The name alone means, far from the file, any of that name.
	if !strings.Contains(token, "/") && filepath.Dir(file) != filepath.Dir(m.from) && !m.onlyOne() {
		return m.rule != nil && m.rule.module != nil && m.rule.module(m, token)
	}
	return m.above(func(dir string) bool { return m.isPathOf(dir, token, false) }) ||
		m.rule != nil && m.rule.module != nil && m.rule.module(m, token)
}

// manifests are files in which paths are those from their own folder.
var manifests = []string{"Cargo.toml", "package.json", "pyproject.toml", "CMakeLists.txt", "meson.build"}

// leadsNearby reports whether a path in a manifest is there from the folder of the manifest and is not what moves:
// src/lib.rs of one package is none of another one. Elsewhere a path may be from whatever folder a program runs in.
func (m *moving) leadsNearby(file, token string) bool {
	path := filepath.Join(filepath.Dir(file), filepath.FromSlash(token))
	return slices.Contains(manifests, filepath.Base(file)) && strings.Contains(token, "/") && !strings.HasPrefix(token, "/") &&
		!m.moves(path) && source.Exists(path)
}

// above reports whether a folder of the workspace above what moves is one.
func (m *moving) above(is func(dir string) bool) bool {
	for dir := filepath.Dir(m.from); source.Within(m.c.Workspace.Root, dir); dir = filepath.Dir(dir) {
		if is(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return false
}

// onlyOne reports whether no other file of the workspace has the name of what moves.
func (m *moving) onlyOne() bool {
	if m.sameName == nil {
		base := filepath.Base(m.from)
		m.sameName = slices.DeleteFunc(slices.Collect(m.c.Workspace.Pool.Journal(m.from).Files()), func(path string) bool {
			return filepath.Base(path) != base
		})
	}
	return len(m.sameName) < 2
}

// isPathOf reports whether a token is the path of what moves from a folder. A word alone is one only with its extension
// or, beside, behind a dot and slash; the name of a folder only with a slash.
func (m *moving) isPathOf(dir, token string, beside bool) bool {
	slash := strings.Contains(token, "/")
	path := filepath.Join(dir, filepath.FromSlash(token))
	if m.folder {
		return slash && (path == m.from || source.Within(m.from, path) && (source.Exists(path) ||
			slices.ContainsFunc(m.files, func(f string) bool {
				return bare(path) == bare(f) && isAlso(filepath.Ext(token), f)
			})))
	}
	if path == m.from {
		return true
	}
	relative := strings.HasPrefix(token, ".")
	if !slash || !beside && !strings.Contains(strings.Trim(token, "/"), "/") && !relative {
		return false
	}
	ext := filepath.Ext(token)
	if !lang.Of("x"+ext).IsScript() && ext != "" && source.Exists(path) {
		return false // the header beside the source
	}
	return bare(path) == bare(m.from) && isAlso(ext, m.from)
}

// bare is a path without the extensions.
func bare(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return filepath.Join(filepath.Dir(path), name)
}

// isAlso reports whether an import may name a source with an extension: with none, or with that of what a build makes
// of it.
func isAlso(ext, path string) bool {
	named, of := lang.Of("x"+ext), lang.Of(path)
	return ext == "" || ext == "." || named == of || named.IsScript() && of.IsScript()
}

// quotedPath is a string that may be a path.
var quotedPath = source.LazyRegexp("([\"'`])([\\w.@~+-]*[./][\\w./@~+-]*)[\"'`]")

// outward returns the strings of a file that moves which are paths of something else, from the folder of the file, and
// would not lead there from the new one.
func (m *moving) outward(text *source.Text, taken [][2]int) (out []splice.Place) {
	dir := filepath.Dir(text.Path)
	for _, g := range quotedPath.FindAllStringSubmatchIndex(text.Content(), -1) {
		token := text.Content()[g[4]:g[5]]
		if within(taken, g[4], g[5]) || strings.Trim(token, "./") == "" || inComment(text, g[4]) {
			continue
		}
		found := m.found(dir, token)
		if found == "" {
			continue
		}
		if now := filepath.Join(m.after(dir), filepath.FromSlash(token)); now != m.after(found) {
			out = append(out, at(text, g[4], token))
		}
	}
	return out
}

// found is what a path names from a folder; "" where nothing is there. An import may leave the extension out.
func (m *moving) found(dir, token string) string {
	path := filepath.Join(dir, filepath.FromSlash(token))
	if source.Exists(path) {
		return path
	}
	if !strings.HasPrefix(token, ".") {
		return ""
	}
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, l := range []string{path, stem} {
		for _, ext := range lang.Of(m.sources[0]).Extensions {
			if source.Exists(l + "." + ext) {
				return path
			}
		}
	}
	return ""
}
