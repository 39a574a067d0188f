package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/internal/events"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/hooks"
	"lspi/tools/session"
)

// A hidden session for each session of a host and root, which lives between the events of its hooks.

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

// markLimit is how long the start of a session waits for the journals, which have the state of the tree in no time unless
// it is walked for the first time.
const markLimit = 50 * time.Millisecond

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
		soon, cancel := context.WithTimeout(ctx, markLimit)
		_ = s.state.Mark(soon, c) // else behind the answer
		cancel()
		s.start(of, c)
	case hooks.AfterTool:
		a, err = s.state.AfterChange(ctx, c, e)
		if settings.Search && err == nil && a.Text == "" {
			a.Text = hooks.AfterSearch(ctx, c, e, toolOf(of)).Text
		}
	case hooks.TurnEnds:
		if settings.Stop {
			a, err = s.state.AtEnd(ctx, c, e)
		}
	}
	if e.Late && e.Kind != hooks.SessionStart { // the first that is heard of the session
		s.start(of, c)
	}
	s.record(e, a, err, time.Since(began))
	return a, err
}

// toolOf returns the tools of a session for what a search is answered with.
func toolOf(of *session.Session) hooks.Tool {
	return func(ctx context.Context, name string, arguments map[string]any) (json.RawMessage, bool) {
		raw, err := json.Marshal(arguments)
		if err != nil {
			return nil, false
		}
		r := tools.Run(ctx, of, nil, answer.Request{Tool: name, Arguments: raw, Host: session.CallHost()})
		return r.Structured, r.OK
	}
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
