package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// checkRun follows the server's external checker. lspi alone starts it (the row switches off what the server would
// start by itself), so that the progress that begins after the notification is that of this run.
// Two locks: turn is held for a whole run, so that one call starts it and the others wait for its end instead of
// starting their own; mu guards what the progress notifications change, which come at any time.
type checkRun struct {
	spec *spec.Check
	turn chan struct{} // held by whoever runs the checker

	mu      sync.Mutex
	active  map[string]bool // progress under way, by token; guarded by mu
	began   int             // progress that began; guarded by mu
	changed chan struct{}   // closed and replaced at every change; guarded by mu

	started bool   // a run was started; needs turn
	edits   uint64 // Documents.edits that it was started for; needs turn
	base    int    // what had begun before it; needs turn
	// of the project that it was started for: a reload drops what was found, at its beginning or at its end; needs turn
	load Status
}

// newCheckRun is nil for a server without an external checker; progress may be told to nil.
func newCheckRun(spec *spec.Check) *checkRun {
	if spec == nil {
		return nil
	}
	return &checkRun{spec: spec, turn: make(chan struct{}, 1), active: map[string]bool{}, changed: make(chan struct{})}
}

// progress takes $/progress of any kind.
func (c *checkRun) progress(params json.RawMessage) {
	if c == nil {
		return
	}
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	var token string
	// Only by its token is the checker's progress told from that of the load; a token that is a number belongs to
	// something else.
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Token, &token) != nil ||
		!strings.HasPrefix(token, c.spec.Token) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch p.Value.Kind {
	case "begin":
		c.active[token] = true
		c.began++
	case "end":
		delete(c.active, token)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// count is how many runs have begun; it only grows, so that two values show whether one began between them.
func (c *checkRun) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.began
}

// until waits for a state; false when ctx or the server ends first.
func (c *checkRun) until(ctx context.Context, gone <-chan struct{}, state func() bool) bool {
	for {
		c.mu.Lock()
		// state is called under mu, and must not take it. Both are read together, so that a change between them is
		// not missed.
		there, changed := state(), c.changed
		c.mu.Unlock()
		if there {
			return true
		}
		select {
		case <-changed:
		case <-gone:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// checkStart bounds the wait for the checker to start: a server that cannot run it tells nobody.
const checkStart = 10 * time.Second

// runCheck runs the external checker, if the server has one, unless its last run saw the texts as they are now.
func (q *Diagnostics) runCheck(ctx context.Context, d *Diagnosis) error {
	c := q.check
	// Without a project file the checker has nothing to run on, and would be waited for in vain.
	if c == nil || q.projects.Missing(q.folders.root) != nil {
		return nil
	}
	defer q.conn.waits(ctx, c.spec.Title)()
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		d.Check = &CheckRunningError{c.spec.Title}
		return nil
	case <-q.conn.life.Done():
		return q.conn.crashed()
	}
	if d.Check = q.checkOnce(ctx); d.Check != nil {
		// A reason why the check is missing is part of the diagnosis and no error; only the end of the server is one.
		return q.conn.Alive()
	}
	q.fence(ctx) // some pushes of the checker's last turn may follow the end of its progress
	// The fence did not come through, so that some findings may still be on their way.
	if ctx.Err() != nil {
		d.Check = fmt.Errorf("%s has not told all yet", c.spec.Title)
	}
	if why := q.uncheckable(); why != nil {
		d.Check, c.started = why, false // what mends it may lie outside of the project: the next question runs it again
	}
	return q.conn.Alive()
}

// checkReserve is left of the time for what the server itself finds when the checker takes too long.
const checkReserve = 2 * time.Second

// checkOnce starts a run, unless the last one was for the texts as they are now, and waits for its end. So a long run
// comes to its end across calls.
func (q *Diagnostics) checkOnce(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		// A check of a large crate takes minutes. The call then ends with what the server itself knows, and says
		// that the checker is still running.
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(checkReserve, time.Until(deadline)/2)))
		defer cancel()
	}
	edits, err := q.docs.Edits(ctx)
	if err != nil {
		return err
	}
	c, load := q.check, q.health.ready.status()
	// A run counts for as long as no file of the project changed and the project was not loaded anew; a reload
	// makes the server drop what the checker found.
	anew := !c.started || c.edits != edits || !c.load.SameLoad(load)
	if anew && c.started {
		// Nothing tells the beginning of one run from that of another; one that nobody waited for may still be
		// about to begin.
		if err := q.awaitBegin(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	}
	if anew {
		// Before each run, because the lock file may have become stale since the last one.
		if before := q.hooks.BeforeCheck; before != nil {
			if err := before(); err != nil {
				return q.unlocked(err)
			}
		}
		// The count is taken before the notification, so that progress that begins after it is that of this run.
		c.started, c.edits, c.base, c.load = true, edits, c.count(), load
		if err := q.conn.wire.Notify(ctx, c.spec.Notification, map[string]any{"textDocument": nil}); err != nil {
			return q.conn.Failure(ctx, c.spec.Notification, err)
		}
	}
	if err := q.awaitBegin(ctx); err != nil {
		return err
	}
	// When the time is over the run goes on, and the fields keep it: the next call waits for the same run.
	if !c.until(ctx, q.conn.life.Done(), func() bool { return len(c.active) == 0 }) {
		// The text is shown to the host; the step that goes with it is to ask again.
		return &CheckRunningError{c.spec.Title}
	}
	return nil
}

