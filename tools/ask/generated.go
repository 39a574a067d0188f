package ask

import (
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// withoutGenerated forgets the unserved files in folders that are tagged as generated. Cargo writes
// target/debug/*.d, which are no sources in D and no reason to say that a server for D is missing. A
// tag in the workspace's own folder counts for nothing, since all files would be generated then. Files
// that have a server are left to it.
func (w *WorkspaceWalk) withoutGenerated(tags []string) {
	var folders []string
	for _, tag := range tags {
		// CACHEDIR.TAG is a convention of tools that write folders anew at will; its signature is looked at, and
		// not its name alone.
		if dir := filepath.Dir(tag); dir != w.c.Workspace.Root && source.IsCacheTag(tag) {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 {
		return
	}
	for pattern, files := range w.Unserved {
		w.Unserved[pattern] = slices.DeleteFunc(files, func(path string) bool {
			return slices.ContainsFunc(folders, func(dir string) bool {
				_, in := source.RelativeTo(dir, path)
				return in
			})
		})
		if len(w.Unserved[pattern]) == 0 {
			delete(w.Unserved, pattern)
			delete(w.Missing, pattern)
		}
	}
}
