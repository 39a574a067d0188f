package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Kept is a text or file that the writer could not put where it belongs without overwriting somebody's change.
type Kept struct {
	Path string // where it belongs
	Kept string // where it is now; "" when somebody deleted it
}

// errConflict says that undoing a step would overwrite somebody's change. The other steps are undone all the same.
var errConflict = errors.New("somebody changed it since")

// back undoes every step that is done, the last one first. A step whose undoing would overwrite somebody's change
// stays done. An error means that the system refused; the journal then still says how to continue.
func (r *run) back() error {
	var conflicts []int
	if err := r.log.append(r.undo(r.begun)); err != nil && r.log.uncertain {
		return err // the last line may say "committed", and a recovery will take it so
	}
	// Backwards, since a later step may depend on an earlier one: a file is placed in a folder that a step made.
	for i := len(r.steps) - 1; i >= 0; i-- {
		s := &r.steps[i]
		if s.Kind == stepSwap || i == r.begun {
			var err error
			if r.done[i], err = r.inspect(i); err != nil {
				return err
			}
		}
		if !r.done[i] {
			continue
		}
		if s.Kind != stepSwap && i != r.begun {
			r.begun = i
			if err := r.log.append(r.undo(i)); err != nil && r.log.uncertain {
				return err
			}
		}
		err := r.undoStep(i)
		switch {
		case errors.Is(err, errConflict):
			conflicts = append(conflicts, i)
		case err != nil:
			return err
		default:
			r.done[i] = false
		}
	}
	for _, i := range conflicts { // when everything is at its final path
		r.conflict(i)
	}
	return r.log.append(record{State: stateUndone, Done: r.stillDone(-1)})
}

// undo returns the line of the journal for undoing step i.
func (r *run) undo(i int) record {
	return record{State: stateUndo, Step: i, Done: r.stillDone(i)}
}

// stillDone returns the steps behind i that are done; swaps only with i < 0, when the line ends the undoing.
func (r *run) stillDone(i int) []int {
	var out []int
	for j := i + 1; j < len(r.steps); j++ {
		if r.done[j] && r.steps[j].Kind != stepSwap || r.done[j] && i < 0 {
			out = append(out, j)
		}
	}
	return out
}

// undoStep undoes one step.
func (r *run) undoStep(i int) error {
	s := &r.steps[i]
	path := r.where(i, s.Path)
	switch s.Kind {
	case stepSwap:
		aux := r.where(i, s.Aux)
		// The exchange is its own inverse.
		exchange := func() error { return r.disk.exchange(aux, path) }
		return takeBack(path, aux, s.After, exchange, exchange)
	case stepPlace:
		aux := r.where(i, s.Aux)
		if has, err := digestOf(path); err == nil && has == "" {
			return nil // somebody deleted the file that the edit made
		}
		return takeBack(path, aux, s.After, func() error {
			return r.disk.move(path, aux)
		}, func() error { return clash(r.disk.move(aux, path)) })
	case stepMove:
		from := r.where(i, s.From)
		if !exists(path) && exists(from) {
			return nil
		}
		return clash(r.disk.move(path, from))
	case stepRemove:
		return clash(r.disk.move(r.where(i, s.Aux), path))
	default:
		// os.Remove refuses a folder that is not empty: somebody has put something into it.
		err := r.disk.remove(path)
		if notEmpty(err) {
			return errConflict
		}
		return err
	}
}

// takeBack moves what the edit wrote from path to aux, if path holds just that. It looks again afterwards, and moves
// it back when it took something else.
func takeBack(path, aux, written string, undo, redo func() error) error {
	if has, err := digestOf(path); err != nil || has != written {
		return errors.Join(err, conflictIf(err == nil))
	}
	if err := undo(); err != nil {
		return clash(err)
	}
	// Somebody wrote to path between the look and undo; what they wrote is in aux now.
	if has, err := digestOf(aux); err != nil || has != written {
		again := redo()
		return errors.Join(err, again, conflictIf(err == nil && again == nil))
	}
	return nil
}

