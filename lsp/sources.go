package lsp

import (
	"path/filepath"
	"slices"
	"sync"

	"lspi/lang/dependencies"
	"lspi/source"
)

// reachOf is what a server may be shown to read: the workspace's folders, its own, and its dependencies.
func reachOf(s *Server, folders []string) *source.Reach {
	r := source.NewReach(append(slices.Clone(folders), s.folders...)...)
	if from := s.spec.Sources; from != nil {
		folders := []func() []string{sync.OnceValue(func() []string { return from.folders(s) })}
		if from.Local != 0 && len(s.spec.Untrusted) == 0 {
			project := *r
			folders = append(folders, dependencies.New(from.Local, s.Folders, &project).Folders)
		}
		r.Depend(func(base string) bool { return from.AnyName || s.spec.Serves(base) || from.hasExtension(base) }, folders...)
	}
	return r
}

func (f *Sources) hasExtension(base string) bool {
	return slices.ContainsFunc(f.Extensions, func(ext string) bool { return filepath.Ext(base) == "."+ext })
}
