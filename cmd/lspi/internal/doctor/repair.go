package doctor

import (
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// Repair is a command that installs what is missing and can run on this machine. It changes the machine or the project,
// so a person is asked before it runs.
type Repair struct {
	Command string `json:"command"`           // for a shell: sh, on Windows cmd
	Folder  string `json:"folder,omitempty"`  // where it runs, absolute; "" when that does not matter
	Project bool   `json:"project,omitempty"` // it runs what files of the project say: scripts of packages, a build
}

// Line returns the command as a person would type it.
func (r *Repair) Line() string {
	if r.Folder == "" {
		return r.Command
	}
	return inFolder(r.Folder, r.Command)
}

// Repairs returns the commands that install what the report finds missing, each once, in the order of the report:
// programs come before what they generate.
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

// repairBy returns the best command that installs a server; nil when none can run here. For a pinned server that is
// lspi servers install; lspi need not be on PATH for it, because lspi itself runs the repair.
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

// generatorRepair returns the command of a generator, or the one that installs a program that it needs; nil when none
// can run here.
func (e *examination) generatorRepair(m *spec.Generator, folder string) *Repair {
	if program := m.Missing(e.Machine.Look); program != "" {
		return e.programRepair(program)
	}
	if m.Command == "" {
		return nil
	}
	return &Repair{Command: m.Command, Folder: folder, Project: true}
}

// programRepair returns the command that installs a program such as node; nil without a package manager that has it.
func (e *examination) programRepair(program string) *Repair {
	if commands := e.system().Commands(packages[program]); len(commands) > 0 {
		return &Repair{Command: commands[0]}
	}
	return nil
}
