package hooks

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// The bounds of one event.
const (
	maxFiles  = diagnostics.MaxDiagnosedFiles // that are asked about; the others stay owed
	maxBroken = 20                            // files with errors that are asked about though they did not change
	maxLooks  = 5                             // without a diagnosis, after which a file is not owed any more
)

// AfterChange returns the new errors in the files that changed since the last event, and in those that use them. ctx
// ends with the budget. An error says why nothing could be found out; the files are owed then.
func (st *State) AfterChange(ctx context.Context, c *answer.Call, e *Event) (Answer, error) {
	release, err := st.take(ctx)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	l := &look{st: st, c: c}
	if err := l.findChanges(ctx, e); err != nil {
		return Answer{}, err
	}
	if e.Late {
		l.later()
		return Answer{Owed: len(st.owed)}, nil
	}
	if err := l.find(ctx); err != nil {
		l.later()
		return Answer{Owed: len(st.owed)}, err
	}
	return l.tell(headChange), nil
}

// later leaves it to the next event to look also at the files that nobody has changed.
func (l *look) later() { l.st.waits = l.st.waits || l.changed }

// look is one answer to a change.
type look struct {
	st      *State
	c       *answer.Call
	changed bool                    // something that a server serves has changed
	gone    []string                // files that were deleted
	paths   []string                // to ask about
	before  map[string]*source.Text // texts from before the session, where a server was asked about them
	news    []lsp.Finding           // that are told, once all is certain
	// takeBack undoes for each file what is noted of its news.
	takeBack []func()
}

// findChanges notes as owed what changed since the last event. A session of which nothing is known has only the files
// that its first event names.
func (l *look) findChanges(ctx context.Context, e *Event) error {
	st := l.st
	for _, tree := range l.c.Workspace.Trees() {
		j := l.c.Workspace.Pool.Journal(tree)
		if j == nil {
			continue
		}
		was := st.marks[tree]
		mark, err := j.Barrier(ctx)
		if err != nil {
			return err
		}
		st.marks[tree] = position{j, mark}
		if was.journal != j {
			continue // it is not known what changed before
		}
		changes, _ := j.Since(was.mark) // none where there are so many that the journal does not have them all
		for _, change := range changes {
			l.note(change.Path, change.Kind == watch.Deleted)
		}
	}
	l.noteSinceBegan()
	l.named(e) // it may have changed before the journal was first looked at
	if !st.before.known {
		st.before = readTexts(ctx, l.c)
	}
	for path := range st.owed {
		if f := st.files[path]; f == nil || f.text == nil {
			st.before.forget(path, l.c)
		}
	}
	return nil
}

// named notes the files that an event says to have changed.
func (l *look) named(e *Event) {
	if e.Reads {
		return
	}
	for _, path := range e.Paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Dir, path)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			l.note(real, false)
		}
	}
}

// note notes that a file has changed.
func (l *look) note(path string, deleted bool) {
	if len(l.c.Workspace.Table.Candidates(base(path))) == 0 {
		return
	}
	f := l.st.file(path)
	if text, err := l.c.Workspace.Text(path); err == nil && f.text != nil && f.text.Content() == text.Content() {
		return // the journal may tell a change twice
	}
	f.changed, l.changed = true, true
	if deleted {
		l.gone = append(l.gone, path)
		delete(l.st.owed, path)
		f.text, f.errors, f.brought = nil, nil, nil
		return
	}
	l.st.owed[path] = 0
}

// file returns what is known of a file.
func (st *State) file(path string) *file {
	f := st.files[path]
	if f == nil {
		f = &file{path: path}
		st.files[path] = f
	}
	return f
}

// find asks the servers and judges what they say. What cannot be told for certain now stays owed.
func (l *look) find(ctx context.Context) error {
	l.choose()
	if len(l.paths) == 0 && !l.st.waits {
		return nil
	}
	var all []seen
	if len(l.paths) > 0 {
		found, err := l.ask(ctx)
		if err != nil {
			l.noteWaited()
			return err
		}
		all = found
	}
	all = append(all, l.others(ctx, all)...)
	return l.judge(ctx, all)
}

