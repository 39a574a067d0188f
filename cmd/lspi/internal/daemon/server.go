package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

// ServerOptions are what a shared process does. All are needed.
type ServerOptions struct {
	Version string // of lspi
	// Serve serves a host until it has left or ctx ends; it closes the connection.
	Serve func(ctx context.Context, c *Conn, s *Session)
	// Follow writes the log of a session to the connection until either side closes it.
	Follow func(ctx context.Context, c *Conn, session string)
	// Command answers a command that the server does not know itself; false when it does not either. Until then it
	// may tell how far it is.
	Command func(ctx context.Context, h *Hello, tell func(progress any)) (answer any, known bool)
	// Hook answers an event of a host's hook, and is told whether the answer reached the host's process. Meanwhile the
	// process counts as needed.
	Hook func(ctx context.Context, h *Hello) (answer any, reached func(bool))
	// Idle is how long the process stays without a session.
	Idle time.Duration
	// Stay keeps the process without a session, and when a newer lspi has taken over: it serves others, too.
	Stay bool
	Log  *slog.Logger
}

// Session is a host that is served.
type Session struct {
	ID    string // random
	Hello *Hello // whose Environ is for the session alone
	Since time.Time
}

// Server is the shared process: it accepts connections until nobody has needed it for a while, or it is stopped.
type Server struct {
	opt   ServerOptions
	idle  *time.Timer
	place string // set before a connection is accepted

	mu       sync.Mutex
	sessions []*Session     // guarded by mu
	ending   bool           // no new session; guarded by mu
	retired  bool           // it ends with its last session; guarded by mu
	outdated bool           // likewise, but it takes sessions first; guarded by mu
	held     []*Conn        // of those that wait for the end of the process; guarded by mu
	last     *Listener      // that stays until Close; nil before the end; guarded by mu
	work     sync.WaitGroup // connections; entered under mu while ending is not set
	end      context.CancelCauseFunc
}

// The reasons to end.
var (
	ErrIdle    = errors.New("no session for a while")
	ErrRetired = errors.New("a newer lspi has taken over")
	ErrStopped = errors.New("stopped by lspi daemon stop")
	errDeleted = errors.New("the socket is gone")
)

// NewServer makes a server that has no listener yet.
func NewServer(o ServerOptions) *Server { return &Server{opt: o} }

// deletedCheck is how often the server looks whether its socket can still be reached: often enough that a host
// which comes when it is gone waits for the next one ([StartLimit]) and does not serve by itself.
const deletedCheck = time.Second

// Run accepts connections until the process is to end, and returns why. Sessions are cut then, once calls under way
// have been answered ([ErrStopped]) or at once (the end of ctx). Another process can take the place meanwhile;
// commands for this one are answered until [Server.Close].
func (s *Server) Run(ctx context.Context, l *Listener) error {
	ctx, s.end = context.WithCancelCause(ctx)
	s.mu.Lock()
	s.idle = time.AfterFunc(s.opt.Idle, func() { s.endIf(ErrIdle) })
	s.mu.Unlock()
	s.place = l.place.Name
	go s.accept(ctx, l)
	ticker := time.NewTicker(deletedCheck)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			if !l.Deleted() || s.Retired() {
				continue
			}
			if next, err := l.Again(); err == nil {
				l = next
				go s.accept(ctx, l)
			} else { // nobody finds it any more; those that have it keep it
				s.opt.Log.Warn("the socket is gone, and this process ends with its last session", "error", err)
				s.retire(errDeleted)
			}
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.idle.Stop()
	last := l.giveWay() // before the last connections: who comes now starts another one
	if last != l {
		go s.accept(ctx, last)
	}
	s.mu.Lock()
	s.last = last
	s.mu.Unlock()
	s.work.Wait()
	return context.Cause(ctx)
}

// Close ends listening. It is called behind Run, when the process has nothing more to do.
func (s *Server) Close() {
	s.mu.Lock()
	l := s.last
	s.mu.Unlock()
	l.Close()
}

