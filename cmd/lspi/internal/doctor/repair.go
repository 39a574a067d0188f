package doctor

import (
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// Repair is a command that installs what is missing, with a program that is there. It changes the machine or the
// project, so that a person is asked before it runs.
type Repair struct {
	Command string `json:"command"`           // for a shell: sh, on Windows cmd
	Folder  string `json:"folder,omitempty"`  // where it runs, absolute; "" when that does not matter
	Project bool   `json:"project,omitempty"` // it runs what files of the project say: scripts of packages, a build
}

// Line is the command as a person would type it.
func (r *Repair) Line() string {
	if r.Folder == "" {
		return r.Command
	}
	return inFolder(r.Folder, r.Command)
}

// Repairs are the commands that install what the report misses, each once, in the order of the report: programs
// before what is made with them.
func (r *Report) Repairs() (out []Named) {
	add := func(what string, repair *Repair) {
		if repair != nil && !slices.ContainsFunc(out, func(n Named) bool { return *n.Repair == *repair }) {
			out = append(out, Named{what, repair})
		}
	}
	checks := func(subject string, all []Check) {
		for _, c := range all {
			add(strings.TrimPrefix(subject+": "+c.Message, ": "), c.Repair)
		}
	}
	for _, s := range r.Servers {
		if s.Needed {
			add(s.ID+" is not installed", s.Repair)
			checks(s.ID, s.Checks)
		}
	}
	checks("", r.Checks)
	return out
}

// Named is a repair with what is wrong.
type Named struct {
	What   string
	Repair *Repair
}

// repairBy is the best command that installs a server; nil when none runs here. Where lspi has pinned a version,
// that is its own way, for which it need not be on PATH: whoever runs a repair runs lspi itself.
func (e *examination) repairBy(s *spec.Spec) *Repair {
	system := e.system()
	system.Look = func(program string) string {
		if program == "lspi" {
			return program
		}
		return e.Machine.Look(program)
	}
	if commands := system.Commands(s.Install); len(commands) > 0 {
		return &Repair{Command: commands[0]}
	}
	return nil
}

// generatorRepair is the command of a generator, or the one that installs what it needs first; nil when none runs here.
func (e *examination) generatorRepair(m *spec.Generator, folder string) *Repair {
	if program := m.Missing(e.Machine.Look); program != "" {
		return e.programRepair(program)
	}
	if m.Command == "" {
		return nil
	}
	return &Repair{Command: m.Command, Folder: folder, Project: true}
}

// programRepair installs a program such as node; nil when no package manager for it is there.
func (e *examination) programRepair(program string) *Repair {
	if commands := e.system().Commands(packages[program]); len(commands) > 0 {
		return &Repair{Command: commands[0]}
	}
	return nil
}
