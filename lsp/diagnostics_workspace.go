package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The diagnostics of the workspace: what is opened so that analysers look at it, what the server pushed of files
// nobody asked for, and which sources it did not look at.

// All asks for the diagnostics of all files that the server tells of: the workspace, or the open files of one
// that looks at nothing else ([spec.Diagnostics].Workspace).
func (q *Diagnostics) All(ctx context.Context) (*Diagnosis, error) {
	d := &Diagnosis{}
	// Analysers of such a server run only over packages with an open file, so without this step whole folders would
	// look clean.
	if q.spec.Diagnostics.OpenFolders {
		if err := q.openFolders(ctx, d); err != nil {
			return nil, err
		}
	}
	// After openFolders and before anything is asked: what the checker finds is pushed, and belongs to the same answer.
	if err := q.runCheck(ctx, d); err != nil {
		return nil, err
	}
	open := q.docs.Paths()
	// A stable order, so that two calls about the same state page through the same list.
	slices.Sort(open)
	d.Open = open
	if pusher := q.pusher(); pusher == nil {
		if err := q.Add(ctx, open, d); err != nil {
			return nil, err
		}
	} else {
		// Naming the open files makes the server load those outside of the build for themselves, before it is asked
		// to push what it knows.
		if err := q.projects.askExcluded(ctx, open, d); err != nil {
			return nil, err
		}
		// What went on behind an earlier answer about the same texts and the same open files has asked.
		if last, err := q.last(ctx); err != nil || last == nil || !last.all || !last.over() || last.found == nil ||
			!slices.Equal(last.open, open) || q.docs.lastEdition() != last.told {
			if err := askPushes(ctx, pusher, q.folders.anyOfEach(), d); err != nil {
				return nil, err
			}
		}
	}
	// Last, because it adds only files that no step before has reported on.
	q.addKnown(d)
	if q.spec.Diagnostics.Workspace {
		q.unchecked(ctx, d)
	}
	return d, nil
}

// PendingWorkspace is what is pending in answers about a workspace that a server has not looked at as a whole.
const PendingWorkspace = "workspace"

// AllFirst is [Diagnostics.All] when it is there before ctx ends. Otherwise the server goes on behind the answer
// ([Diagnostics.FinishAll]), Pending says so, and the reports are those of files that had errors before, or are
// open, as they are on disk.
func (q *Diagnostics) AllFirst(ctx context.Context) (*Diagnosis, error) {
	if !q.goesOn() {
		return q.All(ctx)
	}
	d := &Diagnosis{Pending: []string{PendingWorkspace}}
	if q.check != nil {
		d.Pending = []string{q.check.spec.Title}
	}
	if !q.health.ready.status().Ready { // what it says of a file now is not all that it knows of it
		return d, nil
	}
	if q.spec.Diagnostics.OpenFolders {
		if err := q.openFolders(ctx, &Diagnosis{}); err != nil {
			return nil, err
		}
	}
	rest, err := q.FinishAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, meanwhile := range []func(context.Context, *Diagnosis){nil, q.knownErrors} {
		soon, cancel := half(ctx)
		if meanwhile != nil {
			meanwhile(soon, d)
		}
		rest.Wait(soon)
		cancel()
		if rest.over() && rest.known() {
			return q.All(ctx)
		}
	}
	return d, q.conn.Alive()
}

// half is a context with half of the time that is left.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// goesOn reports whether the server can be let go on with the workspace behind an answer.
func (q *Diagnostics) goesOn() bool {
	return q.pusher() != nil || q.check != nil && q.projects.Missing(q.folders.root) == nil
}

// FinishAll is [Diagnostics.Finish] for the workspace; nil for a server of which [Diagnostics.All] has to be waited
// for.
func (q *Diagnostics) FinishAll(ctx context.Context) (*Rest, error) {
	if !q.goesOn() {
		return nil, nil
	}
	open := q.docs.Paths()
	slices.Sort(open)
	return q.continueRest(ctx, &Rest{all: true, open: open})
}

// knownErrors asks for the files that had errors before, and for those that are open, as far as there is time. What
// was pushed of them may be of older texts.
func (q *Diagnostics) knownErrors(ctx context.Context, d *Diagnosis) {
	paths := q.docs.Paths()
	known, _ := q.store.known()
	for _, path := range known {
		if p, _ := q.store.get(path); slices.ContainsFunc(p.items, func(i Diagnostic) bool { return i.Severity <= 1 }) {
			paths = append([]string{path}, paths...)
		}
	}
	if q.pusher() != nil {
		paths, _ = q.split(ctx, paths)
	}
	parts := make([]Diagnosis, len(paths))
	together(len(paths), func(i int) {
		parts[i].Check = errPending // keeps what the checker found in older texts out of the reports
		if ctx.Err() == nil && !slices.Contains(paths[:i], paths[i]) {
			_, _ = q.pullEach(ctx, paths[i:i+1], &parts[i])
		}
	})
	for _, part := range parts {
		d.Reports = append(d.Reports, part.Reports...)
	}
}

