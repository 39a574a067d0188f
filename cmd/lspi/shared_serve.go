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
	"lspi/cmd/lspi/internal/hooked"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/internal/events"
	"lspi/tools"
	"lspi/tools/session"
)

// shared is the shared process: what its sessions have in common, and the sessions.
type shared struct {
	process *session.Process
	watcher config.Watcher
	events  events.Files
	log     *slog.Logger
	// life writes to the same log at every level; for the start and the end of the process.
	life    *slog.Logger
	out     io.Writer // of the log
	started time.Time
	server  *daemon.Server
	door    *openedDoor // nil without --http; set before the process serves
	hooked  hooked.Sessions

	mu     sync.Mutex
	served map[string]*servedSession // by Hello.Session; guarded by mu
	bound  map[*binding]bool         // the sessions over HTTP; guarded by mu
	logs   map[string]*sessionLog    // by Hello.Session, also of sessions that are not served yet; guarded by mu
	calls  int64                     // of sessions that have ended; guarded by mu
}

// servedSession is the session of one host.
type servedSession struct {
	*daemon.Session
	session *wiring
	service *mcpserver.Service
	host    *stdio.Conn
	log     *sessionLog
	conn    *daemon.Conn
	left    bool // its host has left or reads no more, and the session is ending; guarded by shared.mu
}

// keep sends the preset chosen for the session to the host's own process, which keeps it for the next shared process.
func (s *servedSession) keep() { s.conn.Keep(s.session.live.choice) }

// newShared returns the shared process with the settings of the user's own configuration that hold for all sessions.
// stays says that it does not end when nobody needs it.
func newShared(out io.Writer, user *config.Config, stays bool) *shared {
	logs := newLogs(out)
	// The level only: logging.file is for sessions, and the log of this process has a file of its own that is rotated.
	logs.followLevel(user, config.Flags{})
	d := &shared{process: newProcess(logs.log), log: logs.log, life: slog.New(slog.NewJSONHandler(logs, nil)),
		out: out, started: time.Now(), served: map[string]*servedSession{}, bound: map[*binding]bool{},
		logs: map[string]*sessionLog{}}
	d.watcher.Log, d.events.Log = logs.log, logs.log
	d.process.Sharing = session.Sharing{Shared: true, PID: os.Getpid()}
	d.process.Linger = user.Daemon.Idle
	d.server = daemon.NewServer(daemon.ServerOptions{Version: version().Version, Serve: d.serve, Follow: d.follow,
		Command: d.command, Hook: d.hook,
		Idle: user.Daemon.Idle, Stay: stays, Log: logs.log})
	return d
}

// open makes the session that a hello describes. It serves nothing yet.
func (d *shared) open(h *daemon.Hello) *servedSession {
	r := &request{WorkDir: h.WorkDir, Environ: h.Environ}
	if err := json.Unmarshal(h.Flags, r); err != nil { // not expected: the same build wrote them
		d.log.Error("reading the flags of a session", "error", err)
	}
	log := d.logOf(h.Session)
	s := &wiring{options: r.options(), logs: newLogs(log), process: d.process, live: &live{}, watcher: &d.watcher,
		events: d.events.Recorder()}
	return &servedSession{session: s, log: log}
}

