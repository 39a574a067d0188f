package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// What a server says of a file comes in stages: the errors in the file itself, which are there soon after an edit,
// and later what other files, tests and an external checker bring. [Diagnostics.First] answers after the first
// stage. [Diagnostics.Finish] goes on behind the answer, so that a later one can tell what the other stages brought
// ([Rest]).

// errPending is why the findings of the external checker are not there yet.
var errPending = errors.New("it has not run yet")

// First is [Diagnostics.Of] as far as it is there soon. What the server has not looked at by then is named in
// Pending; without that the diagnosis is that of Of. All that is in it is of the texts that are on disk.
func (q *Diagnostics) First(ctx context.Context, paths []string) (*Diagnosis, error) {
	last, err := q.last(ctx)
	if err != nil {
		return nil, err
	}
	// The other stages are over for these very texts, so that all is there; or the checker could not run, which
	// would be so again.
	if last != nil && last.covers(paths) && last.over() && last.known() {
		if last.why == nil {
			return q.Of(ctx, paths)
		}
		return q.diagnoseInParts(ctx, paths, &Diagnosis{Check: last.why})
	}
	d := &Diagnosis{}
	if q.check != nil && q.projects.Missing(q.folders.root) == nil && !q.checked(ctx) {
		d.Pending = append(d.Pending, q.check.spec.Title)
		d.Check = errPending // keeps what the checker found in older texts out of the reports
	} else if err := q.runCheck(ctx, d); err != nil {
		return nil, err
	}
	soon, rest := q.split(ctx, paths)
	for part := range slices.Chunk(soon, maxOpenDocuments/2) { // as in of
		failed, err := q.pullEach(ctx, part, d)
		if err != nil {
			return nil, err
		}
		rest = append(rest, failed...)
	}
	if len(d.Reports) > 0 {
		d.Pending = append(d.Pending, q.spec.Diagnostics.First.Pending)
	}
	if d, err = q.diagnoseInParts(ctx, rest, d); err == nil && errors.Is(d.Check, errPending) {
		d.Check = nil
	}
	return d, err
}

// FirstOfTexts is what [Diagnostics.First] finds of files by the texts that the server has, an overlay included,
// where no file beside them has an error as well: the files that the server compiles with them. alone is false
// where that is not so, or the server does not tell soon; then only all that it has tells what an edit does.
func (q *Diagnostics) FirstOfTexts(ctx context.Context, paths, beside []string) (d *Diagnosis, alone bool, err error) {
	if soon, _ := q.split(ctx, paths); len(soon) < len(paths) || q.check != nil {
		return nil, false, nil
	}
	d = &Diagnosis{}
	failed, err := q.pullEach(ctx, paths, d, beside...)
	return d, err == nil && len(failed) == 0, err
}

// checked reports whether the external checker has seen the texts as they are now, so that nothing is to be waited
// for. While a run is under way, which holds the turn, it has not.
func (q *Diagnostics) checked(ctx context.Context) bool {
	c := q.check
	edits, err := q.docs.Edits(ctx)
	if err != nil {
		return false
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	default:
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started && c.edits == edits && c.load.SameLoad(q.health.ready.status()) && c.began > c.base &&
		len(c.active) == 0
}

// split takes out the files for which [spec.FirstErrors] holds. There are none when the last load failed: what the
// server then says of one file is not all that it knows of it. A file outside of the build is none of them either.
func (q *Diagnostics) split(ctx context.Context, paths []string) (soon, rest []string) {
	first := q.spec.Diagnostics.First
	if first == nil || q.health.LoadFailing() {
		return nil, paths
	}
	outside, _ := q.projects.outsideBuild(ctx)
	for _, path := range paths {
		if !outside[path] && slices.Contains(first.Languages, q.spec.LanguageID(baseName(path))) {
			soon = append(soon, path)
		} else {
			rest = append(rest, path)
		}
	}
	return soon, rest
}

// maxPulls is how many files are asked for at a time.
const maxPulls = 8

// pullEach asks for files at the same time, and adds the reports to d in the order of paths. failed are those that
// the server refused, of which it has to be asked otherwise: all of them where a file that is compiled with them
// has an error.
func (q *Diagnostics) pullEach(ctx context.Context, paths []string, d *Diagnosis, beside ...string) (failed []string,
	err error) {
	// All are open before one is asked for, so that each is judged by the texts of all.
	for _, path := range paths {
		if _, err := q.docs.Open(ctx, path); err != nil && FatalAnswer(err) {
			return nil, err
		}
	}
	if err := q.projects.askExcluded(ctx, paths, d); err != nil {
		return nil, err
	}
	tests, beside := q.witnesses(paths, beside)
	if len(tests)+len(beside) > maxWitnesses {
		return paths, nil
	}
	parts, errs := make([]Diagnosis, len(paths)), make([]error, len(paths))
	broken, refused := make([]bool, len(tests)+len(beside)), make([]error, len(tests)+len(beside))
	pull := func(i int) func() {
		return func() {
			parts[i].Check = d.Check
			errs[i] = q.pull(ctx, paths[i], &parts[i])
		}
	}
	look := func(i int, path string) func() {
		return func() { broken[i], refused[i] = q.findsErrors(ctx, path) }
	}
	// Two turns: gopls 0.23 analyses a package anew for each file of it that it is asked for at the same time, and
	// for one that comes later it knows what it found for the first. The edited files, and the tests with which
	// they are compiled once more, are of different packages.
	var first, then []func()
	turn := func(of map[string]bool, path string, job func()) {
		if dir := filepath.Dir(path); of[dir] {
			then = append(then, job)
		} else {
			first, of[dir] = append(first, job), true
		}
	}
	sources, tested := map[string]bool{}, map[string]bool{}
	for i, path := range paths {
		turn(sources, path, pull(i))
	}
	for i, path := range tests {
		turn(tested, path, look(i, path))
	}
	for i, path := range beside {
		turn(sources, path, look(len(tests)+i, path))
	}
	for _, jobs := range [][]func(){first, then} {
		together(len(jobs), func(i int) { jobs[i]() })
		for _, err := range refused {
			if err != nil && FatalAnswer(err) {
				return nil, err
			}
		}
		if slices.Contains(broken, true) { // only all that the server has tells of these files
			return paths, nil
		}
	}
	for i, err := range errs {
		switch {
		case err == nil:
			d.Reports = append(d.Reports, parts[i].Reports...)
		case FatalAnswer(err):
			return nil, err
		default:
			failed = append(failed, paths[i])
		}
	}
	return failed, nil
}

// together runs a job for each number below n, maxPulls at a time.
func together(n int, job func(i int)) {
	room := make(chan struct{}, maxPulls)
	var all sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			job(i)
		})
	}
	all.Wait()
}

