package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
)

// MaxAttempts bounds how often one call starts over, because the server crashed, had to be restarted,
// or reloaded while it answered. It is a bound and no target: an attempt is only repeated for a reason
// that the next one may not meet. Attempts that ended because somebody stopped or restarted the server
// do not count, since they say nothing of the next one; the call's time bounds them.
const MaxAttempts = 4

// answerReserve is what the wait for readiness leaves of a call's time for the request itself.
const answerReserve = 3 * time.Second

// File runs f with the server that answers method for a file, ready and synchronised with the disk. f
// may run more than once and must begin afresh each time: when an attempt is void, the warnings and
// steps that f added are taken back, but not what f wrote elsewhere. What limits the answer is added to
// the call as warnings.
func File(ctx context.Context, c *answer.Call, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	return FileForRole(ctx, c, spec.RoleNavigation, path, method, f)
}

// FileForRole is [File] for servers of a role, in order of preference. The next server is asked only
// when one cannot do it at all ([Elsewhere]). When none can, the error is that of the first, which is
// the one that a user would want to mend.
func FileForRole(ctx context.Context, c *answer.Call, role spec.Role, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	return askFile(ctx, c, role, nil, path, method, f)
}

// FileAtOthers is [File] without the server asked, which was asked already and does not offer method.
func FileAtOthers(ctx context.Context, c *answer.Call, asked *spec.Spec, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	return askFile(ctx, c, spec.RoleNavigation, asked, path, method, f)
}

// askFile is [FileForRole] without one server; nil leaves out none.
func askFile(ctx context.Context, c *answer.Call, role spec.Role, asked *spec.Spec, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	routes, err := c.Routes(path)
	if err != nil {
		return err
	}
	if routes, err = Picked(c, routes, role, path); err != nil {
		return err
	}
	var first error
	var passed []*contract.Error // of servers that the configuration names
	for _, r := range routes {
		if asked != nil && r.Spec.ID == asked.ID { // the spec of a server that sessions share is of one of them
			continue
		}
		err := Route(ctx, c, r, path, method, f)
		// An error about the place or the name is the answer: another server would give a second opinion that
		// nobody asked for.
		if err == nil || !Elsewhere(err) {
			for _, e := range passed {
				c.Warn(contract.WarnConfig, e.Facts, fmt.Sprintf("%s, so %s was asked", e.Message, r.Spec.ID))
			}
			return err
		}
		if first == nil {
			first = err
		}
		if e := passedOver(r.Spec, err); e != nil {
			passed = append(passed, e)
		}
	}
	if first == nil {
		first = contract.Errorf(contract.KindRequestUnsupported, contract.Facts{"method": method, "file_path": path},
			"no configured server answers %s for %s", method, path)
	}
	return first
}

// passedOver is what to say of a server that the configuration names and that could not be asked: whoever wrote it
// there wants its answers. It is nil for one of the catalogue, and for a request that the server does not offer.
func passedOver(server *spec.Spec, err error) *contract.Error {
	named := server.Configured()
	var e *contract.Error
	if named == nil || !errors.As(err, &e) || e.Kind == contract.KindRequestUnsupported {
		return nil
	}
	return contract.Errorf(e.Kind, contract.Facts{"file": named.File, "line": named.Line},
		"line %d of %s names %s for these files, and it could not be asked: %s", named.Line, named.File, server.ID,
		e.Message)
}

// Elsewhere reports whether the next server in order of preference may do what this one cannot: it is
// not there, or does not offer the request. A request that the server itself refused (the error has a
// code) is an answer about the place, and no reason to ask another server for a second opinion.
func Elsewhere(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && (e.Kind == contract.KindServerNotInstalled || e.Kind == contract.KindRestricted ||
		e.Kind == contract.KindServerStartFailed ||
		e.Kind == contract.KindServerDisabled || e.Kind == contract.KindMemoryLimit ||
		e.Kind == contract.KindRequestUnsupported && e.Code == 0)
}

// Route is [File] at one server. path is "" for a question about no file. method is "" when f makes
// several requests and looks itself which of them the server offers.
func Route(ctx context.Context, c *answer.Call, r router.Route, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	// indexed, because most questions are about what the whole project says.
	q := &question{c: c, route: r, path: path, method: method, indexed: true, f: f}
	return q.ask(ctx)
}

