package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/lsp/edit"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// The host's side of the shared process: lspi mcp passes messages to it.

// thisPlace returns where the shared process of this build and user listens, or would listen.
func thisPlace() (daemon.Place, error) {
	u := trust.User{}
	id, err := daemon.ThisIdentity(u.HomeDir(), u.StateDir(), u.CacheDir(), u.ConfigFile())
	if err != nil {
		return daemon.Place{}, err
	}
	dir, err := daemon.Folder(u)
	return daemon.Place{Dir: dir, Name: id.Name()}, err
}

func notShared(err error) session.Sharing { return session.Sharing{Reason: err.Error()} }

// hello returns the first line to the shared process for a session of this command line. It returns an error when the
// folder, a flag or a variable is not UTF-8, which JSON cannot carry; such a session is served in this process.
func (s *wiring) hello(f *sessionFlags) (daemon.Hello, error) {
	flags, err := json.Marshal(f.request())
	if err != nil {
		return daemon.Hello{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return daemon.Hello{}, err
	}
	environ := os.Environ()
	for _, text := range append([]string{dir, f.workspaceRoot, f.config}, environ...) {
		if name, _, _ := strings.Cut(text, "="); !utf8.ValidString(text) {
			return daemon.Hello{}, fmt.Errorf("not UTF-8: %q", name)
		}
	}
	return daemon.Hello{Kind: daemon.KindMCP, Version: version().Version, PID: os.Getpid(), Session: rand.Text(),
		WorkDir: dir, Environ: environ,
		Flags: flags}, nil
}

// connect connects to the shared process and starts it when none runs.
func connect(ctx context.Context, hello daemon.Hello) (*daemon.Remote, error) {
	place, err := thisPlace()
	if err != nil {
		return nil, err
	}
	c, _, err := daemon.Connect(ctx, place, hello)
	if err != nil {
		return nil, err
	}
	return &daemon.Remote{Conn: c, Hello: hello}, nil
}

// share connects a session of this command line to the shared process.
func (s *wiring) share(ctx context.Context, f *sessionFlags) (*daemon.Remote, error) {
	hello, err := s.hello(f)
	if err != nil {
		return nil, err
	}
	return connect(ctx, hello)
}

// When shared processes end more than maxRestarts times within restartWindow, the relay serves its host in its own
// process from then on.
const (
	maxRestarts   = 5
	restartWindow = 5 * time.Minute
)

// restarts are the times at which the shared processes of one relay ended.
type restarts []time.Time

// add records one more end and reports whether there are too many.
func (r *restarts) add(now time.Time) (tooMany bool) {
	*r = append(slices.DeleteFunc(*r, func(t time.Time) bool { return now.Sub(t) > restartWindow }), now)
	return len(*r) > maxRestarts
}

// follow copies the log of the session from the shared process to stderr until that process ends. It does so only when
// a log level was asked for and no log file.
func (s *wiring) follow(l listing, r *daemon.Remote) {
	c := l.config
	if c == nil || c.Logging.File != "" || s.options.Flags.LogLevel == "" && !c.Given("logging.level") {
		return
	}
	h := r.Hello
	h.Kind, h.Environ, h.Flags, h.Kept = daemon.KindLog, nil, nil, nil
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), daemon.StartLimit)
		defer cancel()
		conn, _, err := daemon.Dial(ctx, r.Place, h)
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.Copy(s.logs, conn)
	}()
}

// relay passes messages between the host and the shared process until the host has left.
func (s *wiring) relay(l listing, first *daemon.Remote, in io.Reader, out io.WriteCloser, end *end) error {
	// Only Next uses these three.
	var ended restarts
	last := first // the shared process that served last
	here := false // this process serves the host
	s.follow(l, first)
	r := daemon.NewRelay(daemon.RelayOptions{
		Out:   out,
		Quiet: daemon.Shrink,
		Next: func(ctx context.Context, again int, kept json.RawMessage) (daemon.Backend, error) {
			if again == 0 {
				return first, nil
			}
			if here {
				return nil, errors.New("its servers ended, too")
			}
			if last.Stopped() || !ended.add(time.Now()) { // a process that was told to end does not count
				hello := first.Hello // has the same Session, by which the journal of edits names calls
				hello.Kept = kept
				next, err := connect(ctx, hello)
				if err == nil {
					s.follow(l, next)
					last = next
					return next, nil
				}
				s.process.Sharing = notShared(err)
			} else {
				s.process.Sharing = session.Sharing{Reason: "the shared process ended several times"}
			}
			here = true
			s.logs.log.Warn("the servers of this session are not shared any more", "reason", s.process.Sharing.Reason)
			return s.continueHere(l, kept)
		},
		Changes:  changes,
		Answered: func(id string) { s.forget(callName(first.Hello.Session, id)) },
		Became: func(ctx context.Context, c daemon.Call) json.RawMessage {
			return s.became(ctx, c, callName(first.Hello.Session, c.ID))
		},
		Log: s.logs.log,
	})
	err := r.Run(end.ctx, in)
	if err == nil {
		err = stdio.ErrHostLeft
	}
	end.begin(err)
	return end.code()
}

