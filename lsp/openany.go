package lsp

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/lang/compdb"
	"lspi/lsp/watch"
	"lspi/source"
)

// OpenAny opens some file of the project at a server that does not begin to index before it has one (clangd), for
// questions that belong to no file. Where the server needs no file, or has one open, it does nothing.
func (s *Server) OpenAny(ctx context.Context) error {
	if !s.spec.Readiness.OpenFirst || s.docs.count() > 0 {
		return nil
	}
	for _, path := range s.projectFiles() {
		if _, err := s.OpenDocument(ctx, path); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// projectFiles are a few files that belong to the project for certain: those that a compilation database names first
// (JSON Compilation Database Format), else the first in the tree that the server serves.
func (s *Server) projectFiles() []string {
	if p := s.spec.Project; p != nil {
		if dir := s.project.folder(p, s.root); dir != "" {
			if files := compdb.First(filepath.Join(dir, "compile_commands.json"), 3); len(files) > 0 {
				return files
			}
		}
	}
	return s.someFiles(s.root)
}

// SomeFile is a file that the server serves below a root; "" when there is none.
func (s *Server) SomeFile(root string) string {
	if files := s.someFiles(root); len(files) > 0 {
		return files[0]
	}
	return ""
}

// someFiles are up to three files that the server serves below a root. Where its row says what projects hold, those come
// first that are likely to be of one.
func (s *Server) someFiles(root string) []string {
	const few = 3
	j := s.journal
	if s.journalOf != nil {
		if of := s.journalOf(root); of != nil {
			j = of
		}
	}
	var out []string
	for path := range j.Files() {
		if _, ok := source.RelativeTo(root, path); ok && s.spec.Serves(baseName(path)) {
			if out = append(out, path); len(out) == few && !s.loadsByFile() {
				break
			}
		}
	}
	if a, ok := s.adapter.(SourceRanker); ok {
		out = a.Rank(out)
	}
	return out[:min(len(out), few)]
}

// IndexFolders are where the server's index of the project at a root is.
func (s *Server) IndexFolders(root string) []string {
	return indexFolders(s.index, s.ProjectFolder(root), root)
}

// follow makes the journal look at the signs of a project at dir, and remembers them.
func (s *Server) follow(j *watch.Journal, dir string) {
	signs := s.spec.Packages.paths(dir)
	j.Extra(signs...)
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	for _, path := range signs {
		if s.installs == nil {
			s.installs = map[string]bool{}
		}
		s.installs[path] = true
	}
}

// restartsOn reports whether only a new process sees the change of a file.
func (s *Server) restartsOn(path string) bool {
	if slices.Contains(s.spec.Freshness.RestartOn, baseName(path)) {
		return true
	}
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	return s.installs[path]
}

// Uninstalled is [Packages].Missing for the server's language; path is a file or a folder.
func (s *Server) Uninstalled(path string) (folder string, total int) {
	return s.spec.Packages.Missing(path)
}