func conflictIf(yes bool) error {
	if yes {
		return errConflict
	}
	return nil
}

// clash turns an error that somebody's change caused into errConflict, and leaves those of the system.
func clash(err error) error {
	if errors.Is(err, fs.ErrExist) || gone(err) {
		return errConflict
	}
	return err
}

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)
}

// conflict records a step that stays done. clean moves what a swap or a remove took away to the writer's folder.
func (r *run) conflict(i int) {
	s := &r.steps[i]
	k := Kept{Path: r.where(i, s.Path)}
	switch s.Kind {
	case stepSwap, stepRemove:
		if exists(r.where(i, s.Aux)) {
			return // clean keeps what was there
		}
	case stepMove:
		k.Path, k.Kept = r.where(i, s.From), k.Path
	case stepPlace, stepMkdir:
		k.Kept = k.Path
	}
	r.kept = append(r.kept, k)
}

// clean removes the auxiliary files. It compares each before: a text that may exist nowhere else is kept. partial
// says that staged texts may be incomplete. What the system refuses to remove is added to r.left.
func (r *run) clean(partial bool) {
	folders := map[string]bool{}
	for i := range r.steps {
		s := &r.steps[i]
		if s.Aux == "" {
			continue
		}
		path, aux := r.where(i, s.Path), r.where(i, s.Aux)
		if s.Kind == stepPlace {
			aux = r.where(-1, s.Stage)
		}
		folders[filepath.Dir(aux)] = true
		if s.Kind == stepRemove && isFolder(aux) {
			continue // auxiliary files of other steps may be in it; it goes last
		}
		// An exchange in three steps may have left its third name.
		for _, name := range []string{aux, aux + besideSuffix} {
			if !(s.Kind == stepPlace && r.done[i]) {
				r.drop(s, name, path, partial)
			}
		}
	}
	for i := range r.steps {
		s := &r.steps[i]
		if aux := r.where(i, s.Aux); s.Kind == stepRemove && isFolder(aux) {
			r.dropFolder(i, aux)
		}
	}
	if err := r.sync(folders); err != nil {
		r.left = append(r.left, r.log.path)
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// drop removes one auxiliary file of a step, whose file is at path now.
func (r *run) drop(s *step, aux, path string, partial bool) {
	has, err := digestOf(aux)
	if has == "" && err == nil {
		return
	}
	if err == nil && !partial && !r.needless(s, has, path) {
		r.keep(aux, path)
		return
	}
	if err == nil {
		err = r.disk.remove(aux)
	}
	if err != nil {
		r.left = append(r.left, aux)
	}
}

// needless reports whether a text may be removed: it is the new one; or the old one, and was replaced on purpose or
// is in its place.
func (r *run) needless(s *step, has, path string) bool {
	if has == s.After {
		return true
	}
	if has != s.Before {
		return false
	}
	now, err := digestOf(path)
	return r.committed || err == nil && now == s.Before
}

// dropFolder removes a deleted folder. One that could not be put back stays where it is.
func (r *run) dropFolder(i int, aux string) {
	if !r.committed {
		r.kept = append(r.kept, Kept{Path: r.where(i, r.steps[i].Path), Kept: aux})
		return
	}
	if err := r.disk.removeAll(aux); err != nil {
		r.left = append(r.left, aux)
	}
}

// keep moves a text that belongs at path to the writer's folder; when that fails it stays where it is.
func (r *run) keep(aux, path string) {
	k := Kept{Path: path, Kept: aux}
	defer func() { r.kept = append(r.kept, k) }()
	dir := filepath.Join(r.w.dir, "kept")
	raw, err := os.ReadFile(aux)
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // links of the user on the way are allowed
		dir = real
	}
	to := filepath.Join(dir, filepath.Base(aux)+"-"+filepath.Base(path))
	if r.disk.write(to, string(raw), "") != nil || r.disk.syncFolder(dir) != nil {
		return
	}
	if r.disk.remove(aux) == nil {
		k.Kept = to
	}
}
