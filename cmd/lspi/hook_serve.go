package main

import (
	"context"
	"encoding/json"
	"slices"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/tools/hooks"
)

// The side of the shared process of lspi hook; hook_session.go has the hidden sessions that it keeps.

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