// choose fills paths: the files that are owed, and where something changed also those with errors, which the change
// may have mended, and one beside each file that is gone.
func (l *look) choose() {
	st := l.st
	for _, path := range slices.Sorted(maps.Keys(st.owed)) {
		if len(l.paths) < maxFiles && l.served(path) && !l.inVain(path) {
			l.paths = append(l.paths, path)
		}
	}
	if !l.changed {
		return
	}
	room := maxBroken
	for _, path := range slices.Sorted(maps.Keys(st.files)) {
		if room == 0 || len(st.files[path].errors) == 0 || slices.Contains(l.paths, path) || !l.served(path) {
			continue
		}
		if l.inVain(path) {
			st.owed[path] = max(st.owed[path], 0)
			continue
		}
		l.paths = append(l.paths, path)
		room--
	}
	for _, path := range l.gone {
		if beside := l.beside(path); beside != "" && !slices.Contains(l.paths, beside) && !l.inVain(beside) {
			l.paths = append(l.paths, beside)
		}
	}
}

// served reports whether a file is there and an installed server diagnoses it. One that is not is owed no more.
func (l *look) served(path string) bool {
	if _, err := l.c.Workspace.Text(path); err == nil {
		routes := l.routes(path)
		if len(routes) > 0 && routes[0].Spec.Roles.Has(spec.RoleDiagnostics) &&
			(routes[0].Spec.Configured() != nil || answer.Program(l.c, routes[0].Spec) != "") {
			return true
		}
	}
	delete(l.st.owed, path)
	return false
}

// beside returns a file that the servers of a deleted one serve, in its folder if there is one: servers that look at
// whole projects tell of all others behind the answer about it. "" when there is none.
func (l *look) beside(path string) (found string) {
	dir, ext := filepath.Dir(path), filepath.Ext(path)
	j := l.c.Workspace.Pool.Journal(path)
	if j == nil {
		return ""
	}
	for other := range j.Files() {
		if filepath.Ext(other) != ext || found != "" && filepath.Dir(other) != dir || !l.served(other) {
			continue
		}
		if found = other; filepath.Dir(other) == dir {
			return other
		}
	}
	return found
}

// seen is what servers say of a file now.
type seen struct {
	path   string
	text   *source.Text // that the errors are of
	errors []lsp.Finding
	whole  bool // nothing else is wrong with it
}

// ask asks the servers of the paths. Files of which it has an answer are owed no more.
func (l *look) ask(ctx context.Context) (all []seen, err error) {
	st := l.st
	found, err := diagnostics.OfChanged(ctx, l.c, l.paths, false)
	if err == nil && l.waits(found.Pending) && ctx.Err() == nil {
		if more, err := diagnostics.OfChanged(ctx, l.c, l.paths, true); err == nil {
			found = more
		}
	}
	if err != nil {
		return nil, err
	}
	if loads := l.c.WarningsThat(func(k contract.WarningKind) bool {
		return k == contract.WarnIndexing || k == contract.WarnSyncIncomplete
	}); len(loads) > 0 {
		return nil, contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": l.c.ServerID()}, "%s",
			loads[0].Message)
	}
	// Only these looks count: a server that loads will know later.
	for _, path := range l.paths {
		st.owed[path]++
	}
	by := map[string][]lsp.Finding{}
	for _, f := range found.Findings {
		if f.Severity == "error" {
			by[f.Path] = append(by[f.Path], f)
		}
	}
	for _, path := range l.paths {
		text, err := l.c.Workspace.Text(path)
		if err != nil || !found.Reported(path) {
			continue
		}
		whole := found.Whole(path)
		all = append(all, seen{path, text, by[path], whole})
		// What is still waited for may be errors in other files, which only a look at this one brings.
		if whole && !l.waits(found.Pending) || len(found.Pending) == 0 {
			delete(st.owed, path)
		}
		delete(by, path)
	}
	for _, path := range slices.Sorted(maps.Keys(by)) { // files that use them
		if text, err := l.c.Workspace.Text(path); err == nil {
			all = append(all, seen{path, text, by[path], false})
		}
	}
	maps.DeleteFunc(st.owed, func(_ string, looks int) bool { return looks >= maxLooks })
	return all, nil
}

