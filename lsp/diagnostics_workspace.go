package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
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
		soon, cancel := HalfOf(ctx)
		if meanwhile != nil {
			meanwhile(soon, d)
		}
		rest.Wait(soon)
		cancel()
		if rest.over() && rest.known() {
			all, err := q.All(ctx)
			if err == nil && ctx.Err() != nil { // what All could not find out in time is known when it is asked again
				all.Pending = d.Pending
			}
			return all, err
		}
	}
	return d, q.conn.Alive()
}

// HalfOf is a context with half of the time that is left; without a deadline (tests) there is no half.
func HalfOf(ctx context.Context) (context.Context, context.CancelFunc) {
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
			d.Folders = missing[i:]
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

// A Sweep checks many files of a server that looks at open files only: they are opened a few at a time and closed
// again. What was found stays known until something changes on which it rests ([sweptFiles]). One goroutine uses it.
type Sweep struct {
	q     *Diagnostics
	total int
	last  []string // the files of the part before, which are still open
}

// sweepPart is how many files are asked about together. Those of the part before stay open meanwhile, so that a server
// which loads projects by what is open does not load each anew.
const sweepPart = maxOpenDocuments / 4

type sweepKey struct{}

// sweeps reports whether a document is opened by a [Sweep].
func sweeps(ctx context.Context) bool { return ctx.Value(sweepKey{}) != nil }

// Sweep begins to check files, after another one of this server is over: what that found need not be looked for
// again. known are the reports of the files that are known already, and rest the others, in their order. Close has to
// be called.
func (q *Diagnostics) Sweep(ctx context.Context, paths []string) (sweep *Sweep, known *Diagnosis, rest []string,
	err error) {
	done := q.conn.waits(ctx, "another check of its files")
	select {
	case q.swept.turn <- struct{}{}:
		done()
	case <-ctx.Done():
		done()
		return nil, nil, nil, q.conn.interrupted(ctx, "waiting for another check of the files", context.Cause(ctx))
	}
	sweep = &Sweep{q: q, total: len(paths)}
	q.learnImports(ctx)
	release, err := q.docs.Lock(ctx)
	if err != nil {
		sweep.Close()
		return nil, nil, nil, err
	}
	defer release()
	q.forgetOutdated(ctx)
	known = &Diagnosis{}
	for _, path := range paths {
		have, ok := q.swept.byPath[path]
		if !ok {
			rest = append(rest, path)
			continue
		}
		have.report.Findings = slices.Clip(have.report.Findings) // who adds to them has a copy
		known.Reports, known.Unsure = append(known.Reports, have.report), known.Unsure || have.unsure
	}
	return sweep, known, rest, nil
}

// Check adds to d what the server says of files, in parts, until ctx ends; left are those that it did not come to.
func (s *Sweep) Check(ctx context.Context, paths []string, d *Diagnosis) (left []string, err error) {
	for at := 0; at < len(paths); at += sweepPart {
		done := s.total - len(paths) + at
		if ctx.Err() != nil {
			return append(left, paths[at:]...), nil
		}
		end := s.q.conn.progress(ctx, fmt.Sprintf("checked %d of %d files", done, s.total), 100*done/s.total)
		late, err := s.part(context.WithValue(ctx, sweepKey{}, true), paths[at:min(at+sweepPart, len(paths))], d)
		end()
		if err != nil {
			return nil, err
		}
		left = append(left, late...)
	}
	return left, nil
}

// part is [Sweep.Check] for files that are open together. It has half of the time that is left, so that a file on which
// the server does not report leaves time for the others. late are those on which it did not report in that time; one
// that it refuses is named as silent.
func (s *Sweep) part(ctx context.Context, paths []string, d *Diagnosis) (late []string, err error) {
	q, found := s.q, &Diagnosis{}
	told, before := q.docs.lastEdition(), q.health.ready.status()
	within, cancel := HalfOf(ctx)
	defer cancel()
	err = q.Add(within, paths, found)
	over := within.Err() != nil
	if err != nil {
		s.last = append(s.last, paths...)
		if over && q.conn.Alive() == nil {
			return paths, nil
		}
		return nil, err
	}
	q.remember(ctx, found, told, before)
	s.closeLast()
	s.last = paths
	if over {
		late, found.Silent = found.Silent, nil
	}
	d.Reports, d.Silent = append(d.Reports, found.Reports...), append(d.Silent, found.Silent...)
	d.Unsure = d.Unsure || found.Unsure
	return late, nil
}

// closing bounds the wait for a server that does not take what it is sent, when documents are closed.
const closing = time.Second

// closeLast closes the files of the part before, but for those that others have asked about. A time that is over, or
// a server that ended, leaves them to [Documents.add].
func (s *Sweep) closeLast() {
	ctx, cancel := context.WithTimeout(s.q.conn.life, closing)
	defer cancel()
	docs := s.q.docs
	release, err := docs.Lock(ctx)
	if err != nil {
		return
	}
	defer release()
	for _, path := range s.last {
		if doc := docs.get(path); doc != nil && doc.swept && docs.sendClose(ctx, doc) != nil {
			break
		}
	}
	s.last = nil
}

// Close closes what is still open, and lets the next one begin.
func (s *Sweep) Close() {
	s.closeLast()
	<-s.q.swept.turn
}

// remember keeps what the server said of files, if nothing changed since it was asked.
func (q *Diagnostics) remember(ctx context.Context, found *Diagnosis, told uint64, before Status) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	release, err := q.docs.Lock(ctx)
	if err != nil {
		return
	}
	defer release()
	now := q.health.ready.status()
	if told != q.docs.lastEdition() || q.docs.overlay.Load() != nil || !before.Ready && !q.spec.Diagnostics.Unindexed {
		return
	}
	if !q.sameLoad(before, now) {
		return
	}
	if !q.sameLoad(q.swept.load, now) {
		clear(q.swept.byPath)
	}
	q.swept.load = now
	for _, r := range found.Reports {
		if len(r.Findings) == 0 {
			r.Text = nil // thousands of files without findings need no texts
		}
		q.swept.byPath[r.Path] = sweptFile{r, found.Unsure}
	}
}