// maxWitnesses bounds the further files that are asked for; with more of them the server is asked for everything.
const maxWitnesses = 100

// witnesses are the further files to ask for, to know whether what the server says of files alone is all that it
// has: the tests that a hook names (Witnesses), and those that the caller names beside the files.
func (q *Diagnostics) witnesses(paths, besides []string) (tests, beside []string) {
	if witnesses := q.hooks.Witnesses; witnesses != nil {
		for _, path := range paths {
			tests = append(tests, witnesses(path)...)
		}
	}
	slices.Sort(tests)
	tests = slices.DeleteFunc(slices.Compact(tests), func(w string) bool { return slices.Contains(paths, w) })
	return tests, slices.DeleteFunc(slices.Clone(besides), func(w string) bool {
		return slices.Contains(paths, w) || slices.Contains(tests, w)
	})
}

// findsErrors asks the server whether a file has errors, without opening the file. A file that the server refuses
// has none.
func (q *Diagnostics) findsErrors(ctx context.Context, path string) (bool, error) {
	var report documentReport
	params := map[string]any{"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)}}
	if err := q.conn.requestUnoffered(ctx, MethodDocumentDiag, params, &report); err != nil || report.Items == nil {
		return false, err
	}
	items, more := decodeDiagnostics(*report.Items)
	return more > 0 || slices.ContainsFunc(items, func(d Diagnostic) bool { return d.Severity <= 1 }), nil
}

// restTime bounds how long the other stages are followed behind an answer.
const restTime = 2 * time.Minute

// restDelay is how long a server rests behind an answer before it is asked to look at everything: what it is asked
// next does not have to wait for that, and an edit that follows makes it needless. It is the time that gopls takes
// before it does so by itself (0.23.0).
const restDelay = time.Second

// Rest is what a server has to say behind the answer of [Diagnostics.First]. It may be used concurrently.
type Rest struct {
	Paths []string // the files that were asked about

	q      *Diagnostics
	all    bool          // it is about the workspace
	open   []string      // of one about the workspace: the files that are open, sorted, at which analysers look
	edits  uint64        // of the texts that it is about
	told   uint64        // [Documents.lastEdition] of the same moment: while it is the same, no overlay was shown
	cancel func()        // ends it
	hurry  func()        // somebody waits for it; closes begin
	begin  chan struct{} // closed when it is not to wait any more before it asks for pushes
	done   chan struct{} // closed when it is over; found, why and left are set before
	found  *Diagnosis    // of all files that have findings; nil when it is not known
	why    error         // why the external checker cannot run; nil when it can
	left   string        // why found is nil, for the model
}

// Finish lets the server go on with what a diagnosis left pending, and returns at once. Of the same texts there is
// one Rest, and of older ones none goes on.
func (q *Diagnostics) Finish(ctx context.Context, paths []string) (*Rest, error) {
	return q.continueRest(ctx, &Rest{Paths: paths})
}

// continueRest is [Diagnostics.Finish] for a Rest that already names its files.
func (q *Diagnostics) continueRest(ctx context.Context, r *Rest) (*Rest, error) {
	last, err := q.last(ctx)
	if err != nil {
		return nil, err
	}
	if last != nil && last.all == r.all && slices.Equal(last.open, r.open) && last.covers(r.Paths) &&
		(!last.over() || last.known()) {
		return last, nil
	}
	edits, err := q.docs.Edits(ctx)
	if err != nil {
		return nil, err
	}
	// The answer may be long gone when it is over, so the context is that of the server.
	behind, cancel := context.WithTimeout(q.conn.life, restTime)
	r.q, r.edits, r.told, r.cancel, r.done, r.begin = q, edits, q.docs.lastEdition(), cancel, make(chan struct{}),
		make(chan struct{})
	r.hurry = sync.OnceFunc(func() { close(r.begin) })
	q.restMu.Lock()
	if q.rest != nil {
		q.rest.cancel()
	}
	q.rest = r
	q.restMu.Unlock()
	go r.follow(behind)
	return r, nil
}

// last is the Rest about the texts as they are now; nil when there is none. One about older texts is ended: a
// checker that runs for it would keep the next run waiting.
func (q *Diagnostics) last(ctx context.Context) (*Rest, error) {
	edits, err := q.docs.Edits(ctx)
	if err != nil {
		return nil, err
	}
	q.restMu.Lock()
	defer q.restMu.Unlock()
	if q.rest != nil && q.rest.edits != edits {
		q.rest.cancel()
		q.rest = nil
	}
	return q.rest, nil
}

// DropRest ends the Rest that goes on, because nobody is left who would ask for it.
func (q *Diagnostics) DropRest() {
	q.restMu.Lock()
	defer q.restMu.Unlock()
	if q.rest != nil {
		q.rest.cancel()
		q.rest = nil
	}
}

// follow waits for the other stages.
func (r *Rest) follow(ctx context.Context) {
	defer r.cancel()
	defer close(r.done)
	all := r.await(ctx)
	switch {
	// What was pushed while an overlay was shown may be about texts that nobody wrote.
	case all && r.q.docs.lastEdition() == r.told:
		r.found = &Diagnosis{Reports: r.q.Pushed()}
	case all:
		r.left = "an edit was tried in memory meanwhile"
	case r.why != nil:
		r.left = r.why.Error()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.left = fmt.Sprintf("it was not over after %v", restTime)
	case ctx.Err() != nil && r.q.conn.life.Err() == nil:
		r.left = "another get_diagnostics took its place"
	}
}

// await reports whether the server has looked at everything.
func (r *Rest) await(ctx context.Context) bool {
	q, d := r.q, &Diagnosis{}
	if !q.health.ready.wait(ctx, restTime, q.conn.life.Done(), nil).Ready {
		return false
	}
	if q.runCheck(ctx, d) != nil {
		return false
	}
	if d.Check != nil {
		// That it takes too long is not kept: the next question waits for it anew.
		if errors.As(d.Check, new(*Unchecked)) || errors.As(d.Check, new(*UnlockedError)) {
			r.why = d.Check
		}
		return false
	}
	if pusher := q.pusher(); pusher != nil {
		select {
		case <-r.begin:
		case <-time.After(restDelay):
		case <-ctx.Done():
			return false
		}
		return askPushes(ctx, pusher, slices.Concat(r.Paths, q.folders.anyOfEach()), d) == nil && len(d.Silent) == 0
	}
	return true
}

// Pushed are the files of which the server has pushed findings, each with the last of them. They may be of older
// texts while it works.
func (q *Diagnostics) Pushed() []Report {
	d := &Diagnosis{}
	known, _ := q.store.known()
	for _, path := range known {
		q.addPushed(path, d)
	}
	return d.Reports
}

// covers reports whether files are among those that were asked about.
func (r *Rest) covers(paths []string) bool {
	return !slices.ContainsFunc(paths, func(p string) bool { return !slices.Contains(r.Paths, p) })
}

// known reports, of one that is over, whether the server would say the same again.
func (r *Rest) known() bool { return r.found != nil || r.why != nil }

func (r *Rest) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Wait waits until it is over, or ctx ends.
func (r *Rest) Wait(ctx context.Context) {
	r.hurry()
	defer r.q.conn.waits(ctx, "diagnostics of all files")()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// RestState is how far a [Rest] has come.
type RestState int

// The states of a [Rest].
const (
	RestRuns       RestState = iota // nobody has to wait
	RestOver                        // the server has looked at everything
	RestOutdated                    // files changed since: only a new question tells what is true now
	RestUnfinished                  // the server has not looked at everything, and does not go on
)

// Errors are the errors that the server has found in any file, once it is over. left is why it is unfinished.
func (r *Rest) Errors(ctx context.Context) (found []Report, state RestState, left string) {
	if r.q.conn.life.Err() != nil {
		return nil, RestUnfinished, "its process ended"
	}
	if !r.over() {
		return nil, RestRuns, ""
	}
	edits, err := r.q.docs.Edits(ctx)
	switch {
	case err != nil:
		return nil, RestRuns, "" // the next answer asks again
	case edits != r.edits:
		return nil, RestOutdated, ""
	case r.found == nil:
		return nil, RestUnfinished, cmp.Or(r.left, "it did not report on every file")
	}
	for _, report := range r.found.Reports {
		report.Findings = slices.DeleteFunc(slices.Clone(report.Findings), func(f Finding) bool {
			return f.Severity != "error"
		})
		if len(report.Findings) > 0 {
			found = append(found, report)
		}
	}
	return found, RestOver, ""
}
