// Package tsnative is what is particular about TypeScript's own server (7.0.2): it searches the projects of the
// files that were opened, so that files which no tsconfig.json takes in, and those of other projects, are in no
// answer before they are opened.
package tsnative

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
)

// Process is what is kept of one process.
type Process struct {
	Server  *lsp.Server
	members lsp.ByEdits[map[string]bool] // the files of the project at a root
}

// New makes the hooks of a process.
func New(s *lsp.Server) *lsp.Hooks { return (&Process{Server: s}).hooks() }

func (a *Process) hooks() *lsp.Hooks {
	return &lsp.Hooks{CoverageHooks: lsp.CoverageHooks{Unlisted: a.unlisted}}
}

// configurations are the files that make a project of the folder that they are in, in the order in which they count.
var configurations = []string{"tsconfig.json", "jsconfig.json"}

// unlisted is [lsp.CoverageHooks].Unlisted: the sources that the configuration of the root does not take in and that
// the server was not shown before asked. It shows them to the server when few of them hold the name, which then has
// them in its answers.
func (a *Process) unlisted(ctx context.Context, root, _ string, asked time.Time) []lsp.Uncovered {
	members, known := a.members.Get(ctx, a.Server, root, func() (map[string]bool, bool) { return a.list(ctx, root) })
	if !known {
		return lsp.Because(lsp.NotOfProject, nil, false)
	}
	var files []string
	for path := range a.Server.Journal().Files() {
		_, below := source.RelativeTo(root, path)
		if below && !members[path] && a.Server.Spec().Serves(filepath.Base(path)) &&
			!a.Server.Folders().Skips(root, path) && !a.Server.Documents().HasSeen(path, asked) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return lsp.Because(lsp.NotOfProject, files, true)
}

// list asks the compiler, which is the program of the server, for the files of a project. It runs no code of the
// project. A folder without a configuration is none, so that it has no files.
func (a *Process) list(ctx context.Context, root string) (map[string]bool, bool) {
	i := slices.IndexFunc(configurations, func(name string) bool { return source.Exists(filepath.Join(root, name)) })
	if i < 0 {
		return nil, true
	}
	out, err := launch.Run(ctx, a.Server.Spec(), root, a.Server.State().Command, "-p",
		filepath.Join(root, configurations[i]), "--listFilesOnly").Output()
	members := map[string]bool{}
	for line := range bytes.Lines(out) {
		// others are errors of the configuration
		if path := filepath.FromSlash(strings.TrimSpace(string(line))); filepath.IsAbs(path) {
			members[path] = true
		}
	}
	// It ends with an error where the configuration has one, and lists the files all the same.
	return members, err == nil || len(members) > 0
}
