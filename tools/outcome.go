package tools

import (
	"errors"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
)

// outcome is what became of an attempt.
type outcome struct {
	server *lsp.Server // nil when there was none
	status lsp.Status  // under which it was asked
	doubts *lsp.Doubts
	again  why
	err    error
	asked  time.Time // when the question was asked

	loadFailure lsp.LoadFailure // as it was known when the question was asked
}

// why says why an attempt is void, so that asking anew makes sense.
type why uint8

const (
	no       why = iota // it is not
	ended               // the server ended, or had to
	outdated            // only a new process sees what changed on disk; nothing was asked
	reloaded            // the server began to load anew while it answered, or finished
	doubted             // places in the answer do not hold what they should; the server was shown these files
	widened             // the server was shown sources that its project's list leaves out and that can change the answer
)

func notFound(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindSymbolNotFound
}

// tellBroken are the tools whose answers themselves say that a project file is broken.
var tellBroken = []string{"get_diagnostics", "check_edit"}

// wholeProject are the requests whose answers speak of all files of a project.
var wholeProject = []string{lsp.MethodReferences, lsp.MethodImplementation, lsp.MethodCallHierarchy, lsp.MethodTypeHierarchy,
	lsp.MethodWorkspaceSymbol, lsp.MethodRename}

func (c *Call) ofWholeProject(method string) bool {
	return slices.Contains(wholeProject, method) || c.tool != nil && c.tool.Name == "symbol_bundle"
}

func crashed(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindServerCrashed
}

// final errors void the whole answer: the server ended, or nobody waits any more.
func final(err error) bool { return crashed(err) || asError(err).Category() == contract.Cancelled }