// maxFolderFiles bounds the files that are opened only so that analysers look at their folders.
const maxFolderFiles = maxOpenDocuments * 3 / 4

// openFolders opens a file of each folder, and a test file where there is one, which may be another package.
func (q *Diagnostics) openFolders(ctx context.Context, d *Diagnosis) error {
	var missing []string
	// Folders with an open file are looked at already.
	have := map[string]bool{}
	for _, path := range q.docs.Paths() {
		have[folderKey(path)] = true
	}
	// Whether all of them are known does not matter here: one that is opened in vain costs time and nothing else.
	outside, _ := q.projects.outsideBuild(ctx) // which would not make the analysers look at their folder
	for path := range q.folders.journal.Files() {
		key := folderKey(path)
		// The extension of the first language alone: other files of the row (go.mod, go.work) make no package.
		if have[key] || outside[path] || !q.spec.Serves(baseName(path)) || !q.folders.Inside(path) ||
			filepath.Ext(path) != "."+q.spec.Extensions()[0] {
			continue
		}
		have[key] = true
		missing = append(missing, path)
	}
	slices.Sort(missing)
	// Only as many as fit beside what is open: an open too many would close the file of a folder that was opened a
	// moment before. What does not fit is counted, so that the answer says how many folders nobody looked at.
	room := max(maxFolderFiles-q.docs.count(), 0)
	for i, path := range missing {
		if i >= room {
			d.Folders = len(missing) - i
			return nil
		}
		if _, err := q.docs.OpenDocument(ctx, path); err != nil && FatalAnswer(err) {
			return err
		}
	}
	return nil
}

// folderKey is the folder of a file; test files count apart.
func folderKey(path string) string {
	key := filepath.Dir(path)
	// An external test package (package x_test) lies in the same folder and is checked only when one of its files
	// is open.
	if name := strings.TrimSuffix(baseName(path), filepath.Ext(path)); strings.HasSuffix(name, "_test") {
		key += "\x00test"
	}
	return key
}

// Around is [Diagnostics.Of] files together with what the server then says of others, where it looks at whole projects
// ([spec.Diagnostics].Workspace).
func (q *Diagnostics) Around(ctx context.Context, paths []string) (*Diagnosis, error) {
	// An edit that only adds files asks about none that exists; any file makes such a server report on all of them.
	if len(paths) == 0 {
		paths = q.anyPaths()
	}
	d, err := q.Of(ctx, paths)
	if err == nil {
		q.addKnown(d)
	}
	return d, err
}

// addKnown adds what the server pushed of files that were not asked for, unless it may be of older texts.
func (q *Diagnostics) addKnown(d *Diagnosis) {
	// A server that did not report on the asked files in time has not finished with the others either: what the
	// store has of them may be of the texts before.
	if !q.spec.Diagnostics.Workspace || d.Check != nil || len(d.Silent) > 0 {
		return
	}
	known, lost := q.store.known()
	d.Lost = lost
	for _, path := range known {
		if !slices.ContainsFunc(d.Reports, func(r Report) bool { return r.Path == path }) {
			q.addPushed(path, d)
		}
	}
}

// unchecked notes in a diagnosis of the workspace which sources the server did not look at: what the build leaves
// out, but for open files that it loaded for themselves.
func (q *Diagnostics) unchecked(ctx context.Context, d *Diagnosis) {
	files, all := q.projects.outsideBuild(ctx)
	for _, path := range d.Open {
		// An open file is checked although no build has it, unless askExcluded found that the server does not check
		// it all the same.
		if !slices.ContainsFunc(d.Excluded, func(u Exclusion) bool { return u.Path == path }) {
			delete(files, path)
		}
	}
	// Unchecked names them now; with both each would have two warnings.
	d.Unknown, d.Excluded = !all, nil
	d.Unchecked = slices.Sorted(maps.Keys(files))
}

// anyPaths are files to ask about at a server that reports on all files when it is asked about some; none at others.
func (q *Diagnostics) anyPaths() []string {
	if !q.ReportsAll() {
		return nil
	}
	return q.folders.anyOfEach()
}