func (s *Server) accept(ctx context.Context, l *Listener) {
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // too many open files: one that ends makes room
			s.opt.Log.Error("accepting a connection", "error", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return
			}
			continue
		}
		s.mu.Lock()
		waited := !s.ending // for its end
		if waited {
			s.work.Add(1)
		}
		s.mu.Unlock()
		go func() {
			if waited {
				defer s.work.Done()
			}
			if !s.serve(ctx, c) {
				c.Close()
			}
		}()
	}
}

// serve is one connection. held says that it stays open for as long as the process lives.
func (s *Server) serve(ctx context.Context, c *Conn) (held bool) {
	h, err := c.Greet()
	if err != nil {
		return false
	}
	if err := confinedAlike(c.Peer); err != nil {
		s.opt.Log.Warn("a process was refused", "pid", c.Peer, "reason", err)
		_ = c.Answer(s.welcome(Welcome{Reason: err.Error()}))
		return false
	}
	if h.Place != "" && h.Place != s.place {
		_ = c.Answer(s.welcome(Welcome{Reason: "it is another build, or is confined in another way"}))
		return false
	}
	if h.Place != "" && s.Ending() { // who looks for a process, not for this one
		_ = c.Answer(s.welcome(Welcome{Again: true, Reason: "it is about to end"}))
		return false
	}
	switch h.Kind {
	case KindMCP:
		session := &Session{ID: h.Session, Hello: h, Since: time.Now()}
		if !s.enter(session) {
			_ = c.Answer(s.welcome(Welcome{Again: true, Reason: "it is about to end"}))
			return false
		}
		defer s.leave(session)
		if c.Answer(s.welcome(Welcome{OK: true})) == nil {
			s.opt.Serve(ctx, c, session)
		}
	case KindHook:
		session := &Session{Hello: h, Since: time.Now()}
		if !s.enter(session) {
			_ = c.Answer(s.welcome(Welcome{Again: true, Reason: "it is about to end"}))
			return false
		}
		defer s.leave(session)
		if c.Answer(s.welcome(Welcome{OK: true})) == nil {
			answer, reached := s.opt.Hook(ctx, h)
			reached(c.Tell(answer) == nil)
		}
	case KindLog:
		if c.Answer(s.welcome(Welcome{OK: true})) == nil {
			s.opt.Follow(ctx, c, h.Session)
		}
	case KindCommand:
		if c.Answer(s.welcome(Welcome{OK: true})) == nil {
			var one sync.Mutex
			tell := func(progress any) {
				one.Lock()
				defer one.Unlock()
				_ = c.Tell(commandProgress{progress})
			}
			if h.Command == CommandStop {
				s.hold(c)
			}
			_ = c.Tell(s.command(ctx, h, tell))
			return h.Command == CommandStop
		}
	default:
		_ = c.Answer(s.welcome(Welcome{Reason: "it does not know this kind of connection"}))
	}
	return false
}

func (s *Server) enter(session *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending || s.retired && len(s.sessions) == 0 {
		return false
	}
	s.sessions = append(s.sessions, session)
	s.idle.Stop()
	return true
}

func (s *Server) leave(session *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *Session) bool { return other == session })
	if len(s.sessions) > 0 || s.ending {
		return
	}
	if s.retired || s.outdated {
		s.ending = true
		s.end(ErrRetired)
		return
	}
	s.idle.Reset(s.opt.Idle)
}

// endIf ends the process unless a session came meanwhile.
func (s *Server) endIf(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) == 0 && !s.opt.Stay {
		s.ending = true
		s.end(cause)
	}
}

// retire ends the process with its last session.
func (s *Server) retire(cause error) {
	s.mu.Lock()
	s.retired = !s.opt.Stay
	s.mu.Unlock()
	s.endIf(cause)
}

// Outdated says that a newer lspi runs already: a host of this build started the process all the same, because its
// own one has died. It serves the hosts of this build, and ends with the last one. It has to be called before Run.
func (s *Server) Outdated() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outdated = !s.opt.Stay; s.outdated {
		s.opt.Idle = min(s.opt.Idle, StartLimit) // for the first one
	}
}

// hold keeps a connection open until the process has ended, when the system closes it: the garbage collector closes
// one that nobody refers to.
func (s *Server) hold(c *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, c)
}

