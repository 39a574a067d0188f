// Package vue is what is particular about Vue's language server (3.3.11). By itself it knows the outline of a
// component, and what is wrong in its template and its styles. All that rests on types it leaves to tsserver, which
// has to load a plugin of Vue's for that and then answers for components and scripts alike. So the process of the
// row is typescript-language-server with the plugin ([Launcher]), and Vue's own server runs beside it, as in
// editors: its requests to tsserver are passed on ([companion]).
package vue

import (
	"context"
	"encoding/json"
	"path/filepath"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/servers/tsserver"
	"lspi/lsp/spec"
)

const (
	scriptServer = "typescript-language-server" // the program, and its package
	plugin       = "@vue/typescript-plugin"
	ownPackage   = "@vue/language-server/package.json" // the plugin is one of its dependencies
)

// Launcher starts typescript-language-server in place of the program of the row, which [Process] starts when it
// needs it.
type Launcher struct{ own program }

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
func (l *Launcher) Prepare(_ context.Context, p *launch.Plan) {
	l.own = program{p.Candidates[0], p.Root, p.Environment}
	// First what is installed beside, as "lspi servers install" does it: another one may have a TypeScript that the plugin
	// does not know, with which components belong to no project and are read as scripts (3.3.11 with TypeScript 6.0.3).
	path := p.PackageFile(".bin/" + scriptServer)
	if path == "" {
		path = launch.LookPath(p.Spec, scriptServer)
	}
	if path == "" {
		p.Lacks = scriptServer
		return
	}
	p.Candidates = []launch.Candidate{{Path: path, Args: []string{"--stdio"}, From: p.Candidates[0].From}}
	p.Options = spec.Merge(p.Options, map[string]any{"plugins": []any{map[string]any{
		"name": plugin, "location": filepath.Dir(p.PackageFile(ownPackage)), "languages": []string{"vue"},
	}}})
}

// NewHooks is of [lsp.Launcher].
func (l *Launcher) NewHooks(s *lsp.Server) *lsp.Hooks {
	p := &Process{tsserver.New(s), newCompanion(s, l.own)}
	hooks := p.Process.Hooks()
	hooks.Close, hooks.Outline, hooks.DiagnoseFile = p.own.close, p.outline, p.DiagnoseFile
	return hooks
}

// Process is what is kept of one process of typescript-language-server with the plugin.
type Process struct {
	*tsserver.Process
	own *companion
}

// isComponent reports whether a file has a template and styles besides a script.
func (a *Process) isComponent(path string) bool {
	return a.Server.Spec().LanguageID(filepath.Base(path)) == "vue"
}

// outline is [lsp.SymbolHooks].Outline: of a component tsserver has no symbols, and answers with an empty list.
func (a *Process) outline(ctx context.Context, path string, text *source.Text) (symbols json.RawMessage, ok bool,
	err error) {
	if !a.isComponent(path) {
		return nil, false, nil
	}
	symbols, err = a.own.ask(ctx, lsp.MethodDocumentSymbol, path, text)
	return symbols, true, err
}

// DiagnoseFile is [lsp.DiagnosticHooks].DiagnoseFile: what tsserver says of the types in a component and what Vue's
// server says of the rest make one report.
func (a *Process) DiagnoseFile(ctx context.Context, path string, d *lsp.Diagnosis) error {
	if !a.isComponent(path) {
		return a.Process.DiagnoseFile(ctx, path, d)
	}
	items, text, err := a.Findings(ctx, path)
	if err != nil {
		return err
	}
	own, err := a.findings(ctx, path, text)
	switch {
	case err != nil && lsp.FatalAnswer(err):
		return err
	case err != nil: // the file is not called clean
		d.Silent = append(d.Silent, path)
	}
	a.Tell(d, path, text, append(items, own...))
	return nil
}

// findings are those of Vue's own server.
func (a *Process) findings(ctx context.Context, path string, text *source.Text) ([]lsp.Diagnostic, error) {
	raw, err := a.own.ask(ctx, lsp.MethodDocumentDiag, path, text)
	if err != nil {
		return nil, err
	}
	var report struct{ Items []lsp.Diagnostic }
	if err := json.Unmarshal(raw, &report); err != nil {
		return nil, a.Server.Undecodable(ctx, lsp.MethodDocumentDiag, raw, err)
	}
	return report.Items, nil
}
