package spec

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Stopgap returns the file of a root that is enough for questions about one file; "" when there is none. found
// reports whether a glob in the root matches anything.
func (p *ProjectFile) Stopgap(found func(glob string) bool) string {
	if i := slices.IndexFunc(p.Single, found); i >= 0 {
		return p.Single[i]
	}
	return ""
}

// AnswersWithout reports whether the server answers about files without the project file, by what says how they are
// compiled or by a guess.
func (p *ProjectFile) AnswersWithout() bool { return len(p.Flags) > 0 }

// Lack says what a folder lacks and what follows from that, without a full stop.
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

// Paths returns where in a root the project file may be, as far as that is known without looking: globs are left out.
// A nil p has none.
func (p *ProjectFile) Paths(root string) []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, dir := range p.folders(root) {
		for _, name := range p.Files {
			if rel := filepath.Join(dir, name); !strings.ContainsAny(rel, "*?[{") {
				out = append(out, filepath.Join(root, rel))
			}
		}
	}
	return out
}

// folders are where the project file may be, relative to the root, or globs for that.
func (p *ProjectFile) folders(root string) []string {
	out := append([]string{"."}, p.Dirs...)
	if p.Named != nil {
		for _, dir := range p.Named(root) {
			out = append(out, source.GlobQuote(dir))
		}
	}
	return out
}

// Find returns the folder of the project file: the root, one of Dirs below it, or, with Above, one of the folders over
// it; "" when there is none.
func (p *ProjectFile) Find(root string) string {
	for hit := range p.All(root) {
		return filepath.Dir(hit)
	}
	return p.FindAbove(source.OS{}, root)
}

// All are the project files in a root and in Dirs below it, the one of Find first.
func (p *ProjectFile) All(root string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, dir := range p.folders(root) {
			for _, name := range p.Files {
				hits, _ := filepath.Glob(filepath.Join(source.GlobQuote(root), dir, name))
				for _, hit := range hits {
					if (p.Empty == nil || !p.Empty(hit)) && !yield(hit) {
						return
					}
				}
			}
		}
	}
}

// FindAbove returns the folder of the project file in the nearest folder over the root that has it, in itself or in one
// of Dirs that is no glob, where the server looks there by itself; else "".
func (p *ProjectFile) FindAbove(files source.Files, root string) string {
	for dir := filepath.Dir(root); p.Above; dir = filepath.Dir(dir) {
		for _, below := range append([]string{"."}, p.Dirs...) {
			if slices.ContainsFunc(p.Files, func(name string) bool {
				return !strings.Contains(below, "*") && files.Has(dir, filepath.Join(below, name)) &&
					(p.Empty == nil || !p.Empty(filepath.Join(dir, below, name)))
			}) {
				return filepath.Join(dir, below)
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// Missing returns the first program of the command that look does not find; "" when it finds all.
func (m *Generator) Missing(look func(program string) string) string {
	for _, program := range []string{firstProgram(m.Command), m.Program} {
		if program != "" && look(program) == "" {
			return program
		}
	}
	return ""
}

// firstProgram returns the program that a command line runs first; "" for a file of the project.
func firstProgram(command string) string {
	name, _, _ := strings.Cut(command, " ")
	if strings.ContainsAny(name, `/\`) {
		return ""
	}
	return name
}

// Generator returns the way to write the project file that fits a root; nil when none does. found reports whether a
// glob in the root matches anything.
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
