package move

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// cRule: a directive names a file by its path from the folder of the including file, where it is quoted, or from one of
// the folders that the compiler is given. clangd has no request for moves (22.1.8).
var cRule = rule{
	languages: []string{"c", "cpp", "objective-c", "objective-cpp", "cuda-cpp"},
	imports:   cIncludes,
	byBase:    true,
}

var cInclude = source.LazyRegexp(`(?m)^\x{FEFF}?[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(["<])([^">\n]+)[">]`)

// cIncludes is [rule].imports.
func cIncludes(ctx context.Context, m *moving, text *source.Text) (changes []splice.Change, left []splice.Place) {
	content := text.Content()
	for _, g := range cInclude.FindAllStringSubmatchIndex(content, -1) {
		if inComment(text, g[4]) {
			continue
		}
		name := content[g[4]:g[5]]
		now, ok := m.included(ctx, text, name, content[g[2]] == '"', g[4])
		switch {
		case !ok:
			left = append(left, at(text, g[4], strings.TrimSpace(content[g[0]:g[1]])))
		case now != name:
			changes = append(changes, splice.Replace(g[4], g[5], now))
		}
	}
	return changes, left
}

// included is how a file includes after the move what it includes by a name; ok is false where that is not known.
func (m *moving) included(ctx context.Context, text *source.Text, name string, quoted bool, offset int) (now string,
	ok bool) {
	dir := filepath.Dir(text.Path)
	after := filepath.Dir(m.after(text.Path))
	if beside := filepath.Join(dir, filepath.FromSlash(name)); quoted && source.Exists(beside) {
		rel, err := filepath.Rel(after, m.after(beside))
		if err != nil || filepath.Clean(filepath.FromSlash(name)) == rel {
			return name, err == nil
		}
		return filepath.ToSlash(rel), true
	}
	// From a folder of the compiler, whichever file includes it, unless the new folder has a file of that name.
	if quoted && after != dir && source.Exists(filepath.Join(after, filepath.FromSlash(name))) {
		return name, false
	}
	suffix := string(filepath.Separator) + filepath.Clean(filepath.FromSlash(name))
	if !slices.ContainsFunc(m.files, func(f string) bool { return strings.HasSuffix(f, suffix) }) {
		return name, true
	}
	to := m.leads(ctx, text, offset)
	switch {
	case to != "" && !m.moves(to):
		return name, true
	case !strings.HasSuffix(to, suffix):
		return name, false
	}
	base := strings.TrimSuffix(to, suffix)
	if m.moves(base) {
		return name, true
	}
	rel, inside := source.RelativeTo(base, m.after(to))
	return filepath.ToSlash(rel), inside
}

// databases are the places of compilation databases that name a file which moves: a build writes them, and has to run
// anew.
func (m *moving) databases() (out []splice.Place) {
	built := m.s.Hooks().FirstListed
	if built == nil {
		return nil
	}
	for dir := filepath.Dir(m.from); ; dir = filepath.Dir(dir) {
		for _, path := range built(dir, maxListed) {
			if m.moves(path) {
				return []splice.Place{{Path: filepath.Join(dir, "compile_commands.json"), Line: 1, Text: filepath.Base(path)}}
			}
		}
		if dir == m.c.Workspace.Root || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// maxListed bounds the sources of a compilation database that are looked at.
const maxListed = 100_000
