package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"lspi/disk"
	"lspi/lang/compdb"
	"lspi/lsp/spec"
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
	signs := s.spec.Packages.SignPaths(dir)
	j.Extra(signs...)
	if a, ok := s.adapter.(FileFollower); ok {
		for _, path := range a.RestartFiles(dir) {
			if _, inside := source.RelativeTo(j.Root(), path); !inside {
				j.Extra(path)
			}
			signs = append(signs, path)
		}
	}
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

// Uninstalled is [spec.Packages].Missing for the server's language; path is a file or a folder.
func (s *Server) Uninstalled(path string) (folder string, total int) {
	return s.spec.Packages.Missing(path)
}

// MissingProject is the project file that the server needs and a root does not have; nil when all is there. A server
// that is shared between roots is asked for the root in question.
func (s *Server) MissingProject(root string) *spec.ProjectFile {
	p := s.spec.Project
	if p == nil || s.project.folder(p, root) != "" {
		return nil
	}
	return p
}

// MissingForOne is [Server.MissingProject] for a question about single files.
func (s *Server) MissingForOne(root string) *spec.ProjectFile {
	p := s.MissingProject(root)
	if p == nil || p.Stopgap(disk.Holds(root)) != "" {
		return nil
	}
	return p
}

// ProjectFolder is the folder with the project file of a root; "" when there is none, or the server needs none.
func (s *Server) ProjectFolder(root string) string {
	if s.spec.Project == nil {
		return ""
	}
	return s.project.folder(s.spec.Project, root)
}

// projectCame reports whether a root has a project file now that it did not have, and that only a new process reads. The
// folder in which it appears may be one that the journal leaves out.
func (s *Server) projectCame() bool {
	p := s.spec.Project
	if p == nil || len(p.Dirs) == 0 {
		return false // the journal sees it
	}
	for _, root := range s.project.without() {
		if p.Find(root) != "" {
			s.project.forget()
			return len(s.spec.Freshness.RestartOn) > 0
		}
	}
	return false
}

// projectChanged forgets what is known of project files when one of them is among the changes.
func (s *Server) projectChanged(changes []watch.Change) {
	p := s.spec.Project
	if p != nil && slices.ContainsFunc(changes, func(c watch.Change) bool { return p.Names(baseName(c.Path)) }) {
		s.project.forget()
	}
}

// ListChanged reports whether the file that lists the sources of the project is another one than when the server was
// started, so that its answers may be of a part of them: only a new process is certain to read it. What is said of an answer
// by this file (which sources it leaves out, that it cannot be read) holds only when this is false after the answer.
func (s *Server) ListChanged() bool {
	return s.list != nil && s.list.changed(listedSources(s.spec, s.root))
}

// projects remembers which roots have their project file: to look costs a dozen system calls, and every question asks.
type projects struct {
	mu    sync.Mutex
	known map[string]string // root → the folder of its project file, "" when it has none; guarded by mu
}

func (k *projects) folder(p *spec.ProjectFile, root string) string {
	k.mu.Lock()
	dir, ok := k.known[root]
	k.mu.Unlock()
	if ok {
		return dir
	}
	dir = p.Find(root)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]string{}
	}
	k.known[root] = dir
	return dir
}

// without lists the roots that had no project file when they were looked at.
func (k *projects) without() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for root, dir := range k.known {
		if dir == "" {
			out = append(out, root)
		}
	}
	return out
}

func (k *projects) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.known)
}
