package edit

import (
	"context"
	"errors"
	"io/fs"

	"lspi/contract"
)

// CallState is what became of the edits of a call.
type CallState string

// The states.
const (
	// CallUnchanged: nothing of it is on disk. It was never begun, or all was put back.
	CallUnchanged CallState = "unchanged"
	// CallApplied: all of it was written. What somebody changed since has another [ChangedFile].Now.
	CallApplied CallState = "applied"
	// CallMixed: it was put back, except for files that somebody had changed meanwhile.
	CallMixed CallState = "mixed"
)

// CallOutcome is what [Writer.Outcome] tells of a call.
type CallOutcome struct {
	State   CallState
	Files   []ChangedFile     // of the last edit of the call that came to an end; nil when there was none
	Totals  Totals            // of the same
	Backups map[string]string // by the labels of the files before the edit
	Kept    []Kept            // texts of others that the edit put aside
}

// Outcome tells what became of the edits of a call ([ApplyOptions.Call]) whose process has died, and first finishes
// what that process left of them. From then on the call changes nothing more, should the process live after all:
// its next step of an edit is cancelled. It waits for the locks of the roots until ctx ends, because those of a
// process that is being killed may outlive its connections for an instant. An error means that nobody can tell; to
// ask again may help.
func (w *Writer) Outcome(ctx context.Context, call string) (CallOutcome, error) {
	marking := w.markTold(call)
	left, err := w.left()
	if err != nil {
		return CallOutcome{}, unreadable(w.journals(), err)
	}
	var kept []Kept
	for _, path := range left {
		ended, err := w.endCall(ctx, path, callDigest(call))
		switch {
		case err != nil:
			return CallOutcome{}, err
		case ended == nil:
		case exists(path): // its auxiliary files could not be removed
			return w.outcome(path)
		default:
			kept = append(kept, ended.Kept...)
		}
	}
	out, err := w.outcome(w.recordOf(callDigest(call)))
	if err == nil && out.State == CallUnchanged && marking != nil {
		return out, unreadable(w.records(), marking) // the call may change something yet
	}
	if len(out.Files) == 0 {
		out.Kept = kept
	}
	return out, err
}

// endCall finishes the edit of a journal when it is of the call; nil when it is not, or was finished meanwhile.
func (w *Writer) endCall(ctx context.Context, path, call string) (*Recovered, error) {
	h, _, whole, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOtherVersion) { // which has other calls
		return nil, unreadable(path, err)
	}
	if err != nil || whole == 0 || h.Call == nil || h.Call.Digest != call {
		return nil, nil
	}
	release, err := w.lock(ctx, h.Roots)
	if err != nil {
		return nil, err
	}
	defer release()
	ended, err := w.recoverHeld(path)
	if err != nil && ended == nil {
		return nil, rejected(ReasonUnfinishedEdits, "", "recovering the edit whose journal is %s: %w", path, err)
	}
	return ended, nil
}

// outcome reads a record, or a journal that has ended.
func (w *Writer) outcome(path string) (CallOutcome, error) {
	h, records, _, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return CallOutcome{State: CallUnchanged}, nil
	}
	if err == nil && h.Call == nil {
		err = errors.New("the record is incomplete")
	}
	if err != nil {
		return CallOutcome{}, contract.Errorf(contract.KindFileUnreadable,
			contract.Facts{"file_path": path, "reason": err.Error()},
			"reading the record of the edit: %w", err)
	}
	out := CallOutcome{State: CallUnchanged, Files: h.Call.Files, Totals: h.Call.Totals, Backups: h.Call.Backups,
		Kept: w.kept(&h)}
	switch last := lastOf(records); {
	case last.State == stateCommitted && !h.Call.Undoes:
		out.State = CallApplied
	case last.State != stateCommitted && len(last.Done) > 0:
		out.State = CallMixed
	}
	lookAtContents(out.Files)
	if h.Call.Undoes { // what it wanted is what there was before the call
		for i := range out.Files {
			f := &out.Files[i]
			f.Now = map[Content]Content{ContentNew: ContentOld, ContentOld: ContentNew,
				ContentOther: ContentOther}[f.Now]
		}
	}
	return out, nil
}

// lastOf is the record that counts.
func lastOf(records []record) record {
	if len(records) == 0 {
		return record{}
	}
	return records[len(records)-1]
}
