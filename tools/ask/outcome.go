package ask

import (
	"errors"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// outcome is what became of one attempt to have a question answered by one server. The functions that
// explain an answer take it, because the state in which the question was asked matters as well as the
// present one.
type outcome struct {
	Server   *lsp.Snapshot // for questions that come after the answer, which nobody verifies; nil when there was none
	Status   lsp.Status    // under which it was asked
	Snapshot *lsp.Snapshot // against which it was asked; nil when it was not
	Retry    retryReason
	Err      error
	// Late: the call's time ended before the server answered, and most of it went into waiting for the server to
	// start and to load.
	Late bool
}

// earlierFailure returns why the project was not loaded when the question was asked; its Reason is ""
// when it was loaded, or nothing was asked.
func (o outcome) earlierFailure() lsp.LoadFailure {
	if o.Snapshot == nil {
		return lsp.LoadFailure{}
	}
	return o.Snapshot.LoadFailure
}

// Asked returns when the question was asked; zero when it was not.
func (o outcome) Asked() time.Time {
	if o.Snapshot == nil {
		return time.Time{}
	}
	return o.Snapshot.Asked()
}

// retryReason says why an attempt is void, so that the caller has to ask anew.
type retryReason uint8

const (
	noRetry       retryReason = iota // the attempt counts
	retryEnded                       // the server ended, or had to
	retryOutdated                    // only a new process sees what changed on disk; nothing was asked
	retryReloaded                    // the server began or finished a load of the project while it answered
	// places in the answer do not hold what they should; the server was shown these files
	retryUnverified
	// The server was shown sources that its project's list leaves out and that can change the answer.
	retryWithMore
)

// notFound reports whether an error says that no symbol has the name. It may have a cause in the
// project, which the caller looks for; most other errors have not.
func notFound(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindSymbolNotFound
}

// wholeProject are the requests whose answers speak of all files of a project.
var wholeProject = []string{lsp.MethodReferences, lsp.MethodImplementation, lsp.MethodCallHierarchy,
	lsp.MethodTypeHierarchy,
	lsp.MethodWorkspaceSymbol, lsp.MethodRename}

// OfWholeProject reports whether the answer to a request speaks of all files of a project, so that a
// file that was not read may be missing in it.
func OfWholeProject(c *answer.Call, method string) bool {
	return slices.Contains(wholeProject, method) || c.IsOfWholeProject()
}

// Crashed reports whether the server ended while it was asked.
func Crashed(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindServerCrashed
}

// Final reports whether an error voids the whole answer: the server ended, or nobody waits any more.
func Final(err error) bool {
	return Crashed(err) || answer.AsError(err).Category() == contract.Cancelled
}