// Diagnostics is [Route] for diagnostics. A server whose row says that they need no index is not waited
// for, but for the changes on disk. With separate, f gets a process of its own, which nobody else uses
// meanwhile; nil asks that of the pool.
func Diagnostics(ctx context.Context, c *answer.Call, r router.Route, path string, separate *spec.Spec,
	f func(context.Context, *lsp.Snapshot) error) error {
	q := &question{c: c, route: r, path: path, indexed: separate == nil && !r.Spec.Diagnostics.Unindexed,
		separate: separate, f: f}
	return q.ask(ctx)
}

// Text is [Route] for what rests on the text of the file alone, such as how it is formatted: the server is not waited
// for, and nothing that it has not loaded matters.
func Text(ctx context.Context, c *answer.Call, r router.Route, path, method string,
	f func(context.Context, *lsp.Snapshot) error) error {
	q := &question{c: c, route: r, path: path, method: method, text: true, f: f}
	return q.ask(ctx)
}

// question is what one server is asked, in several attempts where answers turn out to be void.
type question struct {
	c            *answer.Call
	route        router.Route
	path, method string     // each may be ""
	indexed      bool       // the answer rests on the server's index and on files besides path
	text         bool       // the answer rests on the text of path alone
	separate     *spec.Spec // of the process of its own that is asked; nil for the one of the pool
	f            func(context.Context, *lsp.Snapshot) error

	// release gives the server of the last attempt back, with done when the question is over; nil when there is none.
	release func(done bool)
	// shown is the snapshot of the attempt before, when that was void for unverified places whose files the server was
	// then shown; else nil.
	shown *lsp.Snapshot
}

// ask makes attempts until one counts, or there may be no more, and then adds what the last one may
// lack. Warnings of void attempts are taken back as far as it is certain which attempt said them
// ([answer.Call.EndAttempt]).
func (q *question) ask(ctx context.Context) error {
	var o outcome
	// not before the answer is concluded, which asks the server too
	defer func() { q.releaseServer(o.Err == nil && o.Retry == noRetry) }()
	c, r := q.c, q.route
	var restarted error
	// included: the server has been shown, or needs not be shown, further files that the answer may rest on. It is
	// done once.
	included := !q.indexed
	for counted := 0; ; {
		began := c.BeginAttempt()
		o = q.attempt(ctx)
		if !errors.Is(o.Err, lsp.ErrStopped) {
			counted++
		}
		// Only the very next attempt compares itself with the places that were in doubt; after it they are as old
		// as any.
		q.shown = nil
		if o.Retry == retryUnverified {
			q.shown = o.Snapshot
		}
		// Only behind an answer that stands: the sources that the project file does not list are shown to the
		// server, and the question is asked once more with them.
		if o.Retry == noRetry && !included && counted < MaxAttempts && ctx.Err() == nil &&
			o.Err == nil && o.Server != nil && OfWholeProject(c, q.method) &&
			loaded.Include(ctx, c, o.Server, r.Root, q.path, q.method, o.Asked()) {
			included, o.Retry = true, retryWithMore
		}
		// When the call's time is over there is no further attempt. Widening is the exception: Include looked
		// at the time before it began, and may itself have used what was left.
		last := o.Retry == noRetry || counted == MaxAttempts || ctx.Err() != nil && o.Retry != retryWithMore
		c.EndAttempt(began, last)
		if last {
			break
		}
		// The next attempt takes a server afresh: this one may have ended, or the pool may have another by then.
		q.releaseServer(false)
		if Crashed(o.Err) {
			restarted = o.Err
		}
	}
	// Said only when a later attempt got through; otherwise the crash itself is the error.
	if restarted != nil && !Crashed(o.Err) {
		c.Warn(contract.WarnServerRestarted, contract.Facts{"server_id": r.Spec.ID},
			r.Spec.ID+" ended while it was asked and was started again")
	}
	err := conclude(ctx, c, o)
	if err == nil && o.Server != nil && q.separate == nil {
		newDiagnostics(ctx, c, o.Server.Server)
	}
	if !q.indexed {
		return q.concludeFiles(ctx, o, err)
	}
	return q.concludeIndexed(ctx, o, err)
}

