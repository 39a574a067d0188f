package launch

import (
	"context"
	"log/slog"
	"os"

	"lspi/contract"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// Target is what is to be started.
type Target struct {
	Spec  *spec.Spec
	Root  string       // absolute
	Cache string       // lspi's cache of this user, absolute; "" when there is none
	Log   *slog.Logger // not nil
	// Separate: another process of the server may run for the root, so nothing that it uses is changed.
	Separate bool
}

// Plan is how the processes of a server for one root are started.
type Plan struct {
	Target
	Candidates  []Candidate    // the executables to try, in this order; at least one
	Tried       []string       // what was looked for without success
	Options     map[string]any // the initialization options
	Settings    map[string]any // the settings
	Environment []string       // of the process, as os.Environ has it
	// ProjectFolder is told to the server in place of the folder of the project file ([spec.ProjectFile].Option);
	// "" for that folder.
	ProjectFolder string
	// Lacks is a further program that the server needs and that was not found, so that it is not started; "" when
	// nothing is missing.
	Lacks string

	held []*os.File // locks of folders that the process has alone
}

// Prepare finds the programs of a server and decides with which environment, options and settings they run. The
// errors are server_not_installed, with everything that was tried, and restricted, when the server is not started
// because the workspace is not trusted. The plan has to be released.
func Prepare(ctx context.Context, t Target) (plan *Plan, err error) {
	s, p := t.Spec, &Plan{Target: t}
	defer func() {
		if err != nil {
			p.Release()
		}
	}()
	p.Candidates, p.Tried = findCommands(ctx, s)
	if len(p.Candidates) == 0 {
		if err := process.CanSpawn(); err != nil { // or a command that tells where the server is could not run
			return nil, Failed(s, p.Tried, nil, err)
		}
		return nil, notInstalled(s, p.Tried)
	}
	if p.Options, err = restrict(s, t.Root, p.Candidates); err != nil {
		return nil, err
	}
	p.Settings = s.PackageSettings(s.Settings, t.Root, func(path string) bool { return distrusts(s, path) })
	p.Environment = Environment(s)
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
	default: // the process then does more than it needs to
		t.Log.Warn("a process for trials gets no configuration of its own", "server_id", s.ID, "error", err)
	}
	return p, nil
}

// Lacking is the error of a plan with [Plan].Lacks; nil of any other.
func (p *Plan) Lacking() error {
	if p.Lacks == "" {
		return nil
	}
	return contract.Errorf(contract.KindServerNotInstalled,
		installFacts(p.Spec, contract.Facts{"command": p.Lacks, "tried": p.Tried}),
		"the language server %s needs the program %s besides, which was not found", p.Spec.ID, p.Lacks)
}

// PackageFile is a file below a folder node_modules in which one of the candidates lies, or that is beside it; ""
// when there is none.
func (p *Plan) PackageFile(path string) string {
	return ownFile(p.Spec, &spec.OwnFile{Path: path, Folder: "node_modules"}, p.Candidates)
}
