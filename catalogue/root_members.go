package catalogue

import (
	"bytes"
	"path/filepath"
	"slices"

	"lspi/disk"
	"lspi/lang/cargo"
	"lspi/lang/golang"
	"lspi/source"
)

// The rules of [spec.MarkerGroup.Members]: whether the project of a marker file takes in the file at path.

// inGoWork: gopls loads the modules that a go.work uses; a file of another module below it gets a view of its own
// module, as if there were no go.work (gopls 0.23.0).
func inGoWork(files disk.Files, marker, path string) bool {
	top := filepath.Dir(marker)
	module := nearest(files, "go.mod", path, top)
	if module == "" {
		return true // no module between it and the go.work claims it
	}
	work, ok := golang.ParseWork(top, files.Read(marker))
	if !ok {
		return true // half-written: gopls loads nothing by it anyway, the root stays where it was
	}
	return slices.Contains(work.Uses, module)
}

// nearest is the folder closest to the file that has the entry, not above limit; "" when there is none.
func nearest(files disk.Files, name, path, limit string) string {
	for dir := filepath.Dir(path); source.Within(limit, dir); dir = filepath.Dir(dir) {
		if files.Has(dir, name) {
			return dir
		}
		if dir == limit {
			break
		}
	}
	return ""
}

// inCargoWorkspace: rust-analyzer answers for the workspace that takes in the crate of a file, as Cargo finds it.
func inCargoWorkspace(files disk.Files, marker, path string) bool {
	top, text := filepath.Dir(marker), files.Read(marker)
	m, err := cargo.Parse(top, text)
	if err != nil {
		return bytes.Contains(text, []byte("[workspace]")) // half-written: Cargo fails anyway, the root stays where it was
	}
	return m.Takes(top, nearest(files, "Cargo.toml", path, top))
}