// concludeFiles adds what an answer lacks that rests on the texts of single files alone.
func (q *question) concludeFiles(ctx context.Context, o outcome, err error) error {
	if err != nil || o.Server == nil || q.text {
		return err
	}
	// Diagnostics of one file need the project file as well: without it the server guesses how the file is compiled.
	if p := o.Server.Projects().MissingForOne(q.route.Root); p != nil {
		loaded.MissingForOne(q.c, o.Server.ID(), q.route.Root, p)
	}
	if q.separate != nil { // which loads no project
		return nil
	}
	unreadable(q.c, o.Server.Server, q.route.Root)
	return loadFailed(ctx, q.c, q.route, "", o, nil)
}

// concludeIndexed adds what an answer lacks that rests on all that the server has loaded. Each step may
// replace the error by one that says the reason better, so their order matters; what is about an answer
// is added only where there is one.
func (q *question) concludeIndexed(ctx context.Context, o outcome, err error) error {
	c, r, path, method := q.c, q.route, q.path, q.method
	// First: a project file that cannot be read is the reason of most of what follows, and is what a user can mend.
	err = broken(ctx, c, r, method, o, err)
	if err == nil && o.Server != nil {
		loaded.LackingProject(ctx, c, o.Server, r.Root, path, method, o.Err == nil)
	}
	err = loadFailed(ctx, c, r, method, o, err)
	// After LoadFailed: a file outside of the build is the reason only when the project itself is loaded.
	err = notInBuild(ctx, c, path, o, err)
	if err == nil || notFound(err) {
		loaded.Restricted(c, o.Server, method)
		warnFetches(c, o.Server, path)
	}
	if err == nil && o.Server != nil && o.Server.Spec().OneDocument && slices.Contains(ofNames, method) {
		c.Warn(contract.WarnOneDocument, contract.Facts{"server_id": o.Server.ID()},
			o.Server.ID()+" knows one document at a time; declarations and uses in other files are not in this answer")
	}
	if err == nil && o.Server != nil {
		if omits := omitted(o.Server.Spec(), method); omits != "" {
			c.Warn(contract.WarnServerOmits, contract.Facts{"server_id": o.Server.ID()}, o.Server.ID()+" leaves out "+
				omits)
		}
	}
	// An answer about one place (a hover, a definition) is whole without the files that the server did not read.
	if err == nil && OfWholeProject(c, method) {
		explained := c.Subject().Explained
		// The step that joins projects helps where the answer lacks what was found in another one.
		if !explained || method == lsp.MethodCallHierarchy && len(c.WarningsThat(func(k contract.WarningKind) bool {
			return k == contract.WarnUnexplained
		})) > 0 {
			loaded.Linked(ctx, c, o.Server, r.Root, method)
		}
		if !explained {
			loaded.Unlisted(ctx, c, o.Server, r.Root, method, o.Asked())
			loaded.OtherProjects(ctx, c, o.Server, path, method)
		}
		loaded.NotInstalled(ctx, c, o.Server, cmp.Or(path, r.Root))
		loaded.External(ctx, c, o.Server, o.Asked())
	}
	// Told with an error as well: the name that was not found may stand in such a file.
	return unreadableFiles(c, o, r.Root, method, err)
}

// omitted returns what a server is known to leave out of the answers to a request, as its row says it;
// "" when nothing is known.
func omitted(s *spec.Spec, method string) string {
	switch {
	case s.Omits.Uses != "" && slices.Contains(ofUses, method):
		return s.Omits.Uses
	case method == lsp.MethodCallHierarchy:
		return s.Omits.Calls
	}
	return ""
}

// ofNames are the requests whose answers may lie in other documents than the one that was asked about.
var ofNames = append([]string{lsp.MethodDefinition, lsp.MethodDeclaration, lsp.MethodTypeDefinition}, ofUses...)

// ofUses are the requests about the uses of a symbol.
var ofUses = []string{lsp.MethodReferences, lsp.MethodRename, lsp.MethodImplementation, lsp.MethodCallHierarchy,
	lsp.MethodTypeHierarchy}

// start gets the server to ask: a separate process, or that of the pool. It is held until releaseServer.
func (q *question) start(ctx context.Context) (s *lsp.Server, err error) {
	if q.separate != nil {
		s, q.release, err = q.c.Workspace.Pool.Separate(ctx, q.separate, q.route, q.path)
		return s, err
	}
	s, release, err := q.c.Servers.Get(ctx, q.route)
	if err == nil {
		q.release = func(bool) { release() }
	}
	return s, err
}

