package edit

import (
	"errors"
	"io/fs"

	"lspi/contract"
)

// Reason is the fact "reason" of an edit_rejected error, a closed list.
type Reason string

// The reasons.
const (
	ReasonMalformed Reason = "malformed"      // the edit is no WorkspaceEdit
	ReasonUnknown   Reason = "unknown_member" // it holds an operation or member that is not known
	ReasonSnippet   Reason = "snippet"        // a text is a snippet with placeholders
	ReasonNotAFile  Reason = "not_a_file"     // it names something other than a file on disk
	ReasonOverlap   Reason = "overlap"        // two edits change the same text
	ReasonBadRange  Reason = "bad_range"      // a range is reversed, inside a character, or behind the end
	ReasonAmbiguous Reason = "ambiguous"      // it can be read in two ways
	ReasonNotUTF8   Reason = "not_utf8"       // the file's text is not UTF-8
	ReasonExists    Reason = "exists"         // a file stands where one is to be made
	ReasonMissing   Reason = "missing"        // a file that is to be changed is not there
	// a folder is to be deleted with what is in it, without being asked to
	ReasonNotEmpty    Reason = "not_empty"
	ReasonReadOnly    Reason = "read_only"    // the file may not be written
	ReasonHardLinks   Reason = "hard_links"   // the file has further names, which would keep the old text
	ReasonWriteFailed Reason = "write_failed" // the system refused; everything was put back
	// the system refused, and again when putting back; Recover goes on
	ReasonRollbackFailed  Reason = "rollback_failed"
	ReasonUnfinishedEdits Reason = "unfinished_edits" // an earlier edit of these roots could not be recovered

	// The reasons of those who make plans.
	ReasonNotSeen   Reason = "not_seen"   // the server's edit is about another text than that on disk
	ReasonMisplaced Reason = "misplaced"  // it would replace something else than what it is about
	ReasonNoJournal Reason = "no_journal" // there is no folder to keep the journal in that makes an edit safe
)

// rejected is an edit_rejected error about a file; path may be "".
func rejected(reason Reason, path string, format string, args ...any) *contract.Error {
	facts := contract.Facts{"reason": string(reason)}
	if path != "" {
		facts["file_path"] = path
	}
	return contract.Errorf(contract.KindEditRejected, facts, format, args...)
}

// changed is the file_changed error; expected and actual are digests, "" for a file that is not there.
func changed(path, expected, actual string) *contract.Error {
	format := "%s was changed since the edit was planned"
	switch {
	case actual == "":
		format = "%s is gone since the edit was planned"
	case expected == "":
		format = "%s appeared since the edit was planned"
	}
	return contract.Errorf(contract.KindFileChanged,
		contract.Facts{"file_path": path, "expected": orNull(expected), "actual": orNull(actual)}, format, path)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// unreadable is the error for a file that the system does not let us read.
func unreadable(path string, err error) error {
	if ours := (*contract.Error)(nil); errors.As(err, &ours) {
		return err
	}
	cause := reason(err)
	return contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": cause.Error()},
		"reading %s: %w", path, cause)
}

// reason is what the system said, without the operation and path that our own message names.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
