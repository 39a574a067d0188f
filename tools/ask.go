package tools

import (
	"cmp"
	"context"
	"errors"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
)

// maxAttempts bounds how often one call starts over: because the server crashed, had to be restarted, or began to load
// again while it answered.
const maxAttempts = 4

// answerReserve is what is left of a call's time for the request itself when the wait for readiness has used the rest.
const answerReserve = 3 * time.Second

// ask runs f with the server that answers method for a file, ready and synchronised. f may run more than once and must
// begin afresh each time: a crash, or a reload that began while f asked, makes its answer void, with the warnings and
// steps that f added. What limits the answer is added to the call as warnings.
func (c *Call) ask(ctx context.Context, path, method string, f func(context.Context, *lsp.Server) error) error {
	return c.askFor(ctx, lsp.RoleNavigation, path, method, f)
}

// askFor is ask for servers of a role.
func (c *Call) askFor(ctx context.Context, role lsp.Role, path, method string, f func(context.Context, *lsp.Server) error) error {
	routes, err := c.routes(path)
	if err != nil {
		return err
	}
	var first error
	for _, r := range router.For(routes, role) {
		err := askRoute(ctx, c, r, path, method, f)
		if err == nil || !elsewhere(err) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"method": method, "file_path": path},
			"no configured server answers %s for %s", method, path)
	}
	return first
}

// elsewhere reports whether the next server in order of preference may do what this one cannot.
func elsewhere(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && (e.Kind == contract.KindServerNotInstalled || e.Kind == contract.KindRestricted || e.Kind == contract.KindServerStartFailed ||
		e.Kind == contract.KindServerDisabled || e.Kind == contract.KindMemoryLimit || e.Kind == contract.KindRequestUnsupported && e.Code == 0)
}

// askRoute is ask at one server. path may be "" for a question that belongs to no file.
func askRoute(ctx context.Context, c *Call, r router.Route, path, method string,
	f func(context.Context, *lsp.Server) error) error {
	var restarted error
	var o outcome
	var shown *lsp.Doubts // what the attempt before doubted and the server was shown; nil when it was not
	included := false
	held := &holding{}
	defer held.giveBack() // not before the answer is concluded, which asks the server too
	for n := range maxAttempts {
		notes := c.begin()
		o = c.attempt(ctx, r, path, method, shown, held, f)
		shown = nil
		if o.again == doubted {
			shown = o.doubts
		}
		if o.again == no && !included && n < maxAttempts-1 && ctx.Err() == nil && include(ctx, c, r, path, method, o) {
			included, o.again = true, widened
		}
		last := o.again == no || n == maxAttempts-1 || ctx.Err() != nil && o.again != widened
		c.end(notes, last)
		if last {
			break
		}
		held.giveBack()
		if crashed(o.err) {
			restarted = o.err
		}
	}
	if restarted != nil && !crashed(o.err) {
		c.warn(contract.WarnServerRestarted, contract.Facts{"server_id": r.Spec.ID},
			r.Spec.ID+" ended while it was asked and was started again")
	}
	err := c.broken(ctx, r, method, o, c.conclude(r, method, o))
	if err == nil && o.server != nil {
		c.lackingProject(ctx, o.server, r.Root, path, method, o.err == nil)
	}
	err = c.loadFailed(ctx, r, method, o, err)
	err = c.notInBuild(ctx, path, o, err)
	if err == nil || notFound(err) {
		c.restricted(o.server, method)
		c.fetches(o.server, path)
	}
	if err == nil && c.ofWholeProject(method) {
		unlisted(ctx, c, o.server, r.Root, method, o.asked)
		c.linked(ctx, o.server, r.Root, method)
		otherProjects(ctx, c, o.server, path, method)
		notInstalled(ctx, c, o.server, cmp.Or(path, r.Root), method)
	}
	return c.unreadableFiles(o, r.Root, method, err)
}

