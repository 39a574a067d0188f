package lsp

import (
	"context"

	"lspi/internal/lang"
)

// OtherProject is a project besides the one that was asked about, with its sources that may use what that one has.
type OtherProject struct {
	Folder string   // of its project file
	Files  []string // absolute, sorted
}

// LoadedProjectHooks are for a server that answers for the projects that it has loaded, and loads that of each opened
// file. Each is the function of the same name below. All are there.
type LoadedProjectHooks struct {
	// InOneProject reports whether a request (an LSP method) is answered for the project of the file alone,
	// whatever else is loaded.
	InOneProject func(method string) bool
	Others       func(ctx context.Context, asked string, may func(path string, m *lang.Mentions) bool) (
		others []OtherProject, all bool)
	Importing     func(ctx context.Context, file string) (others []OtherProject, all bool)
	Load          func(ctx context.Context, others []OtherProject) (fresh bool, err error)
	Unread        func(ctx context.Context, others []OtherProject) []Uncovered
	Members       func(ctx context.Context, path string) (files []string, sure bool, err error)
	WithoutOutput func(ctx context.Context, asked string, files []string) []string
	ReadsBuilt    func(ctx context.Context, path, source string) string
}

// InOneProject reports whether a server of several projects answers a request (an LSP method) for the project of
// the file alone, whatever else is loaded.
func InOneProject(s *Server, method string) bool {
	p := s.hooks.Projects
	return p != nil && p.InOneProject(method)
}

// OtherProjects are those of the tree with sources that come, by what they import, to the project of asked, and for
// which may holds; those with the most sources first. Of an asked file that no project file stands above there are
// none. all is false when ctx ended before every source was looked at.
func OtherProjects(ctx context.Context, s *Server, asked string, may func(path string, m *lang.Mentions) bool) (
	others []OtherProject, all bool) {
	if p := s.hooks.Projects; p != nil {
		return p.Others(ctx, asked, may)
	}
	return nil, true
}

// ProjectsImporting are those of the tree with sources that come to a file, as [OtherProjects] has them.
func ProjectsImporting(ctx context.Context, s *Server, file string) (others []OtherProject, all bool) {
	if p := s.hooks.Projects; p != nil {
		return p.Importing(ctx, file)
	}
	return nil, true
}

// LoadProjects makes the server load projects, by a file of each that stays open. fresh reports whether it had not
// loaded one of them before.
func LoadProjects(ctx context.Context, s *Server, others []OtherProject) (fresh bool, err error) {
	if p := s.hooks.Projects; p != nil && len(others) > 0 {
		return p.Load(ctx, others)
	}
	return false, nil
}

// Unread are those of the sources of other projects in which an answer may lack uses: those of projects that are not
// loaded ([OfOtherProject]), and those that no project takes in ([OutsideBuild]).
func Unread(ctx context.Context, s *Server, others []OtherProject) []Uncovered {
	if p := s.hooks.Projects; p != nil && len(others) > 0 {
		return p.Unread(ctx, others)
	}
	return nil
}

// Members are files of the projects that the project file closest to a path, or in it, stands for, one of each, and the
// path itself when it is a source that none holds. sure is false when there may be more. Nil and true where there is no
// project file, or the server does not keep to one project.
func Members(ctx context.Context, s *Server, path string) (files []string, sure bool, err error) {
	if p := s.hooks.Projects; p != nil {
		return p.Members(ctx, path)
	}
	return nil, true, nil
}

// WithoutOutput leaves out of files what a build made of the sources of a project, for a question about one of
// these sources.
func WithoutOutput(ctx context.Context, s *Server, asked string, files []string) []string {
	if p := s.hooks.Projects; p != nil {
		return p.WithoutOutput(ctx, asked, files)
	}
	return files
}

// ReadsBuilt is what a build made of a source, where the project of a file reads that in place of the source: the
// server checks the file against it, whatever an edit does to the source. "" where the project reads the source.
func ReadsBuilt(ctx context.Context, s *Server, path, source string) string {
	if p := s.hooks.Projects; p != nil {
		return p.ReadsBuilt(ctx, path, source)
	}
	return ""
}

// Broken is the project file of a root that the server cannot read, with its words; path is "" when there is none,
// or the server does not tell.
func Broken(s *Server, root string) (path, words string) {
	if f := s.hooks.BrokenBy; f != nil {
		return f(root)
	}
	return "", ""
}
