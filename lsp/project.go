package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/disk"
	"lspi/lsp/watch"
)

// projects remembers which roots have their project file: to look costs a dozen system calls, and every question asks.
type projects struct {
	mu    sync.Mutex
	known map[string]string // root → the folder of its project file, "" when it has none; guarded by mu
}

// MissingProject is the project file that the server needs and a root does not have; nil when all is there. A server
// that is shared between roots is asked for the root in question.
func (s *Server) MissingProject(root string) *ProjectFile {
	p := s.spec.Project
	if p == nil || s.project.folder(p, root) != "" {
		return nil
	}
	return p
}

// MissingForOne is [Server.MissingProject] for a question about single files.
func (s *Server) MissingForOne(root string) *ProjectFile {
	p := s.MissingProject(root)
	if p == nil || p.Stopgap(Holds(root)) != "" {
		return nil
	}
	return p
}

// Stopgap is the file of a root that is enough for questions about one file; "" when it holds none. found tells whether a
// glob in the root matches anything.
func (p *ProjectFile) Stopgap(found func(glob string) bool) string {
	if i := slices.IndexFunc(p.Single, found); i >= 0 {
		return p.Single[i]
	}
	return ""
}

// Lack says what a folder does not have and what follows from it, without a full stop.
func (p *ProjectFile) Lack(folder string, found func(glob string) bool) string {
	missing := strings.Join(p.Files, " or ")
	if has := p.Stopgap(found); has != "" {
		return fmt.Sprintf("%s has %s, which is enough for questions about one file, but no %s: other files are not indexed, "+
			"so answers across files are incomplete", folder, has, missing)
	}
	return fmt.Sprintf("%s has no %s, so answers across files are incomplete", folder, missing)
}

func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (k *projects) folder(p *ProjectFile, root string) string {
	k.mu.Lock()
	dir, ok := k.known[root]
	k.mu.Unlock()
	if ok {
		return dir
	}
	dir = p.find(root)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]string{}
	}
	k.known[root] = dir
	return dir
}

// ProjectFolder is the folder with the project file of a root; "" when there is none, or the server needs none.
func (s *Server) ProjectFolder(root string) string {
	if s.spec.Project == nil {
		return ""
	}
	return s.project.folder(s.spec.Project, root)
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

// projectCame reports whether a root has a project file now that it did not have, and that only a new process reads. The
// folder in which it appears may be one that the journal leaves out.
func (s *Server) projectCame() bool {
	p := s.spec.Project
	if p == nil || len(p.Dirs) == 0 {
		return false // the journal sees it
	}
	for _, root := range s.project.without() {
		if p.find(root) != "" {
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

// Names reports whether a base name is that of a project file.
func (p *ProjectFile) Names(base string) bool {
	return slices.ContainsFunc(p.Files, func(f string) bool { return Match(filepath.Base(f), base) })
}

// paths are the places in a root where the project file may be that can be named without looking: not those in globs.
// A nil p has none.
func (p *ProjectFile) Paths(root string) []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, dir := range append([]string{"."}, p.Dirs...) {
		for _, name := range p.Files {
			if rel := filepath.Join(dir, name); !strings.ContainsAny(rel, "*?[{") {
				out = append(out, filepath.Join(root, rel))
			}
		}
	}
	return out
}

// find is the folder of the project file: the root or one of Dirs below it; "" when there is none.
func (p *ProjectFile) find(root string) string {
	for _, dir := range append([]string{"."}, p.Dirs...) {
		for _, name := range p.Files {
			hits, _ := filepath.Glob(filepath.Join(disk.GlobQuote(root), dir, name))
			if len(hits) > 0 {
				return filepath.Dir(hits[0])
			}
		}
	}
	return ""
}

// Missing is the first program of the command that is not there by look; "" when all are.
func (m *Maker) Missing(look func(program string) string) string {
	for _, program := range []string{firstProgram(m.Command), m.Program} {
		if program != "" && look(program) == "" {
			return program
		}
	}
	return ""
}

// firstProgram is what a command line runs first; "" for a file of the project.
func firstProgram(command string) string {
	name, _, _ := strings.Cut(command, " ")
	if strings.ContainsAny(name, `/\`) {
		return ""
	}
	return name
}

// Maker is the way that fits a root; nil when none does. found tells whether a glob in the root matches anything.
func (p *ProjectFile) Maker(found func(glob string) bool) *Maker { return fitting(p.Makers, found) }

func fitting(makers []Maker, found func(glob string) bool) *Maker {
	for i, m := range makers {
		if len(m.Marks) == 0 || slices.ContainsFunc(m.Marks, found) {
			return &makers[i]
		}
	}
	return nil
}

// Holds tells whether a glob of base names matches anything in a folder.
func Holds(folder string) func(glob string) bool {
	names, _ := os.ReadDir(folder)
	return func(glob string) bool {
		return slices.ContainsFunc(names, func(e os.DirEntry) bool { return Match(glob, e.Name()) })
	}
}
