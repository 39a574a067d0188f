package ask

import (
	"cmp"
	"context"
	"errors"
	"time"

	"lspi/answer"
	"lspi/contract"
	"lspi/coverage"
	"lspi/lsp"
	"lspi/router"
)

// MaxAttempts bounds how often one call starts over: because the server crashed, had to be restarted, or began to load
// again while it answered.
const MaxAttempts = 4

// answerReserve is what is left of a call's time for the request itself when the wait for readiness has used the rest.
const answerReserve = 3 * time.Second

// File runs f with the server that answers method for a file, ready and synchronised. f may run more than once and must
// begin afresh each time: a crash, or a reload that began while f asked, makes its answer void, with the warnings and
// steps that f added. What limits the answer is added to the call as warnings.
func File(ctx context.Context, c *answer.Call, path, method string, f func(context.Context, *lsp.Snapshot) error) error {
	return FileForRole(ctx, c, lsp.RoleNavigation, path, method, f)
}

// FileForRole is ask for servers of a role.
func FileForRole(ctx context.Context, c *answer.Call, role lsp.Role, path, method string, f func(context.Context, *lsp.Snapshot) error) error {
	routes, err := c.Routes(path)
	if err != nil {
		return err
	}
	var first error
	for _, r := range router.For(routes, role) {
		err := Route(ctx, c, r, path, method, f)
		if err == nil || !Elsewhere(err) {
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

// Elsewhere reports whether the next server in order of preference may do what this one cannot.
func Elsewhere(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && (e.Kind == contract.KindServerNotInstalled || e.Kind == contract.KindRestricted || e.Kind == contract.KindServerStartFailed ||
		e.Kind == contract.KindServerDisabled || e.Kind == contract.KindMemoryLimit || e.Kind == contract.KindRequestUnsupported && e.Code == 0)
}

// Route is ask at one server. path may be "" for a question that belongs to no file.
func Route(ctx context.Context, c *answer.Call, r router.Route, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	var restarted error
	var o coverage.Outcome
	var shown *lsp.Snapshot // that of the attempt before, of which the server was shown the doubtful files; nil when it was not
	included := false
	held := &holding{}
	defer held.giveBack() // not before the answer is concluded, which asks the server too
	for n := range MaxAttempts {
		notes := c.Begin()
		o = attempt(ctx, c, r, path, method, shown, held, f)
		shown = nil
		if o.Again == coverage.Doubted {
			shown = o.Snapshot
		}
		if o.Again == coverage.No && !included && n < MaxAttempts-1 && ctx.Err() == nil && coverage.Include(ctx, c, r, path, method, o) {
			included, o.Again = true, coverage.Widened
		}
		last := o.Again == coverage.No || n == MaxAttempts-1 || ctx.Err() != nil && o.Again != coverage.Widened
		c.End(notes, last)
		if last {
			break
		}
		held.giveBack()
		if coverage.Crashed(o.Err) {
			restarted = o.Err
		}
	}
	if restarted != nil && !coverage.Crashed(o.Err) {
		c.Warn(contract.WarnServerRestarted, contract.Facts{"server_id": r.Spec.ID},
			r.Spec.ID+" ended while it was asked and was started again")
	}
	err := coverage.Broken(ctx, c, r, method, o, conclude(c, r, method, o))
	if err == nil && o.Server != nil {
		coverage.LackingProject(ctx, c, o.Server, r.Root, path, method, o.Err == nil)
	}
	err = coverage.LoadFailed(ctx, c, r, method, o, err)
	err = coverage.NotInBuild(ctx, c, path, o, err)
	if err == nil || coverage.NotFound(err) {
		coverage.Restricted(c, o.Server, method)
		coverage.Fetches(c, o.Server, path)
	}
	if err == nil && coverage.OfWholeProject(c, method) {
		coverage.Unlisted(ctx, c, o.Server, r.Root, method, o.Asked)
		coverage.Linked(ctx, c, o.Server, r.Root, method)
		coverage.OtherProjects(ctx, c, o.Server, path, method)
		coverage.NotInstalled(ctx, c, o.Server, cmp.Or(path, r.Root), method)
	}
	return coverage.UnreadableFiles(c, o, r.Root, method, err)
}

// holding is the server that the last attempt asked.
type holding struct{ release func() } // nil when there is none

func (h *holding) giveBack() {
	if h.release != nil {
		h.release()
	}
	h.release = nil
}

// attempt asks once. shown is the snapshot of the attempt before, when the server was shown its doubtful files.
func attempt(ctx context.Context, c *answer.Call, r router.Route, path, method string, shown *lsp.Snapshot,
	held *holding, f func(context.Context, *lsp.Snapshot) error) coverage.Outcome {
	began := time.Now()
	s, release, err := c.Servers.Get(ctx, r)
	if err != nil {
		c.Spend(answer.Spent{Waited: time.Since(began)})
		return over(coverage.Outcome{Err: err})
	}
	held.release = release
	o := coverage.Outcome{Server: s.Unverified()}
	if method != "" && !s.Offers(method) {
		o.Err = contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": s.ID(), "method": method}, "%s does not offer %s", s.ID(), method)
		return o
	}
	o.Status, o.Err = prepare(ctx, c, s, path)
	spent := answer.Spent{Waited: time.Since(began)}
	if sync := s.LastSync(); !sync.At.Before(began) {
		spent.Changed = sync.Changed
	}
	c.Spend(spent)
	if errors.Is(o.Err, lsp.ErrRestartNeeded) {
		c.Env.Pool.Restart(s, false)
		o.Again, o.Err = coverage.Outdated, nil
		return o
	}
	if o.Err != nil {
		return over(o)
	}
	if o.Snapshot, o.Err = s.Snapshot(ctx, r.Root, o.Status); o.Err != nil {
		return over(o)
	}
	o.Asked = time.Now()
	o.Err = f(ctx, o.Snapshot)
	c.Spend(answer.Spent{Asked: time.Since(o.Asked)})
	if errors.Is(o.Err, lsp.ErrRestartNeeded) || readAnotherList(ctx, c, o.Snapshot, o.Err) { // it synchronised once more
		c.Env.Pool.Restart(s, false)
		o.Again, o.Err = coverage.Outdated, nil
		return o
	}
	after := s.Status()
	if o.Snapshot.Doubtful() && !coverage.Crashed(o.Err) && ctx.Err() == nil {
		settle(ctx, c, &o, shown)
	}
	if o.Snapshot.Unconfirmed() {
		c.Warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "behind"},
			"part of this answer is what "+s.ID()+" knew before files changed, and lspi could not verify it")
	}
	if !c.IsTrial() { // which looks to that itself
		if o.Snapshot.Reloaded(ctx, after) {
			o.Again = coverage.Reloaded
		}
	}
	o.Status.Health, o.Status.HealthNote = after.Health, after.HealthNote
	return over(o)
}

// readAnotherList reports whether an answer may be of another list of the sources than the one on disk, by which the call will
// judge what the answer lacks. A trial looks to that itself, with its syncs.
func readAnotherList(ctx context.Context, c *answer.Call, s *lsp.Snapshot, err error) bool {
	return !c.IsTrial() && ctx.Err() == nil && !coverage.Crashed(err) && s.ListChanged()
}

// settle shows the server the doubtful files, so that it is asked once more. What it says again of a text that it was
// shown is believed: it is another name for the same. Beyond the files that are shown at once it is believed when it
// proved right in these.
func settle(ctx context.Context, c *answer.Call, o *coverage.Outcome, shown *lsp.Snapshot) {
	s := o.Snapshot
	if shown != nil && !s.Changing() {
		if s.LostSymbols(shown) {
			lostSymbols(c, s)
		}
		if s.Refuted(shown) {
			c.Warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "behind"},
				s.ID()+" had not read the files as they are on disk; lspi could not verify some places of this answer")
		}
		return
	}
	told, err := s.ShowDoubtful(ctx)
	switch {
	case errors.Is(err, lsp.ErrRestartNeeded):
		c.Env.Pool.Restart(s.Server, false)
		o.Again = coverage.Outdated
	case err != nil:
		o.Err = err
	case told:
		o.Again = coverage.Doubted
	case s.LostSymbols(s):
		lostSymbols(c, s)
	}
}

