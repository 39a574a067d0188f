package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

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
		for _, dir := range slices.Concat(replaced(folder), used(folder)) {
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

// replaced are the folders by which a go.mod replaces modules.
func replaced(folder string) (out []string) {
	raw, err := source.ReadBytes(filepath.Join(folder, "go.mod"))
	if err != nil {
		return nil
	}
	file, err := modfile.Parse("go.mod", raw, nil)
	if err != nil {
		return nil
	}
	return local(folder, file.Replace)
}

// used are the folders of the modules that a go.work joins, and those by which it replaces others.
func used(folder string) []string { return usedBy(filepath.Join(folder, "go.work")) }

func usedBy(work string) (out []string) {
	raw, err := source.ReadBytes(work)
	if err != nil {
		return nil
	}
	file, err := modfile.ParseWork("go.work", raw, nil)
	if err != nil {
		return nil
	}
	folder := filepath.Dir(work)
	for _, u := range file.Use {
		out = append(out, absolute(folder, u.Path))
	}
	return append(out, local(folder, file.Replace)...)
}

func local(folder string, all []*modfile.Replace) (out []string) {
	for _, r := range all {
		if modfile.IsDirectoryPath(r.New.Path) {
			out = append(out, absolute(folder, r.New.Path))
		}
	}
	return out
}

func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

// followBeyond follows those folders from now on.
func (s *Server) followBeyond(ctx context.Context) error {
	dirs := s.beyond()
	if len(dirs) == 0 {
		return nil
	}
	release, err := s.take(ctx)
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
