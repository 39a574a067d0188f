package audit

import (
	"errors"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// Outcome is what became of one attempt to have a question answered by one server. The functions that
// explain an answer take it, because the state in which the question was asked matters as well as the
// present one.
type Outcome struct {
	Server   *lsp.Snapshot // for questions that come after the answer, which nobody verifies; nil when there was none
	Status   lsp.Status    // under which it was asked
	Snapshot *lsp.Snapshot // against which it was asked; nil when it was not
	Retry    RetryReason
	Err      error
	// Late: the call's time ended before the server answered, and most of it went into waiting for the server to
	// start and to load.
	Late bool
}

// earlierFailure returns why the project was not loaded when the question was asked; its Reason is ""
// when it was loaded, or nothing was asked.
func (o Outcome) earlierFailure() lsp.LoadFailure {
	if o.Snapshot == nil {
		return lsp.LoadFailure{}
	}
	return o.Snapshot.LoadFailure
}

// Asked returns when the question was asked; zero when it was not.
func (o Outcome) Asked() time.Time {
	if o.Snapshot == nil {
		return time.Time{}
	}
	return o.Snapshot.Asked()
}

// RetryReason says why an attempt is void, so that the caller has to ask anew.
type RetryReason uint8

const (
	NoRetry       RetryReason = iota // the attempt counts
	RetryEnded                       // the server ended, or had to
	RetryOutdated                    // only a new process sees what changed on disk; nothing was asked
	RetryReloaded                    // the server began or finished a load of the project while it answered
	// places in the answer do not hold what they should; the server was shown these files
	RetryUnverified
	// The server was shown sources that its project's list leaves out and that can change the answer.
	RetryWithMore
)

// NotFound reports whether an error says that no symbol has the name. It may have a cause in the
// project, which the caller looks for; most other errors have not.
func NotFound(err error) bool {
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