// releaseServer gives the server back; further calls do nothing. A separate process ends, unless done says
// that the question is over and the process may stay for the next one.
func (q *question) releaseServer(done bool) {
	if q.release != nil {
		q.release(done)
	}
	q.release = nil
}

// attempt asks once: it gets the server, shows it what changed on disk, waits until it is ready, asks,
// and checks whether what happened meanwhile makes the answer void. Outcome.Server is nil only when no
// server could be started. Outcome.Snapshot is nil when it never came to the question, and for
// questions that need no index.
func (q *question) attempt(ctx context.Context) outcome {
	c := q.c
	began := time.Now()
	s, err := q.start(ctx)
	if err != nil {
		c.Spend(answer.Spent{Waited: time.Since(began)})
		return voidIfEnded(outcome{Err: err})
	}
	// Known from here on also for errors: what the answer lacks is found out by asking this server.
	o := outcome{Server: s.Unverified()}
	// Before the sync, which would cost time for an answer that cannot come.
	if q.method != "" && !s.Offers(q.method) {
		o.Err = contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": s.ID(), "method": q.method}, "%s does not offer %s", s.ID(), q.method)
		return o
	}
	// The sync comes before the wait for readiness: a change of a project file makes the server load anew, and that
	// load is the one to wait for.
	if o.Err = s.Sync(ctx); o.Err == nil && q.indexed {
		if o.Status = q.outlined(ctx, s); !o.Status.Ready {
			o.Status, o.Err = prepare(ctx, c, s, q.path, q.patience(s))
		}
	}
	// An older sync told the server of files on behalf of another call or attempt, which counts them.
	waited := time.Since(began)
	spent := answer.Spent{Waited: waited}
	if sync := s.LastSync(); !sync.At.Before(began) {
		spent.Changed = sync.Changed
	}
	c.Spend(spent)
	if o.Err == nil && q.indexed {
		// After prepare, so that what prepare opened counts as known to the server; before f, because it is what f
		// asks against.
		if o.Snapshot, o.Err = s.Snapshot(ctx, q.route.Root, o.Status); o.Err == nil {
			o.Server = o.Snapshot.Unverified()
		}
	}
	if o.Err == nil {
		asked := time.Now()
		o.Err = q.f(ctx, cmp.Or(o.Snapshot, o.Server))
		c.Spend(answer.Spent{Asked: time.Since(asked)})
		o.Late = o.Err != nil && ctx.Err() != nil && TimedOut(o.Err) && waited > time.Since(asked)
		// What was looked for may only not be found because the server ended: some steps of the search take no
		// answer for none.
		if notFound(o.Err) {
			o.Err = cmp.Or(s.Alive(), o.Err)
		}
	}
	// First the answers that only a new process can give; they are void whatever else is true of them. A separate
	// process ends with the question anyway.
	switch {
	case errors.Is(o.Err, lsp.ErrRestartNeeded), q.indexed && o.Snapshot != nil &&
		readAnotherList(ctx, c, o.Snapshot, o.Err):
		if q.separate == nil {
			// The next attempt gets the new process.
			c.Workspace.Pool.Restart(s, false)
		}
		o.Retry, o.Err = retryOutdated, nil
		return o
	case !q.indexed:
		o.Status.Ready, o.Status.Known = true, true // for what is asked
	case o.Snapshot != nil:
		q.verify(ctx, &o)
	}
	return voidIfEnded(o)
}

// outlined returns a ready status for a server that can already answer the question for an outline,
// though it still loads what other questions need ([spec.Readiness]); else a status that is not ready.
// The symbols that it asked for stay in the snapshot's cache for the question itself.
func (q *question) outlined(ctx context.Context, s *lsp.Server) lsp.Status {
	if q.method != lsp.MethodDocumentSymbol || q.path == "" || !s.Spec().Readiness.Outlines {
		return lsp.Status{}
	}
	symbols, _, err := s.Unverified().DocumentSymbols(ctx, q.path)
	if err != nil || len(symbols) == 0 {
		return lsp.Status{}
	}
	status := s.Status()
	status.Ready, status.Known = true, true // for what is asked
	return status
}

// manySources is the number of sources from which on a project's index is not waited for in full by a
// hover, of which one file tells most. The index of a smaller project is there soon.
const manySources = 50

