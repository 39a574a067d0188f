package tools

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"lspi/source"
)

// A folder that carries this tag holds what a program made and can make again (Cache Directory Tagging Specification
// 0.6): Cargo's target, pytest's cache.
const (
	cacheTag          = "CACHEDIR.TAG"
	cacheTagSignature = "Signature: 8a477f597d28d172789f06886806bc55"
)

// withoutGenerated forgets the files without a server in folders that are tagged as generated: Cargo writes
// target/debug/*.d, which are no sources in D. A tag in the workspace itself says nothing.
func (w *workspaceWalk) withoutGenerated(tags []string) {
	var folders []string
	for _, tag := range tags {
		if dir := filepath.Dir(tag); dir != w.c.env.Settings.Workspace && isCacheTag(tag) {
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

// isCacheTag reports whether a file begins as the specification demands.
func isCacheTag(path string) bool {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(cacheTagSignature))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == cacheTagSignature
}