// sameLoad reports whether the server checks files at both moments by the same project, apart from changes that it was
// told of.
func (q *Diagnostics) sameLoad(a, b Status) bool {
	return q.spec.Diagnostics.Unindexed || q.projects.loadsByFile() || a.SameLoad(b)
}

// learnImports reads what the sources of the server import that were not read yet, as far as there is time.
func (q *Diagnostics) learnImports(ctx context.Context) {
	means := q.spec.Diagnostics
	if means.Imports == nil || q.hooks.MayInclude != nil {
		return
	}
	told := q.docs.lastEdition()
	learned := map[string]imports{}
	for path := range q.folders.Files() {
		if ctx.Err() != nil {
			break
		}
		if _, known := q.swept.imports[path]; known || !q.spec.Serves(baseName(path)) {
			continue
		}
		if text, err := source.Read(path); err == nil {
			learned[path] = importsOf(q, path, text.Content())
		}
	}
	release, err := q.docs.Lock(ctx)
	if err != nil {
		return
	}
	defer release()
	if told != q.docs.lastEdition() {
		return
	}
	for path, of := range learned {
		q.swept.imports[path] = of
	}
}

// Users are those of paths that may use what is in the changed ones, as far as their texts tell; the caller holds a
// [Sweep].
func (s *Sweep) Users(changed []string) map[string]bool {
	c := &s.q.swept
	if s.q.spec.Diagnostics.Imports == nil {
		return nil
	}
	var sources []string
	for path := range c.imports {
		sources = append(sources, path)
	}
	slices.Sort(sources)
	return lang.Importing(changed, sources, func(path string) []string { return c.imports[path].names })
}

func importsOf(q *Diagnostics, path, text string) imports {
	means := q.spec.Diagnostics
	return imports{means.Imports(text), means.Global != nil && means.Global(filepath.Base(path), text)}
}
