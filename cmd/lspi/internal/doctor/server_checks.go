package doctor

import (
	"context"
	"fmt"
	"go/version"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"lspi/lsp/spec"
)

// serverCheck looks for one known reason why a running server gives less than it could.
type serverCheck struct {
	languages []string // LSP identifiers; nil for all
	check     func(context.Context, *examination, *spec.Spec, *Server) []Check
}

// serverChecks run after a server was probed.
var serverChecks = []serverCheck{
	{nil, projectFile},
	{nil, dependencies},
	{nil, unresolvedImports},
	{nil, linkedProjects},
	{[]string{"go"}, goToolchain},
	{[]string{"rust"}, rustSources},
	{[]string{"python"}, pythonEnvironment},
}

// projectFile reports a missing project file, without which the server sees only single files.
func projectFile(_ context.Context, e *examination, spec *spec.Spec, s *Server) []Check {
	p := spec.Project
	if p == nil || s.State != Works || !s.lacksProject {
		return nil
	}
	found := func(glob string) bool { return len(e.Machine.Glob(filepath.Join(s.Root, glob))) > 0 }
	c := Check{Name: p.Warning, Level: Problem, Message: p.Lack(s.Root, found), Fix: []string{p.Hint}}
	m := p.Generator(found)
	if m != nil {
		c.Fix, c.Repair = e.generatorFix(m), e.generatorRepair(m, s.Root)
	}
	switch {
	case p.Stopgap(found) != "":
		c.Level = Warning // the user has chosen a stopgap
	case p.Enough != "" && (m == nil || m.Command == ""):
		c.Fix = append(c.Fix, p.Enough)
	}
	return []Check{c}
}

// generatorFix returns the steps that generate a project file or install dependencies.
func (e *examination) generatorFix(m *spec.Generator) []string {
	var out []string
	if program := m.Missing(e.Machine.Look); program != "" {
		out = e.install(program)
	}
	if m.Note != "" {
		out = append(out, m.Note)
	}
	if m.Command != "" {
		out = append(out, m.Command)
	}
	return out
}

// goToolchain checks what gopls needs: it loads everything through the go command, and refuses modules for a newer Go
// than it was built with.
func goToolchain(ctx context.Context, e *examination, _ *spec.Spec, s *Server) []Check {
	if e.Machine.Look("go") == "" {
		return []Check{{Name: "go_missing", Level: Problem, Fix: e.install("go"),
			Message: s.ID + " loads packages with the go command, which is not on PATH"}}
	}
	text, err := e.Machine.Read(filepath.Join(s.Root, "go.mod"))
	if err != nil {
		return nil
	}
	mod, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil || mod.Go == nil {
		return nil
	}
	wants, built := "go"+mod.Go.Version, e.Machine.GoVersion(e.Machine.Real(s.Command))
	if built == "" || version.Compare(version.Lang(wants), version.Lang(built)) <= 0 {
		return nil
	}
	return []Check{{Name: "go_version", Level: Warning, Fix: []string{"go install golang.org/x/tools/gopls@latest"},
		Message: fmt.Sprintf("go.mod asks for %s, and this %s was built with %s", wants, s.ID, built)}}
}

// rustSources checks what rust-analyzer needs: cargo and rustc, and the sources of the standard library, without which
// it cannot follow anything into that library.
func rustSources(ctx context.Context, e *examination, _ *spec.Spec, s *Server) []Check {
	if e.Machine.Look("cargo") == "" || e.Machine.Look("rustc") == "" {
		return []Check{{Name: "cargo_missing", Level: Problem, Fix: e.install("rustc"),
			Message: s.ID + " loads crates with cargo and rustc, which are not on PATH"}}
	}
	if dir := e.Machine.Getenv("RUST_SRC_PATH"); dir != "" && e.Machine.Exists(dir) {
		return nil
	}
	o := e.Machine.Run(ctx, s.Root, "rustc", "--print", "sysroot")
	sysroot := strings.TrimSpace(o.Stdout)
	if o.Err != nil || sysroot == "" ||
		e.Machine.Exists(filepath.Join(sysroot, "lib", "rustlib", "src", "rust", "library")) {
		return nil
	}
	return []Check{{Name: "no_rust_src", Level: Note, Fix: []string{"rustup component add rust-src"},
		Message: "the toolchain has no rust-src, so rust-analyzer cannot follow the standard library; if rustup is there, " +
			"rust-analyzer installs rust-src when it starts, which needs the network"}}
}

// pythonEnvironment reports a virtual environment that is active and gone.
func pythonEnvironment(_ context.Context, e *examination, _ *spec.Spec, _ *Server) []Check {
	active := e.Machine.Getenv("VIRTUAL_ENV")
	if active == "" || e.Machine.Exists(active) {
		return nil
	}
	return []Check{{Name: "python_environment", Level: Warning, Fix: []string{"unset VIRTUAL_ENV"},
		Message: "VIRTUAL_ENV names " + active + ", which is not there"}}
}
