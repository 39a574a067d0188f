package edit

import (
	"errors"
	"io/fs"

	"lspi/contract"
)

// Reason is the fact "reason" of an edit_rejected error. The list is complete.
type Reason string

// The reasons.
const (
	ReasonMalformed Reason = "malformed"      // the edit is not a WorkspaceEdit
	ReasonUnknown   Reason = "unknown_member" // it has an unknown operation or member
	ReasonSnippet   Reason = "snippet"        // a text is a snippet with placeholders
	ReasonNotAFile  Reason = "not_a_file"     // it names something other than a file on disk
	ReasonOverlap   Reason = "overlap"        // two edits change the same text
	ReasonBadRange  Reason = "bad_range"      // a range is reversed, inside a character, or behind the end
	ReasonAmbiguous Reason = "ambiguous"      // it can be read in two ways
	ReasonNotUTF8   Reason = "not_utf8"       // the file's text is not UTF-8
	ReasonExists    Reason = "exists"         // it creates a file that exists
	ReasonMissing   Reason = "missing"        // it changes a file that does not exist
	// it deletes a folder that is not empty, without the option recursive
	ReasonNotEmpty    Reason = "not_empty"
	ReasonReadOnly    Reason = "read_only"    // the file may not be written
	ReasonHardLinks   Reason = "hard_links"   // the file has further names, which would keep the old text
	ReasonWriteFailed Reason = "write_failed" // the system refused; everything was put back
	// the system refused, and again when putting back; Recover goes on
	ReasonRollbackFailed  Reason = "rollback_failed"
	ReasonUnfinishedEdits Reason = "unfinished_edits" // an earlier edit of these roots could not be recovered

	// Reasons that callers of this package give.
	ReasonNotSeen   Reason = "not_seen"   // the server's edit is about another text than that on disk
	ReasonMisplaced Reason = "misplaced"  // it would replace another text than the one that it is about
	ReasonNoJournal Reason = "no_journal" // there is no folder for the journal, which makes an edit safe
)

// rejected returns an edit_rejected error about a file; path may be "".
func rejected(reason Reason, path string, format string, args ...any) *contract.Error {
	facts := contract.Facts{"reason": string(reason)}
	if path != "" {
		facts["file_path"] = path
	}
	return contract.Errorf(contract.KindEditRejected, facts, format, args...)
}

// changed returns a file_changed error. expected and actual are digests; "" for a file that does not exist.
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

// unreadable returns the error for a file that the system does not let us read.
func unreadable(path string, err error) error {
	if ours := (*contract.Error)(nil); errors.As(err, &ours) {
		return err
	}
	cause := systemError(err)
	return contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": cause.Error()},
		"reading %s: %w", path, cause)
}

// systemError returns the error of the system without operation and path, which our own messages have.
func systemError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
