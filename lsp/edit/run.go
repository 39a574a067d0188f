package edit

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
)

// run is one plan on its way to disk, or back: in the process that applies it, or in a later one that recovers it. It
// belongs to one goroutine, which holds the locks of its roots.
type run struct {
	w     *Writer
	disk  *disk
	log   *journal
	steps []step
	done  []bool // which steps are done on disk; in a recovery inspect sets it for swaps
	begun int    // the last step other than a swap that may have begun; -1 for none
	kept  []Kept
	left  []string // auxiliary files that could not be removed; the journal stays until they are gone

	committed bool // the journal says so: nothing is put back any more
}

// where returns the present path of what was at path right after step i. Later steps may have moved its folder; and
// when step i could not be undone, undoing earlier steps may have moved the folder back.
func (r *run) where(i int, path string) string {
	for j := i + 1; j < len(r.steps); j++ {
		if r.done[j] {
			path = r.steps[j].carry(path)
		}
	}
	for j := i - 1; j >= 0; j-- {
		if !r.done[j] {
			path = r.steps[j].carryBack(path)
		}
	}
	return path
}

// writeStaged writes the new texts beside their files, durably. ended returns an error when the caller's context
// ended.
func (r *run) writeStaged(ended func() error) error {
	folders := map[string]bool{}
	for i := range r.steps {
		s := &r.steps[i]
		if s.Stage == "" {
			continue
		}
		if err := ended(); err != nil {
			return err
		}
		// A new text gets the mode and owner of the file that it replaces.
		like := s.Like
		if s.Kind == stepSwap {
			like = s.Path
		}
		if err := r.disk.write(s.Stage, s.text, like); err != nil {
			return err
		}
		folders[filepath.Dir(s.Stage)] = true
	}
	return r.sync(folders)
}

// sync makes the names in the folders durable.
func (r *run) sync(folders map[string]bool) error {
	for _, f := range slices.Sorted(maps.Keys(folders)) {
		if err := r.disk.syncFolder(f); err != nil {
			return err
		}
	}
	return nil
}

// forward does all steps that are not done, in their order.
func (r *run) forward() error {
	for i := range r.steps {
		if r.done[i] {
			continue
		}
		// See state: a swap needs no line.
		if r.steps[i].Kind != stepSwap {
			r.begun = i
			if err := r.log.append(record{State: stateBegin, Step: i}); err != nil {
				return err
			}
		}
		if err := r.do(&r.steps[i]); err != nil {
			return err
		}
		r.done[i] = true
	}
	return nil
}

// complete does what is left of the edit, up to its commit.
func (r *run) complete() error {
	for _, next := range []func() error{r.forward, r.verify, r.commit} {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

// do does one step. What the step takes away is compared with the plan right before, and again right after, when no
// program can find it under its name any more.
func (r *run) do(s *step) error {
	switch s.Kind {
	case stepSwap:
		if err := checkDigest(s.Path, s.Before, s.Path); err != nil {
			return err
		}
		// After the exchange aux holds what was at path in that moment; the second look at it finds a change that
		// came between the first look and the exchange.
		if err := r.disk.exchange(s.Aux, s.Path); err != nil {
			return err
		}
		return checkDigest(s.Aux, s.Before, s.Path)
	case stepPlace:
		if err := checkDigest(s.Aux, s.After, s.Path); err != nil {
			return err
		}
		return appeared(s.Path, r.disk.move(s.Aux, s.Path))
	case stepMove:
		if s.Before != "" {
			if err := checkDigest(s.From, s.Before, s.From); err != nil {
				return err
			}
		}
		return appeared(s.Path, r.disk.move(s.From, s.Path))
	case stepRemove:
		if err := checkDigest(s.Path, s.Before, s.Path); err != nil {
			return err
		}
		// Moved aside and not deleted: until the commit it can come back.
		if err := r.disk.move(s.Path, s.Aux); err != nil {
			return err
		}
		return checkDigest(s.Aux, s.Before, s.Path)
	default:
		return appeared(s.Path, r.disk.mkdir(s.Path))
	}
}

// checkDigest returns a file_changed error about the path shown when path does not have the digest.
func checkDigest(path, want, shown string) error {
	has, err := digestOf(path)
	if err != nil {
		return err
	}
	if has != want {
		return changed(shown, want, has)
	}
	return nil
}

// appeared turns the error that something exists at path into file_changed: when the edit was planned, nothing did.
func appeared(path string, err error) error {
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	has, _ := digestOf(path)
	return changed(path, "", has)
}

// verify compares everything that was taken away once more: a program that has an old file open may have written to
// it.
func (r *run) verify() error {
	for i, s := range r.steps {
		if s.Kind == stepSwap || s.Kind == stepRemove {
			if err := checkDigest(r.where(i, s.Aux), s.Before, s.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// commit makes the edit final; nothing is put back after it. All names are synced before the line of the journal, so
// that the line is never on disk without them.
func (r *run) commit() error {
	folders := map[string]bool{}
	for i, s := range r.steps {
		folders[filepath.Dir(r.where(i, s.Path))] = true
		if s.From != "" {
			folders[filepath.Dir(r.where(i, s.From))] = true
		}
	}
	if err := r.sync(folders); err != nil {
		return err
	}
	err := r.log.append(record{State: stateCommitted})
	r.committed = err == nil
	return err
}

// inspect finds out from the disk whether a step that may have begun is done, and completes one that stopped midway.
func (r *run) inspect(i int) (bool, error) {
	switch s := &r.steps[i]; s.Kind {
	case stepSwap:
		return r.inspectSwap(i)
	case stepMkdir:
		return exists(s.Path), nil
	default:
		from, to := s.moved()
		return r.inspectMove(from, to, s.Kind == stepRemove)
	}
}

// inspectMove finds out whether from was moved to to. own says that to is an auxiliary name, which only lspi makes:
// then its existence is enough. Somebody else may have made a file with any other name, so from has to be gone as
// well.
func (r *run) inspectMove(from, to string, own bool) (bool, error) {
	if same(from, to) { // moveByLink stopped midway
		return false, r.disk.remove(to)
	}
	return exists(to) && (own || !exists(from)), nil
}

// inspectSwap goes by the texts: only lspi writes aux, so when it no longer holds the new text, the swap was done. A
// file with its old text counts as not swapped, whoever wrote that.
func (r *run) inspectSwap(i int) (bool, error) {
	s := &r.steps[i]
	path, aux := r.where(i, s.Path), r.where(i, s.Aux)
	if err := r.disk.mendExchange(aux, path); err != nil {
		return false, err
	}
	has, err := digestOf(path)
	if err != nil {
		return false, err
	}
	beside, err := digestOf(aux)
	if err != nil {
		return false, err
	}
	return has != s.Before && beside != s.After && (beside != "" || has == s.After), nil
}
