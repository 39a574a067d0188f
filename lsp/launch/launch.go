package launch

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// Target is what has to be started.
type Target struct {
	Spec  *spec.Spec
	Root  string       // absolute
	Cache string       // lspi's cache of this user, absolute; "" when there is none
	Log   *slog.Logger // not nil
	// Separate: another process of the server may run for the root, so nothing that that one uses may be changed.
	Separate bool
	Sparing  bool // by [spec.Spec].Sparing
}

// Plan is how the processes of a server are started for one root.
type Plan struct {
	Target
	Candidates  []Candidate    // the executables to try, in this order; at least one
	Tried       []string       // what was looked for in vain
	Options     map[string]any // initializationOptions (LSP, initialize)
	Settings    map[string]any // answers to workspace/configuration
	Environment []string       // of the process, as os.Environ has it
	// ProjectFolder is told to the server instead of the folder of the project file ([spec.ProjectFile].Option); ""
	// for that folder.
	ProjectFolder string
	// Lacks is a further program that the server needs and that was not found, so that the server is not started; ""
	// when nothing is missing.
	Lacks string

	held []*os.File // locks of folders that only this process uses
}

// Prepare finds the programs of a server and decides with which environment, options and settings they run. Its
// errors are server_not_installed or command_not_found, with everything that was tried, and restricted, when the
// server may not be started because the workspace is not trusted. The caller has to release the plan.
func Prepare(ctx context.Context, t Target) (plan *Plan, err error) {
	s, p := t.Spec, &Plan{Target: t}
	defer func() {
		if err != nil {
			p.Release()
		}
	}()
	p.Candidates, p.Tried = findCandidates(ctx, s)
	if len(p.Candidates) == 0 {
		if err := process.CanSpawn(); err != nil { // a Resolve line may have failed for that
			return nil, Failed(s, p.Tried, nil, err)
		}
		return nil, notInstalled(s, p.Tried)
	}
	if p.Options, err = restrict(s, t.Root, p.Candidates); err != nil {
		return nil, err
	}
	p.Settings = s.PackageSettings(s.Settings, t.Root, func(path string) bool { return distrusts(s, path) })
	p.Environment = Environment(s)
	if s.Sparing != nil && t.Sparing {
		p.spare(s.Sparing)
	}
	if err := p.placeOutputs(); err != nil {
		t.Log.Warn("a server writes into the project", "server_id", s.ID, "error", err)
	}
	file, folder := userFile(t)
	env, err := placeUserFile(file, folder, p.Environment)
	switch {
	case err == nil:
		p.Environment = env
	case len(s.Untrusted) > 0:
		return nil, refuses(s, err.Error())
	default: // the process does more than it needs to, but works
		t.Log.Warn("a process for trials gets no configuration of its own", "server_id", s.ID, "error", err)
	}
	return p, nil
}

// spare makes the processes do with less memory.
func (p *Plan) spare(by *spec.Sparing) {
	for name, value := range by.Sets {
		if !slices.ContainsFunc(p.Environment, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			p.Environment = append(p.Environment, name+"="+value)
		}
	}
	for name, value := range by.Options {
		p.Options = spec.Default(p.Options, strings.Split(name, "."), value)
	}
	for name, value := range by.Settings {
		p.Settings = spec.Default(p.Settings, strings.Split(name, "."), value)
	}
}

// Lacking returns the error of a plan with [Plan].Lacks; nil for any other.
func (p *Plan) Lacking() error {
	if p.Lacks == "" {
		return nil
	}
	return contract.Errorf(contract.KindServerNotInstalled,
		installFacts(p.Spec, contract.Facts{"command": p.Lacks, "tried": p.Tried}),
		"the language server %s needs the program %s besides, which was not found", p.Spec.ID, p.Lacks)
}

// PackageFile returns the file at path below a folder node_modules that holds one of the candidates or is beside it;
// "" when there is none.
func (p *Plan) PackageFile(path string) string {
	return ownFile(p.Spec, &spec.OwnFile{Path: path, Folder: "node_modules"}, p.Candidates)
}
