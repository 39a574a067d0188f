package lsp

import (
	"path/filepath"
	"slices"
	"sync"

	"lspi/lang/dependencies"
	"lspi/source"
)

// Sources says where the sources lie that the server answers about besides the project: dependencies, the standard library. Only
// these, and what is in the workspace, are read and shown; a server that was led elsewhere (a declaration map, an #include, a path
// in a build file of a workspace that is not trusted) gives away a path and a line, and no text. Nothing here runs code of the project.
type Sources struct {
	Folders []string // absolute, or below the user's home as "~/go/pkg/mod"; globs
	// Variables of the server's environment hold such folders, as PATH does; behind a slash stands what is below them that counts:
	// "CARGO_HOME/registry/src".
	Variables []string
	// Ask are command lines that print such folders, one a line; what is no folder is passed over. They run in the root of the
	// file system, so that no project decides.
	Ask [][]string
	// Program are globs below the folder of the server's executable: "../lib/clang/*/include".
	Program []string
	// Upward are names of folders of packages, in which the program itself lies or which stand above the project:
	// "node_modules".
	Upward []string
	// AnyName: the files there count by any name, and not by the server's extensions alone (<vector> of C++).
	AnyName bool
	// Extensions count there besides those that the server serves.
	Extensions []string
	// Local says by which files a trusted project names folders beside it; 0 where none do.
	Local dependencies.Rule
}

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
