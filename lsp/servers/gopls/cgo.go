package gopls

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
)

// writtenByTool is [lsp.SymbolHooks].WrittenByTool: names that cgo makes are declared in files of the go command's
// cache (gopls 0.23.0).
func writtenByTool(path string) bool {
	return strings.HasSuffix(path, "-d") && strings.Contains(filepath.ToSlash(path), "/go-build/") ||
		strings.HasPrefix(filepath.Base(path), "_cgo_")
}

// usedIn is [lsp.CoverageHooks].UsedIn: what a Go source exports to C (cmd/cgo, C references to Go) is used by C code
// and by whatever else calls functions of a C library.
func (a *Process) usedIn(ctx context.Context, path, name string) bool {
	l, language := a.tree, lang.Of(path)
	if !slices.Contains([]string{".s", ".S"}, filepath.Ext(path)) &&
		(language.ID == "" || language.Optional || language.NoSymbols) {
		return false
	}
	release, ok := l.current(ctx)
	if !ok {
		return true
	}
	defer release()
	for _, names := range l.exported {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// exportedToC returns the names in the export directives of a source.
func exportedToC(text string) (out []string) {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "//export "); ok {
			out = append(out, strings.TrimSpace(name))
		}
	}
	return out
}
