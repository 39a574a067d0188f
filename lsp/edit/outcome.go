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
	// CallUnchanged: nothing of the call is on disk. Its edit never began, or was put back.
	CallUnchanged CallState = "unchanged"
	// CallApplied: the edit was written. A file that somebody has changed since has another [ChangedFile].Now.
	CallApplied CallState = "applied"
	// CallMixed: the edit was put back, except for files that somebody had changed meanwhile.
	CallMixed CallState = "mixed"
)

// CallOutcome is the result of [Writer.Outcome].
type CallOutcome struct {
	State   CallState
	Files   []ChangedFile     // of the call's last edit that has ended; nil when there is none
	Totals  Totals            // of the same edit
	Backups map[string]string // label of a file before the edit → label of its copy
	Kept    []Kept            // texts of others that the edit has put aside
}

// Outcome returns what became of the edits of a call ([ApplyOptions.Call]) whose process has died, and first finishes
// what that process has left of them. If the process lives after all, its next edit of the call is cancelled. Outcome
// blocks for the locks of the roots until ctx ends, because those of a process that is being killed may outlive its
// connections for a moment. An error means that the outcome is unknown; asking again may help.
func (w *Writer) Outcome(ctx context.Context, call string) (CallOutcome, error) {
	// Marked before journals are looked for: see wasTold. A mark that cannot be made matters only when nothing is
	// found.
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
			return w.readOutcome(path)
		default:
			kept = append(kept, ended.Kept...)
		}
	}
	out, err := w.readOutcome(w.recordOf(callDigest(call)))
	if err == nil && out.State == CallUnchanged && marking != nil {
		return out, unreadable(w.records(), marking) // without the mark the call may still change something
	}
	if len(out.Files) == 0 {
		out.Kept = kept
	}
	return out, err
}

// endCall finishes the edit of a journal when it belongs to the call; nil when it does not, or is finished already.
func (w *Writer) endCall(ctx context.Context, path, call string) (*Recovered, error) {
	h, _, whole, err := read(path)
	// The journal of another version of lspi is of another call.
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOtherVersion) {
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

// readOutcome reads a record, or a journal that has ended.
func (w *Writer) readOutcome(path string) (CallOutcome, error) {
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
		Kept: w.keptTexts(&h)}
	switch last := lastOf(records); {
	case last.State == stateCommitted && !h.Call.Undoes:
		out.State = CallApplied
	case last.State != stateCommitted && len(last.Done) > 0:
		out.State = CallMixed
	}
	lookAtContents(out.Files)
	if h.Call.Undoes { // the new texts of this edit are the old ones of the call
		for i := range out.Files {
			f := &out.Files[i]
			f.Now = map[Content]Content{ContentNew: ContentOld, ContentOld: ContentNew,
				ContentOther: ContentOther}[f.Now]
		}
	}
	return out, nil
}

// lastOf returns the record that counts; the zero record when there is none.
func lastOf(records []record) record {
	if len(records) == 0 {
		return record{}
	}
	return records[len(records)-1]
}
