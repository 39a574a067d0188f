package gopls

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
)

// writtenByTool is [lsp.SymbolHooks].WrittenByTool: names that cgo makes are declared in files of the go command's cache
// (gopls 0.23.0).
func writtenByTool(path string) bool {
	return strings.HasSuffix(path, "-d") && strings.Contains(filepath.ToSlash(path), "/go-build/") ||
		strings.HasPrefix(filepath.Base(path), "_cgo_")
}

// usedIn is [lsp.CoverageHooks].UsedIn: C sources beside a Go source that exports the name to them (cmd/cgo, C references
// to Go).
func usedIn(path, name string) bool {
	if !slices.Contains([]string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".m", ".s", ".S"}, filepath.Ext(path)) {
		return false
	}
	dir := filepath.Dir(path)
	for _, base := range golang.FilesIn(dir) {
		text, err := source.Read(filepath.Join(dir, base))
		if err == nil && strings.Contains(text.Content()+"\n", "//export "+name+"\n") {
			return true
		}
	}
	return false
}