// Stop ends the process: calls under way are answered before.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	s.end(ErrStopped)
}

// Ending reports whether the process takes no more sessions, and ends when the last one has.
func (s *Server) Ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

// Retired reports whether the process ends with its last session.
func (s *Server) Retired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired || s.outdated
}

func (s *Server) welcome(w Welcome) Welcome {
	w.Version, w.PID = s.opt.Version, pid()
	return w
}

// The commands that the server answers itself.
const (
	CommandPing   = "ping"   // answers true
	CommandStop   = "stop"   // answers true, then the process ends
	CommandRetire = "retire" // the same, but with its last session
)

// commandProgress is a line before the answer to a command.
type commandProgress struct {
	Progress any `json:"command_progress"`
}

func (s *Server) command(ctx context.Context, h *Hello, tell func(progress any)) any {
	switch h.Command {
	case CommandPing:
		return true
	case CommandStop:
		s.Stop()
		return true
	case CommandRetire:
		s.retire(ErrRetired)
		return true
	}
	answer, known := s.opt.Command(ctx, h, tell)
	if !known {
		return map[string]string{"error": "there is no command " + h.Command}
	}
	return answer
}

// AskHook gives the event of a hook to the process that hosts of this build share, and decodes its answer. With start
// it starts one where none runs, and waits for it. Its errors are those of [Reach] or [Connect], and of the connection.
func AskHook(ctx context.Context, p Place, h Hello, start bool, answer any) error {
	h.Kind = KindHook
	dial, limit := Reach, hookHelloLimit
	if start {
		dial, limit = Connect, StartLimit
	}
	soon, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, _, err := dial(soon, p, h)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	return c.ask(ctx, answer)
}

// hookHelloLimit is how long a hook waits until the process takes its event: a host gives a hook few seconds, and one
// that hangs must not cost them all.
const hookHelloLimit = time.Second

// Ask gives a command to the shared process of a place and decodes its answer; it starts none.
func Ask(ctx context.Context, p Place, h Hello, answer any) error {
	h.Kind = KindCommand
	c, _, err := Dial(ctx, p, h)
	if err != nil {
		return err
	}
	return c.ask(ctx, answer)
}

// AskReached is [Ask] of the process that hosts of this build share ([Reach]). progress hears what it tells before
// its answer; nil hears nothing.
func AskReached(ctx context.Context, p Place, h Hello, answer any, progress func(json.RawMessage)) error {
	h.Kind = KindCommand
	c, _, err := Reach(ctx, p, h)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	for {
		var line json.RawMessage
		if err := c.hear(&line, commandDeadline(ctx)); err != nil {
			return err
		}
		var told struct {
			Progress json.RawMessage `json:"command_progress"`
		}
		if json.Unmarshal(line, &told) != nil || told.Progress == nil {
			return json.Unmarshal(line, answer)
		}
		if progress != nil {
			progress(told.Progress)
		}
	}
}

func commandDeadline(ctx context.Context) time.Time {
	if deadline, ok := ctx.Deadline(); ok {
		return deadline
	}
	return time.Now().Add(helloLimit)
}

// ask reads the answer to a command, and ends the connection.
func (c *Conn) ask(ctx context.Context, answer any) error {
	defer c.Close()
	if answer == nil {
		var ignored json.RawMessage
		answer = &ignored
	}
	return c.hear(answer, commandDeadline(ctx))
}

// StopAndWait asks the process of a place to end, and waits until it has: the system closes the connection then.
// One that does not answer is killed, unless systemd has made its socket. Its error is that of [Dial], or that it
// has not ended when ctx does.
func StopAndWait(ctx context.Context, p Place, h Hello) error {
	h.Kind, h.Command = KindCommand, CommandStop
	c, _, err := Dial(ctx, p, h)
	var silent *SilentError
	switch {
	case errors.As(err, &silent) && silent.PID > 0 && ctx.Err() == nil:
		return kill(silent.PID)
	case err != nil:
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := io.Copy(io.Discard, c); ctx.Err() != nil {
		return fmt.Errorf("it has not ended: %w", errors.Join(context.Cause(ctx), err))
	}
	return nil
}
