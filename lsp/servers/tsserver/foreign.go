package tsserver

import (
	"context"
	"regexp"

	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
)

// foreign is [lsp.CoverageHooks].Foreign: the name is imported from a package that is none of the tree.
func (a *Process) foreign(ctx context.Context, text *source.Text, offset int, _ lsp.Place) bool {
	content := text.Content()
	from, to, ok := source.WordAround(content, offset)
	if !ok {
		return false
	}
	name := regexp.QuoteMeta(content[from:to])
	imports := regexp.MustCompile(`\bimport\b[^;'"]*[^\w$]` + name + `[^\w$][^;'"]*\bfrom\s*['"]([^'"]+)['"]|` +
		`[^\w$]` + name + `(?:[^\w$][^;'"()]*)?=\s*require\(\s*['"]([^'"]+)['"]`)
	m := imports.FindStringSubmatch(content)
	if m == nil {
		return false
	}
	module := m[1] + m[2]
	if typescript.IsPath(module) {
		return false
	}
	t := a.projects
	release, ok := t.take(ctx, a.Server)
	if !ok {
		return false
	}
	defer release()
	return !t.means(module)
}