// CheckRunningError says that a checker has begun and had no time to end: the next question waits for the same run.
type CheckRunningError struct{ Title string }

func (e *CheckRunningError) Error() string { return e.Title + " is still running" }

// UnlockedError is why a checker was not run: it would have written a lock file.
type UnlockedError struct {
	Title   string // of the checker
	Path    string // of the lock file
	Missing bool   // there is none; otherwise it does not fit
	Command string // that writes it, in its folder
}

// Error names the lock file and not the command: that is told in a step, with its folder.
func (e *UnlockedError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s was not run, because it would write %s, which is not there", e.Title, e.Path)
	}
	return fmt.Sprintf("%s did not run: perhaps because it would have to change %s, and lspi lets it write nothing",
		e.Title, e.Path)
}

// unlocked names the checker in an error about its lock file.
func (q *Diagnostics) unlocked(err error) error {
	var e *UnlockedError
	if errors.As(err, &e) {
		e.Title = q.check.spec.Title
	}
	return err
}

// awaitBegin waits until the run has begun that was started last. It needs the turn of the check.
func (q *Diagnostics) awaitBegin(ctx context.Context) error {
	c := q.check
	start, cancel := context.WithTimeout(ctx, checkStart)
	defer cancel()
	// That it began, and not that it is running: a short run may be over before this looks.
	if c.until(start, q.conn.life.Done(), func() bool { return c.began > c.base }) {
		return nil
	}
	// It did not begin in time, though there was time: the next question tries once more. When the caller's own
	// time was over, the run may still begin.
	if ctx.Err() == nil {
		c.started = false
	}
	return fmt.Errorf("%s did not start", c.spec.Title)
}

// quietRounds is how many answers in turn must bring no push before them. One is enough unless the system holds up
// the thread with the last push for longer than another takes for its answer: on a busy machine such a thread would
// run if it could, which is waited for as long as workingLimit, since the server may work at something else.
const (
	quietRounds  = 3
	workingLimit = 2 * time.Second
)

// fence returns when the pushes have come that the server had decided on. Where one thread writes all, an answer,
// be it a refusal, follows them. A server that leaves them to several threads (Check.Fence) is asked for something
// that the same threads answer, which take up pushes and requests in their order, until no more pushes come.
func (q *Diagnostics) fence(ctx context.Context) {
	method := q.spec.Diagnostics.Check.Fence
	if method == "" {
		// The answer is an error of an unknown method, which is what is wanted: a sign that all before it was written.
		_ = q.conn.send(ctx, methodFence, nil, nil)
		return
	}
	params := protocol.TextDocumentIdentifier{URI: uri.File(cmp.Or(q.projects.SomeFile(q.folders.root),
		q.folders.root))}
	began := time.Now()
	for quiet := 0; quiet < quietRounds && ctx.Err() == nil && q.conn.life.Err() == nil; quiet++ {
		before := q.store.count()
		_ = q.conn.send(ctx, method, params, nil)
		working := process.Works(q.conn.PID()) && time.Since(began) < workingLimit
		// A push came before the answer, so that more may follow: the rounds are counted anew.
		if working || q.store.count() != before {
			quiet = -1
		}
		if working { // which needs the processor that this would take
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
		}
	}
}

// methodFence is unknown to every server.
const methodFence = "lspi/fence"

// Unchecked is why the external checker could not be run, in the server's words.
type Unchecked struct{ Title, Why string }

// uncheckable is that error when the server says so; nil when the checker ran.
func (q *Diagnostics) uncheckable() error {
	why := q.health.complaint(spec.ComplaintCheck)
	if why == "" {
		return nil
	}
	if refused := q.hooks.CheckRefused; refused != nil {
		if err := refused(why); err != nil {
			return q.unlocked(err)
		}
	}
	title := q.check.spec.Title
	return &Unchecked{Title: title, Why: strings.TrimPrefix(why, title+" failed to start: ")}
}

// Error has the server's words on one line, cut: cargo's may be a page.
func (u *Unchecked) Error() string {
	return u.Title + " could not be run: " + Cut(strings.Join(strings.Fields(u.Why), " "), 600)
}
