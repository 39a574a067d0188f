package tools

import (
	"path/filepath"
	"slices"

	"lspi/source"
)

// withoutGenerated forgets the files without a server in folders that are tagged as generated: Cargo writes
// target/debug/*.d, which are no sources in D. A tag in the workspace itself says nothing.
func (w *workspaceWalk) withoutGenerated(tags []string) {
	var folders []string
	for _, tag := range tags {
		if dir := filepath.Dir(tag); dir != w.c.env.Settings.Workspace && source.IsCacheTag(tag) {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 {
		return
	}
	for pattern, files := range w.lost {
		w.lost[pattern] = slices.DeleteFunc(files, func(path string) bool {
			return slices.ContainsFunc(folders, func(dir string) bool { _, in := source.RelativeTo(dir, path); return in })
		})
		if len(w.lost[pattern]) == 0 {
			delete(w.lost, pattern)
			delete(w.missing, pattern)
		}
	}
}
