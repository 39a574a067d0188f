package recall

import (
	"errors"
	"fmt"
)

// ErrNoDialog is the error when no session of the workspace is known.
var ErrNoDialog = errors.New("no session of this workspace is known")

// NoDialogError is [ErrNoDialog], and says where sessions were looked for.
type NoDialogError struct {
	// Looked has the client that calls, or all when it is not known which that is; none for [Other].
	Looked []Looked
}

func (e *NoDialogError) Error() string { return ErrNoDialog.Error() }
func (e *NoDialogError) Unwrap() error { return ErrNoDialog }

// ErrNoRequest is the error when a session has no request of the user.
var ErrNoRequest = errors.New("the session has no request of the user")

// NotFoundError is the error when the workspace has no session with an id. Sessions of other workspaces
// give the same error as unknown ones, so that an answer does not tell which exist.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("session %q is not known here", e.ID) }

// IndexError is the error when a session has no request of a number; numbers begin at 1.
type IndexError struct{ Index, Total int }

func (e *IndexError) Error() string {
	return fmt.Sprintf("request %d was asked for, of %d", e.Index, e.Total)
}

// SourceError is the error when the folder of a client cannot be read, so that nobody knows which
// sessions it has.
type SourceError struct {
	Client Client
	Err    error
}

func (e *SourceError) Error() string { return fmt.Sprintf("the sessions of %s: %v", e.Client, e.Err) }
func (e *SourceError) Unwrap() error { return e.Err }

// DataError is the error when the transcript of a session cannot be read, or changed while it was.
type DataError struct {
	ID  string
	Err error
}

func (e *DataError) Error() string { return fmt.Sprintf("reading session %s: %v", e.ID, e.Err) }
func (e *DataError) Unwrap() error { return e.Err }

// AmbiguousError is the error when nothing tells which of several sessions that are written now is meant.
type AmbiguousError struct {
	// Candidates are these sessions, the last written first.
	Candidates []Session
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions of this workspace were written in the last minutes", len(e.Candidates))
}

// Message returns an error of this package in the words that the tools promise.
func Message(err error) string {
	var notFound *NotFoundError
	var index *IndexError
	var data *DataError
	var ambiguous *AmbiguousError
	switch {
	case errors.As(err, &notFound):
		return "Session not found: " + notFound.ID
	case errors.As(err, &index) && index.Index < 1:
		return "Index must be 1 or greater"
	case errors.As(err, &index):
		return fmt.Sprintf("Index %d exceeds total requests (%d)", index.Index, index.Total)
	case errors.As(err, &data):
		return "Chat data not available for session"
	case errors.As(err, &ambiguous):
		return fmt.Sprintf("%d sessions of this workspace are active: name one by session_id",
			len(ambiguous.Candidates))
	case errors.Is(err, ErrNoDialog):
		return "No active dialog found"
	case errors.Is(err, ErrNoRequest):
		return "First request not available"
	}
	return "Service temporarily unavailable"
}
