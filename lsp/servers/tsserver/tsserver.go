// Package tsserver is what is particular about typescript-language-server (6.0.2): lspi asks tsserver behind it, by
// the command that passes requests on, where what the server itself says lags, has no version or is about another
// project; and it follows which files the projects of a tree hold, because the server loads those of the files that
// are open.
package tsserver

import (
	"context"
	"encoding/json"
	"sync"

	"lspi/lsp"
	"lspi/lsp/watch"
)

// Process is what is kept of one process of typescript-language-server.
type Process struct {
	Server   *lsp.Server
	projects *projects
	imported sync.Map      // what the sources import whose projects' files are followed, by path
	renaming chan struct{} // held while the settings of renames are others than usual
}

// New makes what is kept of a process.
func New(s *lsp.Server) *Process {
	return &Process{Server: s, projects: newProjects(), renaming: make(chan struct{}, 1)}
}

// changed is [lsp.Hooks].Changed.
func (a *Process) changed(changes []watch.Change) {
	a.projects.changed(a.Server, changes)
}

// inOneProject is [lsp.LoadedProjectHooks].InOneProject: references and renames are of all projects that are loaded,
// and the references tell the callers of other projects (package audit).
func inOneProject(method string) bool { return method == lsp.MethodImplementation }

// rankSources is [lsp.ProjectHooks].RankSources.
func (a *Process) rankSources(sources []string) []string { return preferred(a.Server.Spec(), sources) }

// passOn is the command that passes requests on to tsserver, which answers the synchronous ones for the text that
// it was sent.
const passOn = "typescript.tsserverRequest"

// Ask passes a request on to tsserver and decodes the body of its answer.
func Ask(ctx context.Context, s *lsp.Server, request string, arguments, body any) error {
	raw, err := s.RequestRaw(ctx, lsp.MethodExecuteCommand, map[string]any{
		"command":   passOn,
		"arguments": []any{request, arguments, map[string]any{}},
	})
	if err != nil || len(raw) == 0 {
		return err
	}
	if err := decode(raw, body); err != nil {
		return s.Undecodable(ctx, request, raw, err)
	}
	return nil
}

// decode reads the body of an answer of tsserver.
func decode(raw json.RawMessage, body any) error {
	return json.Unmarshal(raw, &struct{ Body any }{body})
}
