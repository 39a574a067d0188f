package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

// How long a server may take for the steps of its end. Together they are below the 5 s after which nothing of lspi may
// be left.
const (
	shutdownTime = 1500 * time.Millisecond // to answer shutdown
	exitTime     = time.Second             // to exit after exit and the end of its stdin, and once more after SIGTERM
	discardTime  = 200 * time.Millisecond  // for each of these, when the server was only tried
	briefTime    = 50 * time.Millisecond   // for each of these, when the server has nothing to save
	brokenTime   = 500 * time.Millisecond  // to exit, and so on, when the connection is gone or never came up
)

// errEnded is why calls end that are in flight when their server does.
var errEnded = errors.New("the server has ended")

// ErrStopped is in the error of a call that ended because lspi ended the server, which is no crash: somebody
// stopped or restarted it, or changed its configuration, or it had too much memory. The next process may answer.
var ErrStopped = errors.New("stopped by lspi")

// Connection is the connection to one process of a server: requests with their time limits, and what ends it. Every
// error of its methods is one of the contract, with the server's id. Its methods may be called concurrently. One
// context, life, stands for the end of the server, whatever the cause is: whoever waits for the server waits for
// it, too, so that no call outlives the server. Which end it was is in hung, mute and stopped, and in how the
// process exited ([Connection.ending]).
type Connection struct {
	spec *spec.Spec
	log  *slog.Logger
	proc *process.Process
	wire *wire.Conn
	// What the server can do; it guards itself, because registrations come at any time.
	capabilities *capabilities
	encoding     source.Encoding                       // set by the handshake, before anyone else sees the server
	doing        func() (activity string, percent int) // what the server says that it does; set by newServer
	works        func(context.Context) bool            // [elsewhere.works]; nil for a server of this machine

	life    context.Context // ends when the server can be asked no more: by Close, or with the wire or the process
	release context.CancelCauseFunc
	probe   *probe
	hung    atomic.Bool    // it answered nothing any more and was ended for that
	mute    atomic.Bool    // the process lived on without its wire and was ended for that
	work    sync.WaitGroup // tend
	closing sync.Once
	closed  chan struct{} // closed when Close has been called
	stopped atomic.Bool   // Close came before any other end; set before closed is closed
}

// newConnection is the connection to a process, before anything is read or written.
func newConnection(spec *spec.Spec, proc *process.Process, can *capabilities, log *slog.Logger) *Connection {
	// life begins with context.Background: it belongs to the process and not to the call that happened to start it.
	c := &Connection{spec: spec, log: log, proc: proc, capabilities: can, closed: make(chan struct{})}
	c.probe = newProbe(c)
	c.life, c.release = context.WithCancelCause(context.Background())
	return c
}

// open begins to read what the server writes; the handlers get what it sends by itself.
func (c *Connection) open(handlers wire.Options) {
	c.log = c.log.With("pid", c.proc.PID())
	handlers.Log, handlers.Uncancellable, handlers.Paths = c.log, c.spec.Uncancellable, c.spec.Elsewhere.Paths
	c.wire = wire.New(c.proc, handlers)
	c.work.Go(c.tend)
}

// tend ends with the server. Without its connection a process is of no use, and without its process a connection
// that somebody else holds open (a grandchild in a group of its own) is not either. Close and abandon wait for it,
// so that no goroutine outlives the connection.
func (c *Connection) tend() {
	for c.life.Err() == nil {
		select {
		case <-c.wire.Done():
			c.release(errEnded)
		case <-c.proc.Done():
			c.release(errEnded)
		case <-c.life.Done():
		case <-c.probe.wanted:
			c.probe.judge()
		}
	}
	// Three ends are told apart: a server that hangs is stopped at once; Close does the orderly end itself, for
	// which the wire has to stay until it is over; and a process that outlives its wire can be asked nothing, so
	// that it is stopped.
	switch {
	case c.hung.Load():
		c.proc.Stop(brokenTime)
	case c.Closed(): // which ends the process, over this connection
		select {
		case <-c.wire.Done():
		case <-c.proc.Done():
		}
	case !c.proc.Gone(brokenTime) && !c.Closed():
		c.mute.Store(true)
		c.proc.Stop(brokenTime)
	default:
		// What it wrote before its end is in the pipe still, such as an answer or why it cannot start.
		select {
		case <-c.wire.Done():
		case <-time.After(brokenTime):
		}
	}
	// Also after an orderly end: the goroutines of the wire end with it, and its outstanding calls fail.
	_ = c.wire.Close()
}

// traceOf hides the type of package wire from those who trace, which need not import it; nil traces nothing.
func traceOf(f func(bool, []byte)) func(wire.Direction, []byte) {
	if f == nil {
		return nil
	}
	return func(d wire.Direction, message []byte) { f(d == wire.Sent, message) }
}

// ID is the spec's id.
func (c *Connection) ID() string { return c.spec.ID }

// Spec is what is known of the server; it must not be changed.
func (c *Connection) Spec() *spec.Spec { return c.spec }

// PID is the process id.
func (c *Connection) PID() int { return c.proc.PID() }

