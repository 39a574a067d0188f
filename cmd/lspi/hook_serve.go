package main

import (
	"context"
	"encoding/json"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/hooked"
	"lspi/tools/hooks"
	"lspi/tools/session"
)

// The side of the shared process of lspi hook.

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
	a, err := s.Answer(ctx, &e)
	if err != nil {
		d.log.Info("a hook told nothing", "host", e.Host, "root", s.Root, "owed", a.Owed, "error", err)
	}
	return a, func(reached bool) {
		if !reached && a.Told > 0 {
			s.Unheard()
		}
	}
}

// hookSession returns the hidden session of an event, and makes it for the first one.
func (d *shared) hookSession(h *daemon.Hello, e *hooks.Event) (*hooked.Session, error) {
	if s := d.hooked.Find(e, ""); s != nil {
		return s, nil
	}
	w := d.hookWiring(h)
	c, err := w.load(nil)
	if err != nil {
		return nil, err
	}
	if s := d.hooked.Find(e, c.Workspace); s != nil {
		return s, nil
	}
	return d.hooked.Add(e, c.Workspace, hooked.Wiring{
		Open:     func(ctx context.Context) (*session.Session, error) { return w.open(ctx, nil) },
		Attended: d.process.Attended, Events: w.events, Close: w.close, Lasts: d.process.Linger}), nil
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