// serve serves one host until it has left or the process ends. After lspi daemon stop it waits for calls in flight;
// when the process has to end at once, they get no answer from it, and the relay asks the next process.
func (d *shared) serve(ctx context.Context, c *daemon.Conn, connected *daemon.Session) {
	s := d.open(connected.Hello)
	s.Session, s.conn = connected, c
	if err := s.session.live.restore(connected.Hello.Kept); err != nil { // not expected: the same build wrote it
		d.log.Error("restoring the preset of a session", "error", err)
	}
	l, err := s.session.listing()
	// The host's own process has checked this command line, so files have changed since; each call returns the error.
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
	if ctx.Err() != nil {
		limit := signalLimit
		if errors.Is(context.Cause(ctx), daemon.ErrStopped) {
			limit = stopLimit
		}
		idle := finish(gone, host, in, limit)
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

// stopLimit is how long lspi daemon stop waits for calls in flight: about as long as a call may take. During the first
// half, a host with a call in flight may make new ones; they have at least the second half.
const stopLimit = time.Minute

// signalLimit is the same for a signal: calls under way are cut, and a session without one is found to be idle, so
// that what the host sends in this instant is for the next process.
const signalLimit = 100 * time.Millisecond

// finish waits until the calls of a host are answered, when the process is to end. Until then it also takes new calls:
// the host can reach the next process only when this one has ended, and a short call should not wait for a long one.
// gone ends when the host has left. idle reports that nothing is read any more and everything that was read has been
// answered.
func finish(gone context.Context, host *stdio.Conn, in *untilStopped, limit time.Duration) (idle bool) {
	ctx, cancel := context.WithTimeout(gone, limit)
	defer cancel()
	taking, stop := context.WithTimeout(ctx, limit/2)
	host.WaitForOpen(taking)
	stop()
	select {
	case <-in.stop():
	case <-ctx.Done():
	}
	host.Wait(ctx)
	return ctx.Err() == nil
}

// untilStopped reads what a host sends until stop is called. Then Read blocks for good: an error would look as if the
// host had left, and end the calls in flight. What the host sends later is for the next process.
type untilStopped struct {
	*daemon.Conn
	stopped atomic.Bool
	rests   chan struct{} // closed when nothing more is read
}

// stop ends reading. The returned channel is closed when reading has ended; never when the host had left before.
func (u *untilStopped) stop() <-chan struct{} {
	u.stopped.Store(true)
	_ = u.SetReadDeadline(time.Now())
	return u.rests
}

func (u *untilStopped) Read(p []byte) (int, error) {
	n, err := u.Conn.Read(p)
	if err != nil && n == 0 && u.stopped.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
		close(u.rests)
		select {} // the process is about to end
	}
	return n, err
}

// untilEnding writes to a host until ending is set, then it drops everything: calls are cancelled because the process
// ends, and the host, which has cancelled none, must not get those answers. Its relay sees the connection end. It asks
// the next process again where a call only reads, and the journal of edits otherwise.
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

// hide removes a session from the status and from the reach of commands as soon as its host has left. Its calls and MCP
// servers may need seconds to end; then leave is called.
func (d *shared) hide(s *servedSession) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.left = true
}

// leave removes a session that has ended and keeps its count of calls. A host that has connected again has the same ID,
// so its new session and log stay.
func (d *shared) leave(s *servedSession) {
	d.mu.Lock()
	if d.served[s.ID] == s {
		delete(d.served, s.ID)
		delete(d.logs, s.ID)
	}
	d.calls += s.service.Calls()
	d.mu.Unlock()
	s.log.unfollow()
}

// logOf returns the log of a session and creates it when necessary: a host may follow the log before it is served.
func (d *shared) logOf(name string) *sessionLog {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.logs[name]
	if l == nil {
		l = &sessionLog{to: d.out}
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

// follow passes the log of a session on to its host's process until one of them ends.
func (d *shared) follow(ctx context.Context, c *daemon.Conn, name string) {
	log := d.logOf(name)
	defer d.forgetLog(name) // if the session has ended before, or never came
	done := log.follow(c)
	defer context.AfterFunc(ctx, func() { c.Close() })()
	go func() {
		_, _ = io.Copy(io.Discard, c) // returns when the host ends the connection
		log.unfollow()
	}()
	<-done
}

// sessionLog is the log of a session. It goes to the session's host while that follows it, else to the log of the
// shared process.
type sessionLog struct {
	to io.Writer

	mu   sync.Mutex
	host *daemon.Conn  // nil while the host does not follow; guarded by mu
	done chan struct{} // closed when the host stops following; guarded by mu
}

// followLimit is how long a host may take to read a line of the log; one that takes longer gets no more.
const followLimit = time.Second

// Write writes one line to the host that follows. A host that does not read it within followLimit follows no more, and
// the line goes to the log of the shared process: the session must not wait for a reader of its log.
func (f *sessionLog) Write(line []byte) (int, error) {
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

// follow sends the log to c until unfollow, another follow, or a failed write; then it closes the returned channel.
func (f *sessionLog) follow(c *daemon.Conn) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
	f.host, f.done = c, make(chan struct{})
	return f.done
}

// unfollow sends the log back to the log of the shared process.
func (f *sessionLog) unfollow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
}

// drop ends the following by a host, if there is one. The caller holds mu.
func (f *sessionLog) drop() {
	if f.host != nil {
		f.host = nil
		close(f.done)
	}
}