// Offers reports whether the server answers an LSP method.
func (c *Connection) Offers(method string) bool { return c.capabilities.has(method) }

// Encoding is the server's unit of characters.
func (c *Connection) Encoding() source.Encoding { return c.encoding }

// Done is closed when the process has ended.
// It is closed later than life ends: a server whose wire is gone can be asked nothing, though its process is still
// being stopped.
func (c *Connection) Done() <-chan struct{} { return c.proc.Done() }

// Ended reports whether the process has ended.
func (c *Connection) Ended() bool {
	select {
	case <-c.proc.Done():
		return true
	default:
		return false
	}
}

// Closed reports whether Close was called, so that the end of the process is no crash.
func (c *Connection) Closed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// Close ends the server: shutdown, exit, then as [process.stop] does. It returns when the process was reaped, after
// 5 s at most; all calls in flight fail at once.
func (c *Connection) Close() {
	if c.spec.Shutdown == spec.ShutdownWaits {
		c.endWithin(briefTime, briefTime)
		return
	}
	c.endWithin(shutdownTime, exitTime)
}

// Discard is [Connection.Close] of a server that was only tried: one that is busy is not waited for.
func (c *Connection) Discard() { c.endWithin(discardTime, discardTime) }

// endWithin is Close with its two waits: shutdown for the answer to the shutdown request, exit for the end of the
// process after the exit notification.
func (c *Connection) endWithin(shutdown, exit time.Duration) {
	c.closing.Do(func() {
		// A server that has ended already is not asked to shut down: nobody would answer. And it was not lspi that
		// ended it.
		dead := c.life.Err() != nil || c.Ended() // of which tend may not have heard yet
		c.stopped.Store(!dead)
		// Before the rest, so that tend and every error from here on know that the end is wanted and no crash.
		close(c.closed)
		// Calls in flight fail now, so that their callers do not wait for shutdown, which may take its whole time.
		c.release(errEnded)
		if !dead && c.spec.Shutdown != spec.ShutdownWrites {
			c.shutDown(shutdown, exit)
		}
		c.proc.Stop(exit)
		_ = c.wire.Close()
		c.work.Wait()
	})
}

// abandon ends a process that could not be started as a server.
// No shutdown is sent: a server that did not shake hands has nothing to save and may not know the request yet.
func (c *Connection) abandon() {
	close(c.closed)
	c.proc.Stop(brokenTime)
	_ = c.wire.Close()
	c.work.Wait()
}

// shutDown asks the server to end (LSP 3.17, shutdown and exit). One that refuses shutdown is told to exit all the
// same.
func (c *Connection) shutDown(within, gone time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	// Without params, and not with null: strict servers refuse null there.
	_ = c.wire.Call(ctx, "shutdown", nil, nil)
	exit, cancel := context.WithTimeout(context.Background(), shutdownTime/10) // its queue may be full
	defer cancel()
	if c.wire.Notify(exit, "exit", nil) == nil {
		c.proc.Gone(gone / 2) // before stdin ends: it may still be in the queue
	}
}

// crashed is the error of a call that the end of the process left without an answer; it wraps [ErrStopped] where
// lspi ended the process. The last words come from stderr, where servers write their panic; of a server that lspi
// itself stopped they would mislead.
func (c *Connection) crashed() error {
	end, words := c.ending(), ""
	facts := contract.Facts{"server_id": c.spec.ID, "exit": end.Error()}
	if !c.stopped.Load() {
		facts["stderr_tail"] = c.proc.Stderr.Tail(5)
		if said := c.proc.Stderr.Reason(); said != "" {
			words = "; its last words: " + said
		}
	}
	return contract.Errorf(contract.KindServerCrashed, facts, "%s ended (%w)%s", c.spec.ID, end, words)
}

// ending tells how the server ended, as far as is known.
func (c *Connection) ending() error {
	// The order is from the most precise reason to the least: what broke the wire, then who ended the process, then
	// its exit status.
	if broken := (*wire.ProtocolError)(nil); errors.As(c.wire.Err(), &broken) {
		return errors.New(broken.Error() + ", the process was stopped") // how that then ended tells nothing
	}
	if c.stopped.Load() {
		return ErrStopped
	}
	if c.hung.Load() {
		return errors.New("it did not answer any more, the process was stopped")
	}
	select {
	case <-c.proc.Done():
		if c.mute.Load() {
			return errors.New("its output ended, the process was stopped")
		}
		return errors.New(c.proc.Exit())
	default:
		return errors.New("its output ended")
	}
}

// Failure is explain for all but requests: a server that does not take what it is told in time is suspected.
// A notification that cannot be written means that the server does not read its input; waiting longer would not
// change that.
func (c *Connection) Failure(ctx context.Context, method string, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		c.probe.suspect()
	}
	return c.explain(ctx, method, err)
}