// mended reports whether a load that had failed when the question was asked has come to a good end since.
func (o outcome) mended(ctx context.Context, root string) bool {
	if o.loadFailure.Reason == "" {
		return false
	}
	_, failed := o.server.LoadFailed(ctx, root)
	return !failed
}

// holding is the server that the last attempt asked.
type holding struct{ release func() } // nil when there is none

func (h *holding) giveBack() {
	if h.release != nil {
		h.release()
	}
	h.release = nil
}

// attempt asks once. shown is what the attempt before doubted and the server was shown, nil when it was shown nothing.
func (c *Call) attempt(ctx context.Context, r router.Route, path, method string, shown *lsp.Doubts,
	held *holding, f func(context.Context, *lsp.Server) error) outcome {
	began := time.Now()
	s, release, err := c.env.Pool.Get(ctx, r)
	if err != nil {
		c.spend(Spent{Waited: time.Since(began)})
		return over(outcome{err: err})
	}
	held.release = release
	o := outcome{server: s}
	if method != "" && !s.Offers(method) {
		o.err = contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": s.ID(), "method": method}, "%s does not offer %s", s.ID(), method)
		return o
	}
	o.status, o.err = c.prepare(ctx, s, path)
	spent := Spent{Waited: time.Since(began)}
	if sync := s.LastSync(); !sync.At.Before(began) {
		spent.Changed = sync.Changed
	}
	c.spend(spent)
	if errors.Is(o.err, lsp.ErrRestartNeeded) {
		c.env.Pool.Restart(s, false)
		o.again, o.err = outdated, nil
		return o
	}
	if o.err != nil {
		return over(o)
	}
	o.loadFailure, _ = s.LoadFailed(ctx, r.Root)
	doubting, doubts := lsp.Doubting(ctx)
	o.asked = time.Now()
	o.err = f(doubting, s)
	c.spend(Spent{Asked: time.Since(o.asked)})
	if errors.Is(o.err, lsp.ErrRestartNeeded) || c.readAnotherList(ctx, s, o.err) { // it synchronised once more
		c.env.Pool.Restart(s, false)
		o.again, o.err = outdated, nil
		return o
	}
	o.doubts = doubts
	after := s.Status()
	if doubts.Any() && !crashed(o.err) && ctx.Err() == nil {
		c.settle(ctx, s, &o, shown)
	}
	if doubts.Open() {
		c.warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "behind"},
			"some of this answer is what "+s.ID()+" knows of changed files from before, and could not be checked")
	}
	if !c.isTrial() { // which looks to that itself
		if after.Generation != o.status.Generation || after.Ready && !o.status.Ready || o.mended(ctx, r.Root) {
			o.again = reloaded
		}
	}
	o.status.Health, o.status.HealthNote = after.Health, after.HealthNote
	return over(o)
}

// readAnotherList reports whether an answer may be of another list of the sources than the one on disk, by which the call will
// judge what the answer lacks. A trial looks to that itself, with its syncs.
func (c *Call) readAnotherList(ctx context.Context, s *lsp.Server, err error) bool {
	return !c.isTrial() && ctx.Err() == nil && !crashed(err) && s.ListChanged()
}

// settle shows the server what is in doubt, so that it is asked once more. What it says again of a text that it was
// shown is believed: it is another name for the same. Beyond the files that are shown at once it is believed when it
// proved right in these.
func (c *Call) settle(ctx context.Context, s *lsp.Server, o *outcome, shown *lsp.Doubts) {
	if shown != nil && !o.doubts.Behind() {
		if o.doubts.Lost(shown) {
			c.lostSymbols(s)
		}
		if o.doubts.Refuted(shown) {
			c.warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "behind"},
				s.ID()+" was behind what is on disk; some places of this answer could not be checked")
		}
		return
	}
	told, err := s.Show(ctx, o.doubts)
	switch {
	case errors.Is(err, lsp.ErrRestartNeeded):
		c.env.Pool.Restart(s, false)
		o.again = outdated
	case err != nil:
		o.err = err
	case told:
		o.again = doubted
	case o.doubts.Lost(o.doubts):
		c.lostSymbols(s)
	}
}

