package servers

import (
	"path/filepath"
	"slices"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
)

// The rules of [spec.MarkerGroup.Members]: whether the project of a marker file takes in the file at path.

// inGoWork: gopls loads the modules that a go.work uses; a file of another module below it gets a view of its own
// module, as if there were no go.work (gopls 0.23.0).
func inGoWork(files source.Files, marker, path string) bool {
	top := filepath.Dir(marker)
	module := source.Nearest(files, "go.mod", path, top)
	if module == "" {
		return true // no module between it and the go.work claims it
	}
	work, ok := golang.ParseWork(top, files.Read(marker))
	if !ok {
		return true // half-written: gopls loads nothing by it anyway, the root stays where it was
	}
	return slices.Contains(work.Uses, module)
}
