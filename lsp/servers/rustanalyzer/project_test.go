//go:build unix

package rustanalyzer

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// project is a project on disk and a scripted server for it. Spec and Watch may be changed until Start.
type project struct {
	testing.TB
	Dir     string
	Spec    *spec.Spec
	Watch   watch.Options
	hooks   lsp.NewHooks
	program lsptest.Program
}

// newProject writes the script, in the language of words, and the files of the project (path, text, path, text, …).
// hooks makes those of its processes.
func newProject(t testing.TB, script *lsptest.Script, hooks lsp.NewHooks, files ...string) *project {
	t.Helper()
	script.Language = "words"
	p := &project{TB: t, Dir: testkit.Folder(t), hooks: hooks, program: lsptest.NewProgram(t, script)}
	for i := 0; i < len(files); i += 2 {
		p.Write(files[i], files[i+1])
	}
	p.Spec = &spec.Spec{
		ID: "fake", Languages: []spec.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:  []spec.Command{{Name: p.program.Path, Args: []string{p.program.Script, "--stdio"}}},
		Env:       p.program.Env,
		Readiness: spec.Readiness{Sign: spec.SignWaits}, Freshness: spec.Freshness{Watched: true},
	}
	return p
}

// Path returns the absolute path of a file of the project.
func (p *project) Path(rel string) string { return filepath.Join(p.Dir, filepath.FromSlash(rel)) }

// Write writes a file of the project.
func (p *project) Write(rel, text string) {
	p.Helper()
	p.Must(os.MkdirAll(filepath.Dir(p.Path(rel)), 0o755))
	p.Must(os.WriteFile(p.Path(rel), []byte(text), 0o644))
}

// Must ends the test on an error.
func (p *project) Must(err error) {
	if p.Helper(); err != nil {
		p.Fatal(err)
	}
}

// Play gives processes that are started from now on another script.
func (p *project) Play(script *lsptest.Script) {
	script.Language = "words"
	p.program.Replace(p, script)
}

// Start starts the server; it ends with the test.
func (p *project) Start() *lsp.Server {
	p.Helper()
	journal := watch.Open(p.Dir, p.Watch)
	p.Cleanup(func() { _ = journal.Close() })
	s, err := lsp.Start(p.Context(), lsp.Options{Spec: p.Spec, Root: p.Dir, Journal: journal,
		Texts: source.NewCache(1 << 20), Log: slog.New(slog.DiscardHandler),
		Launcher: p.hooks})
	p.Must(err)
	p.Cleanup(s.Close)
	return s
}

// Received returns how many requests and notifications of a method the server has received.
func (p *project) Received(method string) int {
	return len(lsptest.Messages(p.program.Seen(p), method))
}