// lostSymbols says that symbols were left out which may have moved to a file that the server was not shown.
func (c *Call) lostSymbols(s *lsp.Server) {
	c.warn(contract.WarnStaleDropped, contract.Facts{"server_id": s.ID()},
		s.ID()+" places symbols in files that are gone; where they are now could not be found out")
}

// over is an outcome that the end of the server makes void.
func over(o outcome) outcome {
	if crashed(o.err) {
		o.again = ended
	}
	return o
}

// prepare makes the server see what is on disk and waits until it is ready, within the call's time.
func (c *Call) prepare(ctx context.Context, s *lsp.Server, path string) (lsp.Status, error) {
	if err := s.Sync(ctx); err != nil {
		return lsp.Status{}, err
	}
	if path != "" {
		if _, err := s.Open(ctx, path); err != nil {
			return lsp.Status{}, err
		}
	} else if err := s.OpenAny(ctx); err != nil {
		return lsp.Status{}, err
	}
	status := s.Ready(ctx, waitBudget(ctx, s), c.progressOf(s))
	parsed, cancel := context.WithTimeout(ctx, max(waitBudget(ctx, s), answerReserve/10))
	defer cancel()
	if left := s.AwaitParsed(parsed); left > 0 {
		c.warn(contract.WarnNotOpened, contract.Facts{"server_id": s.ID(), "total": left},
			s.ID()+" is still reading files that changed")
	}
	return status, nil
}

// waitBudget is how long a call waits for readiness: what the server's row says, but never so long that no time is left
// to ask.
func waitBudget(ctx context.Context, s *lsp.Server) time.Duration {
	budget := s.Spec().Timeouts.Warmup
	if budget <= 0 {
		budget = lsp.DefaultWarmup
	}
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline)-answerReserve)
	}
	return max(budget, 0)
}

// conclude adds what the server's state means for the answer of the last attempt. What a server cannot answer because it
// still loads is a partial answer and not an error; that it knows no such symbol is one, which the next call may not have.
func (c *Call) conclude(r router.Route, method string, o outcome) error {
	s := o.server
	if s == nil || o.err != nil && elsewhere(o.err) {
		return o.err
	}
	c.answeredBy(s)
	loads := o.again == reloaded || o.again == no && !o.status.Ready
	switch {
	case o.again == outdated:
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": s.ID()},
			"%s was restarted %d times because files changed that only a new process reads", s.ID(), maxAttempts)
	case o.err != nil && !loads:
		return o.err
	case o.err != nil && notFound(o.err):
		c.loading(s, o)
		return notFoundYet(s.ID(), o.err)
	case o.err != nil && !unanswered(o.err):
		return o.err
	}
	c.loading(s, o)
	if o.again == doubted {
		c.warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "changing"},
			"files kept changing while "+s.ID()+" was asked; some places of this answer are of older texts")
	}
	return nil
}

// loads notes what the state of the server means for the answer.
func (c *Call) loading(s *lsp.Server, o outcome) {
	w, ok := o.status.Warning(s.ID())
	if o.again == reloaded {
		ok, w = true, contract.Warning{Kind: contract.WarnIndexing, Facts: contract.Facts{"server_id": s.ID()},
			Message: s.ID() + " reloaded the project again and again while it answered; something may be missing"}
	}
	if !ok {
		return
	}
	c.addWarning(w)
	if w.Kind == contract.WarnIndexing {
		c.step(c.repeat("Repeat the call when "+s.ID()+" has loaded more of the project.", nil))
	}
}

// unanswered reports whether the server did not answer in time, or refused with an error of its own: rust-analyzer
// answers -32603 "file not found" while it loads.
func unanswered(err error) bool {
	var e *contract.Error
	if errors.As(err, &e) && e.Kind == contract.KindRequestFailed {
		return e.Code != 0
	}
	return errors.As(err, &e) && e.Category() == contract.Timeout || errors.Is(err, context.DeadlineExceeded)
}
