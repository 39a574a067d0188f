package catalogue

import (
	"bytes"
	"path/filepath"
	"slices"

	"lspi/disk"
	"lspi/lang"
	"lspi/lang/golang"
)

// The rules of [lsp.MarkerGroup.Members]: whether the project of a marker file takes in the file at path.

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
	for dir := filepath.Dir(path); holds(limit, dir); dir = filepath.Dir(dir) {
		if files.Has(dir, name) {
			return dir
		}
		if dir == limit {
			break
		}
	}
	return ""
}

type cargoManifest struct {
	Workspace *struct {
		Members []string `toml:"members"`
		Exclude []string `toml:"exclude"`
	} `toml:"workspace"`
}

// inCargoWorkspace follows Cargo's search: a manifest is a workspace's root for a package unless it excludes it, and
// exclusion counts by path prefix, except below an explicit member
// (https://doc.rust-lang.org/cargo/reference/workspaces.html#the-members-and-exclude-fields).
func inCargoWorkspace(files disk.Files, marker, path string) bool {
	text := files.Read(marker)
	var m cargoManifest
	if _, err := lang.DecodeTOML(string(text), &m); err != nil {
		return bytes.Contains(text, []byte("[workspace]")) // half-written: Cargo fails anyway, the root stays where it was
	}
	if m.Workspace == nil {
		return false
	}
	top := filepath.Dir(marker)
	crate := nearest(files, "Cargo.toml", path, top)
	below := func(dirs []string) bool {
		for _, d := range dirs {
			if holds(filepath.Join(top, filepath.FromSlash(d)), crate) {
				return true
			}
		}
		return false
	}
	return crate == top || below(m.Workspace.Members) || !below(m.Workspace.Exclude)
}
