package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/internal/events"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/hooks"
	"lspi/tools/session"
)

// The side of the shared process of lspi hook: one hidden session for each session of a host and root, which lives
// between the events.

// maxHooked bounds the hidden sessions; the one that was used longest ago makes room.
const maxHooked = 64

// hooked are the hidden sessions of the shared process.
type hooked struct {
	mu  sync.Mutex
	all []*hookSession // the one that was used last at the end; guarded by mu
}

// hookSession is the hidden session of one session of a host at one root.
type hookSession struct {
	host, id string
	dirs     []string // from which events came; guarded by hooked.mu
	root     string   // guarded by hooked.mu
	used     time.Time
	timer    *time.Timer // ends it when no event has come for a while; guarded by hooked.mu
	wiring   *wiring
	state    *hooks.State

	opening sync.Mutex       // held while session is looked at or replaced
	session *session.Session // guarded by opening; nil before the first event, and when it has ended
	ended   bool             // guarded by opening
}

// hook answers the event of a hook.
func (d *shared) hook(ctx context.Context, h *daemon.Hello) (any, func(bool)) {
	nobody := func(bool) {}
	var e hooks.Event
	if err := json.Unmarshal(h.Event, &e); err != nil { // not expected: the same build wrote it
		d.log.Error("reading the event of a hook", "error", err)
		return hooks.Answer{}, nobody
	}
	s, err := d.hookSession(h, &e)
	if err != nil {
		d.log.Warn("a hook told nothing", "host", e.Host, "dir", e.Dir, "error", err)
		return hooks.Answer{}, nobody
	}
	a, err := s.answer(ctx, &e)
	if err != nil {
		d.log.Info("a hook told nothing", "host", e.Host, "root", s.root, "owed", a.Owed, "error", err)
	}
	return a, func(reached bool) {
		if !reached && a.Told > 0 {
			s.state.Unheard()
		}
	}
}

// hookSession returns the hidden session of an event, and makes it for the first one.
func (d *shared) hookSession(h *daemon.Hello, e *hooks.Event) (*hookSession, error) {
	if s := d.hooked.find(func(s *hookSession) bool {
		return s.host == e.Host && s.id == e.Session && slices.Contains(s.dirs, e.Dir)
	}, e.Dir); s != nil {
		return s, nil
	}
	w := d.hookWiring(h)
	c, err := w.load(nil)
	if err != nil {
		return nil, err
	}
	if s := d.hooked.find(func(s *hookSession) bool {
		return s.host == e.Host && s.id == e.Session && s.root == c.Workspace
	}, e.Dir); s != nil {
		return s, nil
	}
	s := &hookSession{host: e.Host, id: e.Session, dirs: []string{e.Dir}, root: c.Workspace, wiring: w,
		state: hooks.New()}
	d.hooked.add(s, d.process.Linger)
	return s, nil
}

// hookWiring returns the wiring of a hidden session.
func (d *shared) hookWiring(h *daemon.Hello) *wiring {
	r := &request{WorkDir: h.WorkDir, Environ: h.Environ}
	if err := json.Unmarshal(h.Flags, r); err != nil { // not expected: the same build wrote them
		d.log.Error("reading the flags of a hook", "error", err)
	}
	return &wiring{options: r.options(), logs: newLogs(d.out), process: d.process, live: &live{}, watcher: &d.watcher,
		events: d.events.Recorder(), guest: true}
}

// find returns a hidden session that matches, as used by an event from dir; nil when there is none.
func (k *hooked) find(matches func(*hookSession) bool, dir string) *hookSession {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.all, matches)
	if i < 0 {
		return nil
	}
	s := k.all[i]
	if !slices.Contains(s.dirs, dir) {
		s.dirs = append(s.dirs, dir)
	}
	s.used = time.Now()
	s.timer.Reset(s.lasts())
	k.all = append(slices.Delete(k.all, i, i+1), s)
	return s
}