// patience bounds the wait for readiness besides the call's time: a hover is not kept back until a
// large project is read.
func (q *question) patience(s *lsp.Server) time.Duration {
	wait := s.Spec().Readiness.Hover
	if q.method != lsp.MethodHover || q.path == "" || wait == 0 {
		return math.MaxInt64
	}
	sources := 0
	for path := range s.Folders().Files() {
		if s.Spec().Serves(filepath.Base(path)) {
			sources++
		}
		if sources == manySources {
			return wait
		}
	}
	return math.MaxInt64
}

// verify decides whether an answer is void, and warns of what in it is not sure, by what became of the
// server and the files meanwhile.
func (q *question) verify(ctx context.Context, o *outcome) {
	c, s := q.c, o.Snapshot
	after := s.Server.Status()
	// Nobody is left to ask otherwise: the answer then stands as it is, with its warnings.
	if s.HasUnverified() && !Crashed(o.Err) && ctx.Err() == nil {
		showUnverified(ctx, c, o, q.shown)
	}
	if s.Unconfirmed() {
		c.Warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "behind"},
			"part of this answer is what "+s.ID()+" knew before files changed, and lspi could not verify it")
	}
	if !c.SeesReloads() && s.Reloaded(ctx, after) { // a dry run looks to that itself
		o.Retry = retryReloaded
	}
	o.Status.Health, o.Status.HealthNote = after.Health, after.HealthNote
}

// readAnotherList reports whether the server may have answered by an older list of sources
// (compile_commands.json) than the one on disk, by which the audit will judge what the answer lacks. A
// dry run looks to that itself.
func readAnotherList(ctx context.Context, c *answer.Call, s *lsp.Snapshot, err error) bool {
	return !c.SeesReloads() && ctx.Err() == nil && !Crashed(err) && s.Projects().ListChanged()
}

// showUnverified shows the server the files of unverified places (whose text on disk does not have the name that
// is asked about), so that it is asked once more. A place that the server repeats after it was shown
// its file is believed: it has another name for the same symbol. Not all such files are shown at
// once; the others are believed when the server proved right in those that were.
//
// shown is the snapshot of the attempt before when that was void, else nil: files are shown again
// only if they are still changing.
func showUnverified(ctx context.Context, c *answer.Call, o *outcome, shown *lsp.Snapshot) {
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
	told, err := s.ShowUnverified(ctx)
	switch {
	case errors.Is(err, lsp.ErrRestartNeeded):
		c.Workspace.Pool.Restart(s.Server, false)
		o.Retry = retryOutdated
	case err != nil:
		o.Err = err
	// Only now is there sense in asking again: the server has seen something that it had not before.
	case told:
		o.Retry = retryUnverified
	case s.LostSymbols(s):
		lostSymbols(c, s)
	}
}

// lostSymbols warns that symbols were left out which may have moved to a file that the server was not
// shown.
func lostSymbols(c *answer.Call, s *lsp.Snapshot) {
	c.Warn(contract.WarnStaleDropped, contract.Facts{"server_id": s.ID()},
		s.ID()+" reports symbols at places that no longer exist; lspi could not find out where they are now")
}

// voidIfEnded marks an outcome as void when the server ended while it was asked; any other stays as it is.
func voidIfEnded(o outcome) outcome {
	if Crashed(o.Err) {
		o.Retry = retryEnded
	}
	return o
}

// prepare waits until a server is ready, within the call's time. That it is not ready by then is no
// error: it is asked all the same, and the status says that the answer may lack something. The file of
// the question is opened first, or any file, since some servers load a project only for an open file.
func prepare(ctx context.Context, c *answer.Call, s *lsp.Server, path string, patience time.Duration) (lsp.Status,
	error) {
	if path != "" {
		if _, err := s.Documents().Open(ctx, path); err != nil {
			return lsp.Status{}, err
		}
	} else if err := s.OpenAny(ctx); err != nil {
		return lsp.Status{}, err
	}
	// After the file is open: clangd begins to index only then, and would otherwise be waited for in vain.
	status := s.Ready(ctx, min(waitBudget(ctx, s), patience), nil)
	// What is left of the budget, but never nothing: also a server that has used all of it gets a moment to read
	// open files.
	parsed, cancel := context.WithTimeout(ctx, max(waitBudget(ctx, s), answerReserve/10))
	defer cancel()
	if left := s.Documents().AwaitParsed(parsed); left > 0 {
		c.Warn(contract.WarnNotOpened, contract.Facts{"server_id": s.ID(), "total": left},
			s.ID()+" is still reading files that changed")
	}
	return status, nil
}