// continueHere serves the session in this process from now on, with the preset that was chosen while it was shared.
func (s *wiring) continueHere(l listing, kept json.RawMessage) (daemon.Backend, error) {
	if kept == nil {
		return s.local(l), nil
	}
	if err := s.live.restore(kept); err != nil {
		return nil, err
	}
	chosen, err := s.listing()
	if err != nil { // files have changed since the start; each call returns the error
		chosen = listing{settings: session.Settings{ReadOnly: true}}
	}
	return s.local(chosen), nil
}

// local makes this process the backend of a relay.
func (s *wiring) local(l listing) daemon.Backend {
	toService, fromHost := io.Pipe()
	toHost, fromService := io.Pipe()
	b := &localBackend{PipeReader: toHost, in: fromHost, done: make(chan struct{})}
	ctx, begin := context.WithCancelCause(context.Background())
	b.cancel = begin
	service := s.service(l)
	host := stdio.NewConn(toService, fromService, begin, s.logs.log)
	cut, served := s.run(service, host, begin)
	go func() {
		defer close(b.done)
		<-ctx.Done()
		service.Close(context.Cause(ctx))
		host.Drain()
		cut()
		<-served
		fromService.Close()
	}()
	return b
}

// localBackend is a service in this process, behind two pipes.
type localBackend struct {
	*io.PipeReader
	in     *io.PipeWriter
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when its servers have ended
}

func (b *localBackend) Write(p []byte) (int, error) { return b.in.Write(p) }
func (b *localBackend) CloseWrite() error           { return b.in.Close() }
func (b *localBackend) Hangs(context.Context) bool  { return false }
func (b *localBackend) End()                        { b.cancel(errors.New("ended")) }
func (b *localBackend) Close() error {
	b.End()
	_ = b.PipeReader.Close()
	_ = b.in.Close()
	<-b.done
	return nil
}

// callName returns the name of a call in the journal of edits. id is the JSON-RPC id as lspi writes it in the answer; a
// host may write the same id in another way.
func callName(session, id string) string { return session + "/" + id }

// changes reports whether a call must not be made twice: it may change files, or calls another MCP server, whose
// effects lspi does not know.
func changes(tool string, arguments json.RawMessage) bool {
	_, _, others := session.ServerOf(tool)
	return tools.Edits(tool, arguments) || others && !tools.Has(tool)
}

// outcome returns what became of the edits of a call. It waits for the journal for as long as a call may take.
func (s *wiring) outcome(ctx context.Context, id string) (edit.CallOutcome, error) {
	w := s.process.Writer()
	if w == nil {
		return edit.CallOutcome{}, contract.Errorf(contract.KindCallInterrupted, contract.Facts{"changed": "unknown"},
			"there is no folder for the journals of edits")
	}
	ctx, cancel := context.WithTimeout(ctx, session.DefaultCallTimeout)
	defer cancel()
	o, err := w.Outcome(ctx, id)
	if err == nil {
		s.forget(id)
	}
	return o, err
}

// forget removes a call from the journal of edits; its host has the answer.
func (s *wiring) forget(id string) {
	if w := s.process.Writer(); w != nil {
		_ = w.Forget(id)
	}
}

// interrupted returns the answer to a call during which the shared process ended.
func (s *wiring) interrupted(ctx context.Context, r answer.Request, id string) tools.Result {
	began := time.Now()
	var result tools.Result
	if server, _, ok := session.ServerOf(r.Tool); ok && !tools.Has(r.Tool) {
		result = tools.Failed(&session.Settings{}, r, contract.Errorf(contract.KindCallInterrupted,
			contract.Facts{"changed": "unknown"},
			"lspi's process ended during this call of the MCP server %s, which may have had an effect; "+
				"lspi does not repeat it", server))
	} else {
		o, err := s.outcome(ctx, id)
		result = tools.Interrupted(r, o, err)
	}
	mcpserver.LogCall(s.logs.log, r, result, time.Since(began))
	return result
}

// became returns interrupted as a result of MCP.
func (s *wiring) became(ctx context.Context, c daemon.Call, id string) json.RawMessage {
	result := s.interrupted(ctx, answer.Request{Tool: c.Tool, Arguments: c.Arguments,
		Host: session.Host{Name: c.Host}}, id)
	out, _ := contract.Marshal(map[string]any{ // the form in which the SDK writes a CallToolResult
		"content":           []any{map[string]any{"type": "text", "text": result.Text}},
		"structuredContent": result.Structured, "isError": !result.OK,
	})
	return out
}