// lostSymbols says that symbols were left out which may have moved to a file that the server was not shown.
func lostSymbols(c *answer.Call, s *lsp.Snapshot) {
	c.Warn(contract.WarnStaleDropped, contract.Facts{"server_id": s.ID()},
		s.ID()+" reports symbols in files that no longer exist; lspi could not find out where they are now")
}

// over is an outcome that the end of the server makes void.
func over(o coverage.Outcome) coverage.Outcome {
	if coverage.Crashed(o.Err) {
		o.Again = coverage.Ended
	}
	return o
}

// prepare makes the server see what is on disk and waits until it is ready, within the call's time.
func prepare(ctx context.Context, c *answer.Call, s *lsp.Server, path string) (lsp.Status, error) {
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
	status := s.Ready(ctx, waitBudget(ctx, s), c.ProgressOf(s))
	parsed, cancel := context.WithTimeout(ctx, max(waitBudget(ctx, s), answerReserve/10))
	defer cancel()
	if left := s.AwaitParsed(parsed); left > 0 {
		c.Warn(contract.WarnNotOpened, contract.Facts{"server_id": s.ID(), "total": left},
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
func conclude(c *answer.Call, r router.Route, method string, o coverage.Outcome) error {
	s := o.Server
	if s == nil || o.Err != nil && Elsewhere(o.Err) {
		return o.Err
	}
	c.AnsweredBy(s.Server)
	loads := o.Again == coverage.Reloaded || o.Again == coverage.No && !o.Status.Ready
	switch {
	case o.Again == coverage.Outdated:
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": s.ID()},
			"lspi restarted %s %d times, because files changed that only a new process reads", s.ID(), MaxAttempts)
	case o.Err != nil && !loads:
		return o.Err
	case o.Err != nil && coverage.NotFound(o.Err):
		loading(c, s, o)
		return coverage.NotFoundYet(s.ID(), o.Err)
	case o.Err != nil && !unanswered(o.Err):
		return o.Err
	}
	loading(c, s, o)
	if o.Again == coverage.Doubted {
		c.Warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "changing"},
			"files kept changing while "+s.ID()+" answered; some places of this answer belong to older texts")
	}
	return nil
}

// loads notes what the state of the server means for the answer.
func loading(c *answer.Call, s *lsp.Snapshot, o coverage.Outcome) {
	w, ok := o.Status.Warning(s.ID())
	if o.Again == coverage.Reloaded {
		ok, w = true, contract.Warning{Kind: contract.WarnIndexing, Facts: contract.Facts{"server_id": s.ID()},
			Message: s.ID() + " reloaded the project again and again while it answered; something may be missing"}
	}
	if !ok {
		return
	}
	c.AddWarning(w)
	if w.Kind == contract.WarnIndexing {
		c.Step(c.Repeat("Repeat the call when "+s.ID()+" has loaded more of the project.", nil))
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
