package gopls

import (
	"context"
	"errors"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// With a go.mod that does not parse gopls refuses a position in any source ("no package metadata for file"), finds
// no symbols without saying why, and refuses a hover in go.mod with the reason. Once that is mended it goes on
// refusing for about 1 s, until it makes its diagnostics, unless a question about the workspace makes it load
// (0.23.0).

// projectChecks remembers which project files the server can read.
// Kept, because a hover in go.mod costs a request, and a question about a broken project comes again and again
// until it is mended. A sync that sees the file change asks anew ([Process.reload]).
type projectChecks struct {
	mu   sync.Mutex
	said map[string]string // path → what the server said against it, "" when nothing; guarded by mu
}

func (p *projectChecks) set(path, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said == nil {
		p.said = map[string]string{}
	}
	p.said[path] = words
}

// get tells a file that is well ("" and known) from one that nobody has asked about.
func (p *projectChecks) get(path string) (words string, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	words, known = p.said[path]
	return words, known
}

// Broken is the project file of a root that the server cannot read, with its words; path is "" when there is none.
// What is not known yet it asks.
func (a *Process) brokenBy(ctx context.Context, root string) (path, words string) {
	for _, path := range a.Server.Spec().Project.Paths(root) {
		words, known := a.checks.get(path)
		// The error of the request is passed over: nothing is known then, and the next question asks again.
		if !known && source.Exists(path) {
			words, _ = a.check(ctx, path)
		}
		if words != "" {
			return path, words
		}
	}
	return "", ""
}

// check asks about a project file. Its error is the end of ctx or of the server.
func (a *Process) check(ctx context.Context, path string) (words string, err error) {
	err = a.Server.Request(ctx, lsp.MethodHover, protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
	}, nil)
	var refused *contract.Error
	switch {
	// gopls reads the file: nothing is said against it.
	case err == nil:
	case errors.As(err, &refused) && refused.Kind == contract.KindRequestFailed:
		if strings.Contains(refused.Message, projectless) {
			return "", nil // the reason is that of the load, and may end without a change of the file
		}
		words = strings.TrimPrefix(refused.Message, a.Server.ID()+" refused "+lsp.MethodHover+": ")
	default:
		return "", err
	}
	a.checks.set(path, words)
	return words, nil
}

// reload makes the server load a project again whose file changed, or whose load failed: it answers about files of
// a project that was broken only after a request that needs the whole of it. The caller holds the document lock.
func (a *Process) reload(ctx context.Context, changes []watch.Change) error {
	// A load fails for reasons outside of go.mod, too: a missing package, a go.sum, a source with another package name.
	load := len(changes) > 0 && a.Server.Health().LoadFailing() // any of them may be the cure
	for _, c := range changes {
		if !projectFile(c) {
			continue
		}
		// A file that is gone cannot be broken; what was said against it is forgotten.
		if c.Kind == watch.Deleted {
			a.checks.set(c.Path, "")
			continue
		}
		words, err := a.check(ctx, c.Path)
		if err != nil {
			return err
		}
		load = load || words == ""
	}
	// Nothing changed that could have mended a load, or what changed is still broken.
	if !load || !a.Server.Offers(lsp.MethodWorkspaceSymbol) {
		return nil
	}
	// Any question about the workspace makes it load; this one finds nothing, so that its answer costs nothing.
	err := a.Server.Request(ctx, lsp.MethodWorkspaceSymbol, map[string]any{"query": loadQuery}, nil)
	// A refusal is an answer: the project is still broken, and the question that follows is told why.
	if err != nil && (ctx.Err() != nil || a.Server.Ended()) {
		return err
	}
	return nil
}

// projectless is in the words of a refused request when gopls has no project at all, whatever the file says:
// without a go command it has no view, and refuses every position so (0.23.0).
const projectless = "no views"

// loadQuery finds nothing.
const loadQuery = "\u2063"
