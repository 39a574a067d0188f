package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/internal/events"
	"lspi/tools"
	"lspi/tools/session"
)

// shared is the shared process: what all of its sessions have together.
type shared struct {
	process *session.Process
	watcher config.Watcher
	events  events.Files
	log     *slog.Logger
	// the same log for the begin and the end of the process, which stand in it whatever its level is
	life    *slog.Logger
	out     io.Writer // of the log
	started time.Time
	server  *daemon.Server
	door    *openedDoor // nil where nobody asked for HTTP; not changed once the process serves

	mu     sync.Mutex
	served map[string]*servedSession // by the name of the session; guarded by mu
	bound  map[*binding]bool         // the sessions over HTTP; guarded by mu
	logs   map[string]*followed      // likewise, also of sessions that are about to be served; guarded by mu
	calls  int64                     // of sessions that have left; guarded by mu
}

// servedSession is one host's.
type servedSession struct {
	*daemon.Session
	session *wiring
	service *mcpserver.Service
	host    *stdio.Conn
	log     *followed
	conn    *daemon.Conn
	left    bool // its host has left, or reads no more, and what it had is about to end; guarded by shared.mu
}

// keep has the host's own process keep what was chosen for the session while it ran.
func (s *servedSession) keep() { s.conn.Keep(s.session.live.kept) }

// newShared reads the user's own configuration for what holds for all sessions.
func newShared(out io.Writer, user *config.Config, stays bool) *shared {
	logs := newLogs(out)
	// logging.file is for sessions; this log has a file of its own, which does not grow for good
	logs.followLevel(user, config.Flags{})
	d := &shared{process: newProcess(logs.log), log: logs.log, life: slog.New(slog.NewJSONHandler(logs, nil)),
		out: out, started: time.Now(), served: map[string]*servedSession{}, bound: map[*binding]bool{},
		logs: map[string]*followed{}}
	d.watcher.Log, d.events.Log = logs.log, logs.log
	d.process.Sharing = session.Sharing{Shared: true, PID: os.Getpid()}
	d.process.Linger = user.Daemon.Idle
	d.server = daemon.NewServer(daemon.ServerOptions{Version: version().Version, Serve: d.serve, Follow: d.follow,
		Command: d.command,
		Idle:    user.Daemon.Idle, Stay: stays, Log: logs.log})
	return d
}

// open makes the session of a host from what it said.
func (d *shared) open(h *daemon.Hello) *servedSession {
	r := &request{WorkDir: h.WorkDir, Environ: h.Environ}
	if err := json.Unmarshal(h.Flags, r); err != nil { // by the same build, so it cannot be wrong
		d.log.Error("reading the flags of a session", "error", err)
	}
	log := d.logOf(h.Session)
	s := &wiring{options: r.options(), logs: newLogs(log), process: d.process, live: &live{}, watcher: &d.watcher,
		events: d.events.Recorder()}
	return &servedSession{session: s, log: log}
}

// serve serves one host until it has left, or the process ends: then calls under way are answered first when there
// is time, and else not at all.
func (d *shared) serve(ctx context.Context, c *daemon.Conn, connected *daemon.Session) {
	s := d.open(connected.Hello)
	s.Session, s.conn = connected, c
	if err := s.session.live.goOn(connected.Hello.Kept); err != nil { // by the same build, so it cannot be wrong
		d.log.Error("going on with a session", "error", err)
	}
	l, err := s.session.listing()
	// its own process took the same command line a moment ago, so files have changed since: each call tells
	if err != nil {
		l = listing{settings: session.Settings{ReadOnly: true}}
	}
	s.service = s.session.service(l)
	ended, end := context.WithCancelCause(ctx)
	gone, hostIsGone := context.WithCancel(context.Background())
	defer hostIsGone()
	leaves := func(why error) {
		d.hide(s)
		hostIsGone()
		end(why)
	}
	in, out := &untilStopped{Conn: c, rests: make(chan struct{})}, &untilEnding{WriteCloser: c}
	host := stdio.NewConn(in, out, leaves, s.session.logs.log)
	s.host = host
	d.enter(s)
	defer d.leave(s)
	host.NameCalls(mcpserver.CallKey, func(id, tool string, arguments json.RawMessage) string {
		if !tools.Edits(tool, arguments) {
			return ""
		}
		return callName(connected.ID, id)
	})
	cut, served := s.session.run(s.service, host, leaves)
	<-ended.Done()
	idle := errors.Is(context.Cause(ctx), daemon.ErrStopped) && finish(gone, host, in)
	if ctx.Err() != nil {
		in.stop()
		out.ending.Store(true)
		_ = c.SetWriteDeadline(time.Now().Add(stdio.DrainLimit)) // for a host that does not read
		c.Stops(idle)
	}
	s.service.Close(context.Cause(ended))
	host.Drain()
	cut()
	<-served
	s.session.close()
}