// waitBudget returns how long a call waits for readiness: as the server's row says, but never so long
// that no time is left to ask.
func waitBudget(ctx context.Context, s *lsp.Server) time.Duration {
	budget := s.Spec().Timeouts.Warmup
	if budget <= 0 {
		budget = lsp.DefaultWarmup
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		budget = min(budget, left-min(answerReserve, left/4))
	}
	return max(budget, 0)
}

// conclude adds what the server's state means for the answer of the last attempt. Where the server
// still loads, a failed request becomes a partial answer and no error; but "no such symbol" becomes an
// error that says to repeat the call, since an empty answer would read as if the symbol did not exist.
func conclude(ctx context.Context, c *answer.Call, o outcome) error {
	s := o.Server
	if s == nil || o.Err != nil && Elsewhere(o.Err) {
		return o.Err
	}
	c.AnsweredBy(s.ID())
	if s.Spec().Unproven {
		c.Warn(contract.WarnUnverifiedServer, contract.Facts{"server_id": s.ID()}, "no test of lspi has run "+s.ID()+
			": nothing shows that its answers are whole")
		// This warning says more than the one about a server without a sign of readiness, which is left out.
		o.Status.Known = true
	}
	// loads: the answer, or the lack of one, may come from a project that is loaded in part only.
	loads := o.Retry == retryReloaded || o.Retry == noRetry && (!o.Status.Ready || o.Late)
	switch {
	// The last attempt was void for this reason: without this the call would end with the answer of a process that
	// reads old files.
	case o.Retry == retryOutdated:
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": s.ID()},
			"lspi restarted %s %d times, because files changed that only a new process reads", s.ID(), MaxAttempts)
	case o.Err != nil && !loads:
		return o.Err
	// "Not found" by a server that has read half of the project says nothing; the error tells the host to repeat
	// the call.
	case o.Err != nil && notFound(o.Err):
		loading(ctx, c, s, o)
		return notFoundYet(s.ID(), o.Err)
	case o.Err != nil && !unanswered(o.Err):
		return o.Err
	}
	loading(ctx, c, s, o)
	if o.Retry == retryUnverified {
		c.Warn(contract.WarnSyncIncomplete, contract.Facts{"server_id": s.ID(), "reason": "changing"},
			"files kept changing while "+s.ID()+" answered; some places of this answer belong to older texts")
	}
	return nil
}

// loading warns when the server had not loaded everything, or reloaded again and again; it says nothing
// of one that is ready.
func loading(ctx context.Context, c *answer.Call, s *lsp.Snapshot, o outcome) {
	w, ok := o.Status.Warning(s.ID())
	if o.Retry == retryReloaded {
		what := "reloaded the project again and again while it answered"
		if ctx.Err() != nil { // there was no time for another attempt
			what = "was still loading the project when the time for this answer ended"
		}
		ok, w = true, contract.Warning{Kind: contract.WarnIndexing, Facts: contract.Facts{"server_id": s.ID()},
			Message: s.ID() + " " + what + "; something may be missing"}
	}
	if o.Late && o.Status.Ready {
		ok, w = true, contract.Warning{Kind: contract.WarnIndexing, Facts: contract.Facts{"server_id": s.ID()},
			Message: s.ID() +
				" was loading the project for most of the time of this answer, and had not answered when that ended"}
	}
	if !ok {
		return
	}
	c.AddWarning(w)
	if w.Kind == contract.WarnIndexing {
		c.Step(c.Repeat("Repeat the call when "+s.ID()+" has loaded more of the project.", nil))
	}
}

// unanswered reports whether the server did not answer in time, or refused with an error of its own.
// rust-analyzer answers -32603 "file not found" while it loads, so such an error of a loading server
// counts as no answer.
func unanswered(err error) bool {
	var e *contract.Error
	if errors.As(err, &e) && e.Kind == contract.KindRequestFailed {
		return e.Code != 0
	}
	return errors.As(err, &e) && e.Category() == contract.Timeout || errors.Is(err, context.DeadlineExceeded)
}
