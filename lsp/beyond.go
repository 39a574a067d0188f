package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"lspi/lang/golang"
	"lspi/lsp/watch"
	"lspi/source"
)

// maxBeyond bounds the folders outside of the workspace that are followed for one server.
const maxBeyond = 16

// beyond are the folders that the project files of the server's folders name as parts of the project
// ([Freshness].Modules), and that lie outside of every tree that is followed.
func (s *Server) beyond() (out []string) {
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	if !s.spec.Freshness.Modules || s.journalBeyond == nil || s.outerKnown {
		return nil
	}
	s.outerKnown = true
	for _, folder := range s.folders {
		for _, dir := range slices.Concat(golang.ReplacedFolders(folder), golang.WorkFolders(filepath.Join(folder, "go.work"))) {
			apart := !slices.ContainsFunc(s.tracked, func(t *tracked) bool {
				_, inside := source.RelativeTo(t.journal.Root(), dir)
				_, around := source.RelativeTo(dir, t.journal.Root())
				return inside || around
			})
			if info, err := os.Stat(dir); apart && err == nil && info.IsDir() && !slices.Contains(out, dir) && len(out) < maxBeyond {
				out = append(out, dir)
			}
		}
	}
	return out
}

// followBeyond follows those folders from now on.
func (s *Server) followBeyond(ctx context.Context) error {
	dirs := s.beyond()
	if len(dirs) == 0 {
		return nil
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, dir := range dirs {
		j := s.journalBeyond(dir)
		mark, err := j.Barrier(ctx)
		if err != nil {
			return s.interrupted(ctx, "following "+dir, err)
		}
		s.foldersMu.Lock()
		if !slices.ContainsFunc(s.tracked, func(t *tracked) bool { return t.journal == j }) {
			s.tracked = append(s.tracked, &tracked{j, mark})
		}
		s.foldersMu.Unlock()
	}
	return nil
}

// modulesChanged has the folders found anew when a file that names them is among the changes.
func (s *Server) modulesChanged(changes []watch.Change) {
	if !slices.ContainsFunc(changes, func(c watch.Change) bool { b := baseName(c.Path); return b == "go.mod" || b == "go.work" }) {
		return
	}
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	s.outerKnown = false
}