// interrupted is failure for work of lspi itself that stands before a request, such as "waiting for file changes": its
// name is no method, so that no limit of a method can be raised for it.
// Such an activity once went as the method, and the error advised to raise request_timeout_overrides_ms."waiting
// for file changes".
func (c *Connection) interrupted(ctx context.Context, activity string, err error) error {
	err = c.Failure(ctx, activity, err)
	e := (*contract.Error)(nil)
	if !errors.As(err, &e) || e.Facts["method"] != activity {
		return err
	}
	e.Facts = contract.Facts{"server_id": c.spec.ID, "activity": activity}
	if e.Kind == contract.KindRequestTimeout {
		e.Message = fmt.Sprintf("%s for %s took too long: %v", activity, c.spec.ID, context.Cause(ctx))
	}
	return err
}

// explain turns an error of what ctx bounds into one of the contract.
func (c *Connection) explain(ctx context.Context, method string, err error) error {
	// An error of the contract has its facts already, and ErrRestartNeeded is for the pool, which looks for exactly
	// that value.
	if e := (*contract.Error)(nil); errors.As(err, &e) || errors.Is(err, ErrRestartNeeded) {
		return err
	}
	var response *wire.ResponseError
	var closed *wire.ClosedError
	facts := contract.Facts{"server_id": c.spec.ID, "method": method}
	switch {
	case errors.As(err, &response):
		return c.refused(method, response)
	case errors.As(err, &closed), errors.Is(context.Cause(ctx), errEnded):
		// The stream ends a moment before the process is reaped; its exit status belongs into the error.
		if !c.Closed() {
			c.proc.Gone(2 * brokenTime)
		}
		return c.crashed()
	case errors.Is(err, watch.ErrClosed):
		return contract.Errorf(contract.KindCancelled, facts, "lspi is shutting down")
	// Neither the time nor the caller ended it, so that the error is about the request itself (its parameters could
	// not be written).
	case ctx.Err() == nil:
		return contract.Errorf(contract.KindRequestFailed, facts, "%s at %s: %w", method, c.spec.ID, err)
	// Both are asked: a time limit with a cause of its own shows as a cause, and a cause that wraps it shows only
	// there.
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return contract.Errorf(contract.KindRequestTimeout, facts, "%s did not answer %s in time: %w", c.spec.ID,
			method, context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "%s was cancelled: %w", method, context.Cause(ctx))
}

// refused is the error of a server's own refusal. Its code and data are kept: callers tell by the code that the
// server has answered, and may not ask another one instead.
func (c *Connection) refused(method string, r *wire.ResponseError) error {
	facts := contract.Facts{"server_id": c.spec.ID, "method": method}
	kind := contract.KindRequestFailed
	// An error of its own, because no retry helps: the caller looks for another way or another server.
	if r.Code == wire.CodeMethodNotFound {
		kind = contract.KindRequestUnsupported
	}
	if kind == contract.KindRequestFailed {
		facts["refused"] = true
		if path, at, ok := instead(c.spec.Instead, r.Message); ok {
			if here, ok := c.spec.Elsewhere.Paths.Here(path); ok {
				path = here
			}
			facts["instead"] = contract.Facts{"file_path": path, "line": at.Line, "character": at.Character}
		}
	}
	// Cut, because some servers put a whole stack into the message.
	e := contract.Errorf(kind, facts, "%s refused %s: %s", c.spec.ID, method, Cut(r.Message, 1000))
	e.Code = r.Code
	// Larger data is left out whole: half of a JSON value helps nobody.
	if len(r.Data) > 0 && len(r.Data) < 4000 {
		e.Data = r.Data
	}
	return e
}

// instead returns the place that a refusal names ([spec.Spec].Instead).
func instead(expression, message string) (path string, at contract.Position, ok bool) {
	if expression == "" {
		return "", at, false
	}
	named := regexp.MustCompile(expression)
	found := named.FindStringSubmatch(message)
	if found == nil {
		return "", at, false
	}
	at.Line, _ = strconv.Atoi(found[named.SubexpIndex("line")])
	at.Character, _ = strconv.Atoi(found[named.SubexpIndex("character")])
	return found[named.SubexpIndex("file")], at, true
}

// CrashError describes the end of the process; only after Done.
func (c *Connection) CrashError() error { return c.crashed() }

// Alive is the error of the end, or nil. It is asked where a failed step may as well be one file's, so that the end
// of the server is not taken for that.
func (c *Connection) Alive() error {
	if c.life.Err() != nil {
		return c.crashed()
	}
	return nil
}

// Memory is the resident memory of the server's processes in bytes; 0 where nobody knows. It looks at every process
// of the machine, so that a [State] does without.
func (c *Connection) Memory() uint64 {
	u, _ := c.usage()
	return u.Memory
}

// usage is what the processes of the server use; ok is false where nobody knows, as for a server that runs elsewhere:
// the process here only passes bytes.
func (c *Connection) usage() (u process.Usage, ok bool) {
	if c.spec.RunsElsewhere() {
		return u, false
	}
	return process.UsageOf(c.proc.PID())
}

// ErrRestartNeeded says that only a new process sees what changed; the pool then starts one.
var ErrRestartNeeded = errors.New("what changed on disk needs a restart of the server")

// Defaults of [spec.Timeouts]. A request has the time of its call.
const (
	DefaultInitialize = 60 * time.Second
	DefaultWarmup     = 45 * time.Second

	unboundedRequest = time.Minute // of a request that belongs to no call
)
