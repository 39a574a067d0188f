package gopls

import (
	"os"
	"path/filepath"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/lsp"
)

// nothingCalls is [lsp.CoverageHooks].NothingCalls. Half of the callers of a function are tests and programs, which
// nothing calls: gopls 0.23 type-checks the package of each to find that out, 30 ms and more unless a file of it is
// open. A use has to name the function, and of one that is local to its folder the uses are there.
func (a *Process) nothingCalls(item lsp.HierarchyItem) bool {
	path, name, docs := item.Place.Path, item.Name, a.Server.Documents()
	text, err := docs.Text(path)
	if err != nil || !golang.LocalFunction(path, text.Content(), name, item.Place.Range.Start.Line) {
		return false
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || e.IsDir() {
			continue
		}
		text, err := docs.Text(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil || golang.Uses(text.Content(), name) {
			return false
		}
	}
	return true
}
