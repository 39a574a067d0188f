package lsp

import (
	"os"
	"path/filepath"
)

// indexFolder is a folder of lspi's cache for the index that the server keeps beside the project file of a root: it holds a
// link to that file, and the server is given it in place of the file's own folder (ProjectFile.Option). It is "" where there
// is nothing to index, no cache or no link; the index is then in the tree.
func (s *Spec) indexFolder(cache, root string) string {
	p := s.Project
	if cache == "" || p == nil || p.Index == "" || p.Option == "" {
		return ""
	}
	dir := p.find(root)
	if dir == "" {
		return ""
	}
	folder, err := outputFolder(filepath.Join(cache, s.ID), root)
	if err != nil {
		return ""
	}
	for _, name := range p.Files {
		file, link := filepath.Join(dir, name), filepath.Join(folder, name)
		if !Exists(file) {
			continue
		}
		if to, err := os.Readlink(link); err == nil && to == file {
			return folder
		}
		_ = os.Remove(link)
		if os.Symlink(file, link) == nil {
			return folder
		}
	}
	return ""
}

// indexFolders are where the server's index is: in the cache alone, else beside the project file or in the root.
func indexFolders(index string, tree ...string) []string {
	if index != "" {
		return []string{index}
	}
	return tree
}
