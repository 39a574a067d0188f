package lsp

import (
	"os"
	"slices"
	"strings"
)

// Maker is a way to have written or installed what a project needs.
type Maker struct {
	Marks   []string // globs in the root; any of them tells that this way fits; nil fits always
	Command string   // to run in the root; "" where it takes more than a command
	Note    string   // what to do, where a command alone does not say it
	Program string   // that the command runs and that may have to be installed first; "" when it is there wherever the mark is
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
