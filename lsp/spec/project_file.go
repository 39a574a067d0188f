package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Stopgap is the file of a root that is enough for questions about one file; "" when it holds none. found tells
// whether a glob in the root matches anything.
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
		return fmt.Sprintf(
			"%s has %s, which is enough for questions about one file, but no %s: other files are not indexed, "+
				"so answers across files are incomplete", folder, has, missing)
	}
	return fmt.Sprintf("%s has no %s, so answers across files are incomplete", folder, missing)
}

// Names reports whether a base name is that of a project file.
func (p *ProjectFile) Names(base string) bool {
	return slices.ContainsFunc(p.Files, func(f string) bool { return source.Match(filepath.Base(f), base) })
}

// Paths are the places in a root where the project file may be that can be named without looking: not those in globs.
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

// Find is the folder of the project file: the root or one of Dirs below it; "" when there is none.
func (p *ProjectFile) Find(root string) string {
	for _, dir := range append([]string{"."}, p.Dirs...) {
		for _, name := range p.Files {
			hits, _ := filepath.Glob(filepath.Join(source.GlobQuote(root), dir, name))
			if len(hits) > 0 {
				return filepath.Dir(hits[0])
			}
		}
	}
	return ""
}

// Missing is the first program of the command that is not there by look; "" when all are.
func (m *Generator) Missing(look func(program string) string) string {
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

// Generator is the way that fits a root; nil when none does. found tells whether a glob in the root matches anything.
func (p *ProjectFile) Generator(found func(glob string) bool) *Generator {
	return fitting(p.Generators, found)
}

func fitting(generators []Generator, found func(glob string) bool) *Generator {
	for i, m := range generators {
		if len(m.Marks) == 0 || slices.ContainsFunc(m.Marks, found) {
			return &generators[i]
		}
	}
	return nil
}
