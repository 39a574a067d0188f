// Package hooked keeps a hidden session for each session of a host whose hooks run lspi hook, and root: it lives
// between the events ([lspi/tools/hooks.State]), and takes the workspace that the host's own session has.
// [Sessions.Find] gives the one of an event, [Sessions.Add] makes it, [Session.Answer] answers. One that no event has
// come for ends by itself.
package hooked

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

// maxSessions bounds the hidden sessions; the one that was used longest ago makes room.
const maxSessions = 64

// Sessions are the hidden sessions of the shared process. The zero value has none.
type Sessions struct {
	mu  sync.Mutex
	all []*Session // the one that was used last at the end; guarded by mu
}

// Wiring is how a hidden session is opened and what it writes to. All are needed.
type Wiring struct {
	Open     func(ctx context.Context) (*session.Session, error) // of a guest
	Attended func(root string) bool                              // whether a host's session has a workspace there
	Events   *events.Recorder
	Close    func()
	Lasts    time.Duration // without an event
}

// Session is the hidden session of one session of a host at one root.
type Session struct {
	host, id string
	Root     string
	dirs     []string    // from which events came; guarded by Sessions.mu
	used     time.Time   // guarded by Sessions.mu
	timer    *time.Timer // ends it when no event has come for a while; guarded by Sessions.mu
	wiring   Wiring
	state    *hooks.State

	opening sync.Mutex       // held while session is looked at or replaced
	session *session.Session // guarded by opening; nil before the first event, and when it has ended
	ended   bool             // guarded by opening
}

// Find returns the hidden session of an event, by the folder of the event or by the root; nil when there is none.
// root may be "": reading the configuration, which tells it, costs more than all else.
func (k *Sessions) Find(e *hooks.Event, root string) *Session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lookup(e, root)
}

// lookup is [Sessions.Find] under the lock.
func (k *Sessions) lookup(e *hooks.Event, root string) *Session {
	i := slices.IndexFunc(k.all, func(s *Session) bool {
		return s.host == e.Host && s.id == e.Session && (s.Root == root || slices.Contains(s.dirs, e.Dir))
	})
	if i < 0 {
		return nil
	}
	s := k.all[i]
	if !slices.Contains(s.dirs, e.Dir) {
		s.dirs = append(s.dirs, e.Dir)
	}
	s.used = time.Now()
	s.timer.Reset(s.wiring.Lasts)
	k.all = append(slices.Delete(k.all, i, i+1), s)
	return s
}

// Add makes the hidden session of an event at a root. Where two events come at once, both get the first one's: what one
// of them has noted the next event must find.
func (k *Sessions) Add(e *hooks.Event, root string, w Wiring) *Session {
	s, made := k.findOrMake(e, root, w)
	if !made {
		w.Close()
	}
	return s
}

func (k *Sessions) findOrMake(e *hooks.Event, root string, w Wiring) (s *Session, made bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.lookup(e, root); s != nil {
		return s, false
	}
	s = &Session{host: e.Host, id: e.Session, Root: root, dirs: []string{e.Dir}, wiring: w, state: hooks.New(),
		used: time.Now()}
	s.timer = time.AfterFunc(w.Lasts, func() { k.remove(s) })
	k.all = append(k.all, s)
	if len(k.all) > maxSessions {
		go k.remove(k.all[0])
	}
	return s, true
}

// remove ends a hidden session.
func (k *Sessions) remove(s *Session) {
	k.mu.Lock()
	k.all = slices.DeleteFunc(k.all, func(other *Session) bool { return other == s })
	s.timer.Stop()
	k.mu.Unlock()
	s.end()
}

// Count returns how many hidden sessions there are, and when the last event came.
func (k *Sessions) Count() (n int, last time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n = len(k.all); n > 0 {
		last = k.all[n-1].used
	}
	return n, last
}

// Unheard takes back what the last answer told, because it did not reach the host.
func (s *Session) Unheard() { s.state.Unheard() }

// end gives the workspace back.
func (s *Session) end() {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.ended = true
	if s.session != nil {
		s.session.Close()
		s.session = nil
	}
	s.wiring.Close()
}

// markLimit is how long the start of a session waits for the journals, which have the state of the tree in no time
// unless it is walked for the first time.
const markLimit = 50 * time.Millisecond

// Answer answers one event. A panic costs the answer alone.
func (s *Session) Answer(ctx context.Context, e *hooks.Event) (a hooks.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = hooks.Answer{}, fmt.Errorf("panic: %v", p)
		}
	}()
	began := time.Now()
	s.state.Began(e.At)
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
			soon, cancel := context.WithTimeout(ctx, hooks.SearchBudget)
			a.Text = hooks.AfterSearch(soon, c, e, toolOf(of)).Text
			cancel()
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
func (s *Session) record(e *hooks.Event, a hooks.Answer, err error, took time.Duration) {
	h := events.Hook{Host: e.Host, Event: string(e.Kind), Took: took, Told: a.Told, Owed: a.Owed, Bytes: len(a.Text)}
	if err != nil {
		h.Error = string(answer.AsError(err).Kind)
	}
	s.wiring.Events.Hook(h)
}

// start begins what has to be there for the first change, behind the answer: nobody waits for it.
func (s *Session) start(of *session.Session, c *answer.Call) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), session.DefaultCallTimeout)
		defer cancel()
		log := of.Workspace.Process.Log
		answer.Guarded(ctx, log, "the start of hooks", func(ctx context.Context) {
			if err := s.state.Start(ctx, c); err != nil {
				log.Info("the start of hooks", "root", s.Root, "error", err)
			}
			mcpserver.Warmup(ctx, of)
			s.state.Warm(ctx, c)
		})
	}()
}

// open returns the session, with the workspace that hosts have at the root.
func (s *Session) open(ctx context.Context) (*session.Session, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.ended {
		return nil, errors.New("it has ended")
	}
	was := s.session
	if was != nil && !was.Workspace.Closed() && !was.Outdated() &&
		(was.Workspace.Attended() || !s.wiring.Attended(s.Root)) {
		return was, nil
	}
	now, err := s.wiring.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.session = now
	if was != nil {
		go was.Discard()() // its servers, where nobody else has them, may take seconds to end
	}
	return now, nil
}