// stopLimit is how long lspi daemon stop waits for calls under way: about as long as a call may take. In the first
// half of it a host with such a call may make others; those have the second half at least.
const stopLimit = time.Minute

// finish answers the calls of a host that are under way when the process is to end, and those that it makes while
// these last: the next process hears of a host only when this one has ended, and a short call does not wait for a
// long one. gone ends when the host has left. idle says that nothing is read any more, and all that was read is
// answered.
func finish(gone context.Context, host *stdio.Conn, in *untilStopped) (idle bool) {
	ctx, cancel := context.WithTimeout(gone, stopLimit)
	defer cancel()
	taking, stop := context.WithTimeout(ctx, stopLimit/2)
	host.WaitForOpen(taking)
	stop()
	select {
	case <-in.stop():
	case <-ctx.Done():
	}
	host.Wait(ctx)
	return ctx.Err() == nil
}

// untilStopped is what a host sends until stop. From then on it says nothing, and not that the host has left, which
// would end the calls under way: what comes later is for the next process.
type untilStopped struct {
	*daemon.Conn
	stopped atomic.Bool
	rests   chan struct{} // closed when nothing more is read
}

// stop ends reading. The channel is closed when that has happened, unless the host has left.
func (u *untilStopped) stop() <-chan struct{} {
	u.stopped.Store(true)
	_ = u.SetReadDeadline(time.Now())
	return u.rests
}

func (u *untilStopped) Read(p []byte) (int, error) {
	n, err := u.Conn.Read(p)
	if err != nil && n == 0 && u.stopped.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
		close(u.rests)
		select {} // until the process ends
	}
	return n, err
}

// untilEnding is what a host is told until its calls are cancelled because the process ends: the host has cancelled
// none. Its relay sees the connection end when they have ended, asks what is only read in the next process, and the
// journal of edits for the rest.
type untilEnding struct {
	io.WriteCloser
	ending atomic.Bool
}

func (u *untilEnding) Write(p []byte) (int, error) {
	if u.ending.Load() {
		return len(p), nil
	}
	return u.WriteCloser.Write(p)
}

func (d *shared) enter(s *servedSession) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.served[s.ID] = s
}

// hide takes a session off what is shown and what commands reach. Its MCP servers and calls may need seconds to
// end; leave comes behind them.
func (d *shared) hide(s *servedSession) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.left = true
}

func (d *shared) leave(s *servedSession) {
	d.mu.Lock()
	if d.served[s.ID] == s {
		delete(d.served, s.ID)
		delete(d.logs, s.ID)
	}
	d.calls += s.service.Calls()
	d.mu.Unlock()
	s.log.untee()
}

// logOf is the log of a session. Its host may follow it before it is served.
func (d *shared) logOf(name string) *followed {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.logs[name]
	if l == nil {
		l = &followed{to: d.out}
		if name != "" {
			d.logs[name] = l
		}
	}
	return l
}

// forgetLog forgets the log of a session that is not served.
func (d *shared) forgetLog(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.served[name] == nil {
		delete(d.logs, name)
	}
}

// follow passes the log of a session on to its host's process, until either has left.
func (d *shared) follow(ctx context.Context, c *daemon.Conn, name string) {
	log := d.logOf(name)
	defer d.forgetLog(name) // of a session that has left already, or never came
	done := log.tee(c)
	defer context.AfterFunc(ctx, func() { c.Close() })()
	go func() {
		_, _ = io.Copy(io.Discard, c) // its end
		log.untee()
	}()
	<-done
}

// followed is the log of a session: of the shared process's log, and of the session's own host, when that wants it.
type followed struct {
	to io.Writer

	mu   sync.Mutex
	host *daemon.Conn  // guarded by mu; nil when it does not follow
	done chan struct{} // closed when it follows no more; guarded by mu
}

// followLimit is how long a host may take to read a line of the log; one that takes longer gets no more.
const followLimit = time.Second

func (f *followed) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.host != nil {
		_ = f.host.SetWriteDeadline(time.Now().Add(followLimit))
		if _, err := f.host.Write(line); err == nil {
			return len(line), nil
		}
		f.drop()
	}
	return f.to.Write(line)
}

func (f *followed) tee(c *daemon.Conn) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
	f.host, f.done = c, make(chan struct{})
	return f.done
}

func (f *followed) untee() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
}

// drop needs mu.
func (f *followed) drop() {
	if f.host != nil {
		f.host = nil
		close(f.done)
	}
}