// waits reports whether something is pending that is there only for whoever waits: the files that use what changed, and
// what an external checker says. What a server looks at by itself behind its first answer is for [look.others].
func (l *look) waits(stages []diagnostics.Pending) bool {
	return slices.ContainsFunc(stages, func(p diagnostics.Pending) bool {
		return !slices.ContainsFunc(l.c.Workspace.Table.Specs, func(sp spec.Spec) bool {
			first := sp.Diagnostics.First
			return sp.ID == p.ServerID && first != nil && first.Pending == p.Stage
		})
	})
}

// others returns the errors of all other files that servers know behind their first answer. It waits for them as long
// as there is time, unless nothing in another file can notice the change.
func (l *look) others(ctx context.Context, asked []seen) (all []seen) {
	st := l.st
	if l.changed {
		st.waits = st.waits || len(l.gone) > 0 || !l.local(ctx, asked)
	}
	if !st.waits {
		return nil
	}
	runs := false
	for _, s := range l.c.Workspace.Pool.Running() {
		rest, _ := l.c.Session.Errors.Awaited(s)
		if rest == nil {
			continue
		}
		within, cancel := lsp.HalfOf(ctx) // the other half is for what the errors are held against
		rest.Wait(within)
		cancel()
		reports, state, _ := rest.Errors(ctx)
		switch state {
		case lsp.RestOver:
			all = append(all, l.allOf(s, reports, asked)...)
			l.c.Session.Errors.Await(s, nil)
		case lsp.RestRuns:
			runs = true
		default: // what it looked at is asked about again, and it then tells of all others
			runs = true
			for _, path := range rest.Paths {
				if _, owed := st.owed[path]; !owed {
					st.owed[path] = 1
				}
			}
			l.c.Session.Errors.Await(s, nil)
		}
	}
	st.waits = runs || len(st.owed) > 0 // a look at what is owed may start what tells of the others
	return all
}

// allOf returns what a server says that has looked at all files: of those with errors, and of those that had some.
func (l *look) allOf(s *lsp.Server, reports []lsp.Report, asked []seen) (all []seen) {
	has := map[string]bool{}
	for _, a := range asked {
		has[a.path] = true // what it was asked about by name
	}
	for _, r := range reports {
		if text, err := l.c.Workspace.Text(r.Path); err == nil && !has[r.Path] {
			all = append(all, seen{r.Path, text, r.Findings, true})
		}
		has[r.Path] = true
	}
	for path, f := range l.st.files {
		if len(f.errors) == 0 || has[path] || !s.Spec().Serves(base(path)) {
			continue
		}
		if text, err := l.c.Workspace.Text(path); err == nil {
			all = append(all, seen{path, text, nil, true})
		}
	}
	return all
}

// local reports whether no other file can notice what changed, as far as the servers tell.
func (l *look) local(ctx context.Context, asked []seen) bool {
	before, after := lsp.Texts{}, lsp.Texts{}
	for _, a := range asked {
		f := l.st.file(a.path)
		if !f.changed || f.text != nil && f.text.Content() == a.text.Content() {
			continue
		}
		was, err := f.text, error(nil)
		if was == nil {
			was, err = l.st.before.of(ctx, a.path)
		}
		if err != nil || was == nil {
			return false
		}
		before[a.path], after[a.path] = was, a.text
	}
	for path, text := range after {
		known := false
		for _, s := range l.c.Workspace.Pool.Running() {
			if !s.Spec().Serves(base(path)) || !s.Spec().Roles.Has(spec.RoleNavigation) {
				continue
			}
			if _, ok := lsp.StaysLocal(s, lsp.Texts{path: before[path]}, lsp.Texts{path: text}); !ok {
				return false
			}
			known = true
		}
		if !known {
			return false
		}
	}
	return true
}