// lasts is how long the session stays without an event.
func (s *hookSession) lasts() time.Duration { return s.wiring.process.Linger }

// add adds a hidden session.
func (k *hooked) add(s *hookSession, lasts time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.used = time.Now()
	s.timer = time.AfterFunc(lasts, func() { k.remove(s) })
	k.all = append(k.all, s)
	if len(k.all) > maxHooked {
		go k.remove(k.all[0])
	}
}

// remove ends a hidden session.
func (k *hooked) remove(s *hookSession) {
	k.mu.Lock()
	k.all = slices.DeleteFunc(k.all, func(other *hookSession) bool { return other == s })
	s.timer.Stop()
	k.mu.Unlock()
	s.end()
}

// count returns how many hidden sessions there are, and when the last event came.
func (k *hooked) count() (n int, last time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n = len(k.all); n > 0 {
		last = k.all[n-1].used
	}
	return n, last
}

// end gives the workspace back.
func (s *hookSession) end() {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.ended = true
	if s.session != nil {
		s.session.Close()
		s.session = nil
	}
	s.wiring.close()
}

// answer answers one event. A panic costs the answer alone.
func (s *hookSession) answer(ctx context.Context, e *hooks.Event) (a hooks.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = hooks.Answer{}, fmt.Errorf("panic: %v", p)
		}
	}()
	began := time.Now()
	of, err := s.open(ctx)
	if err != nil {
		return a, err
	}
	settings := of.Settings.Hooks
	ctx, cancel := context.WithDeadline(ctx, began.Add(settings.Budget))
	defer cancel()
	c := tools.HookCall(of)
	switch e.Kind {
	case hooks.SessionStart:
		s.start(of, c)
	case hooks.AfterTool:
		a, err = s.state.AfterChange(ctx, c, e)
	case hooks.TurnEnds:
		if settings.Stop {
			a, err = s.state.AtEnd(ctx, c, e)
		}
	}
	s.record(e, a, err, time.Since(began))
	return a, err
}

// record writes the event of a hook to the log of events.
func (s *hookSession) record(e *hooks.Event, a hooks.Answer, err error, took time.Duration) {
	h := events.Hook{Host: e.Host, Event: string(e.Kind), Took: took, Told: a.Told, Owed: a.Owed, Bytes: len(a.Text)}
	if err != nil {
		h.Error = string(answer.AsError(err).Kind)
	}
	s.wiring.events.Hook(h)
}

// start begins what has to be there for the first change, behind the answer: nobody waits for it.
func (s *hookSession) start(of *session.Session, c *answer.Call) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), session.DefaultCallTimeout)
		defer cancel()
		log := of.Workspace.Process.Log
		answer.Guarded(ctx, log, "the start of hooks", func(ctx context.Context) {
			if err := s.state.Start(ctx, c); err != nil {
				log.Info("the start of hooks", "root", s.root, "error", err)
			}
			mcpserver.Warmup(ctx, of)
			s.state.Warm(ctx, c)
		})
	}()
}

// open returns the session, with the workspace that hosts have at the root.
func (s *hookSession) open(ctx context.Context) (*session.Session, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.ended {
		return nil, errors.New("it has ended")
	}
	was := s.session
	if was != nil && !was.Workspace.Closed() && !was.Outdated() &&
		(was.Workspace.Attended() || !s.wiring.process.Attended(s.root)) {
		return was, nil
	}
	now, err := s.wiring.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	s.session = now
	if was != nil {
		go was.Discard()() // its servers, where nobody else has them, may take seconds to end
	}
	return now, nil
}

// openGuest is [wiring.openWorkspace] for a hidden session: it takes the workspace that hosts have.
func (s *wiring) openGuest(key string, table *router.Table, o router.PoolOptions) (*session.Workspace, error) {
	return s.process.OpenGuest(key, table, o, func(other *router.Table) bool { return other.Trusted == table.Trusted })
}
