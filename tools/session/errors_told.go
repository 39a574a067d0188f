package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"lspi/lsp"
)

// ErrorsTold is which errors the answers of a session have shown, by server, and what servers still had to say
// behind an answer. Its methods may be called concurrently.
type ErrorsTold struct {
	mu sync.Mutex
	// guarded by mu; of servers that run, and of ended ones that had something to say
	byServer map[*lsp.Server]*errorsOf
	awaits   int // how often something was awaited; guarded by mu
}

type errorsOf struct {
	rest  *lsp.Rest       // nil when nothing is awaited
	id    int             // of rest, in this session
	told  map[string]bool // by [errorKeys]
	fresh []lsp.Report    // of a rest that is over: what is new, or no answer has shown by then; nil until it is over
}

// errorKeys are two names for an error: a server and its external checker say the same in other words, with the
// same code.
func errorKeys(path string, f lsp.Finding) [2]string {
	byCode := fmt.Sprint(path, "\x00", f.Range.Start.Line, "\x00", f.Code)
	if f.Code == "" {
		byCode = ""
	}
	return [2]string{path + "\x00\x00" + f.Message, byCode}
}

func (e *ErrorsTold) of(s *lsp.Server) *errorsOf {
	if e.byServer == nil {
		e.byServer = map[*lsp.Server]*errorsOf{}
	}
	o := e.byServer[s]
	if o == nil {
		maps.DeleteFunc(e.byServer, func(s *lsp.Server, o *errorsOf) bool { return s.Ended() && o.rest == nil })
		o = &errorsOf{told: map[string]bool{}}
		e.byServer[s] = o
	}
	return o
}

// Tell notes the errors among the findings of an answer.
func (e *ErrorsTold) Tell(s *lsp.Server, reports []lsp.Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.of(s)
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.Severity == "error" {
				o.tell(r.Path, f)
			}
		}
	}
}

// Settle forgets the errors that are none of all, which is what a server has to say once it has looked at
// everything: when they come back they are new.
func (e *ErrorsTold) Settle(s *lsp.Server, all []lsp.Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.of(s)
	now := &errorsOf{told: map[string]bool{}}
	for _, r := range all {
		for _, f := range r.Findings {
			now.tell(r.Path, f)
		}
	}
	maps.DeleteFunc(o.told, func(key string, _ bool) bool { return !now.told[key] })
}

func (o *errorsOf) tell(path string, f lsp.Finding) {
	for _, key := range errorKeys(path, f) {
		if key != "" {
			o.told[key] = true
		}
	}
}

func (o *errorsOf) has(path string, f lsp.Finding) bool {
	keys := errorKeys(path, f)
	return o.told[keys[0]] || o.told[keys[1]]
}

// Await notes what a server still has to say; nil awaits nothing, of the processes before it either.
func (e *ErrorsTold) Await(s *lsp.Server, rest *lsp.Rest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, was := range e.before(s) {
		if was != s { // what its successor is asked, or is not, takes its place
			delete(e.byServer, was)
		}
	}
	if o := e.of(s); o.rest != rest {
		e.awaits++
		o.rest, o.id, o.fresh = rest, e.awaits, nil
	}
}

// Awaited is what a server still has to say, with a number of its own; nil when nothing is awaited.
func (e *ErrorsTold) Awaited(s *lsp.Server) (rest *lsp.Rest, id int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, was := range e.before(s) {
		if o := e.byServer[was]; o.rest != nil {
			return o.rest, o.id
		}
	}
	return nil, 0
}

// before are a server and the processes that it has taken the place of. It needs mu.
func (e *ErrorsTold) before(s *lsp.Server) (all []*lsp.Server) {
	for other := range e.byServer {
		if other == s || other.Ended() && other.ID() == s.ID() && other.Root() == s.Root() {
			all = append(all, other)
		}
	}
	return all
}

// Fresh are those of the errors of a rest that no answer has shown, or that were gone meanwhile.
func (e *ErrorsTold) Fresh(s *lsp.Server, rest *lsp.Rest, all []lsp.Report) []lsp.Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.of(s)
	if o.rest != rest {
		return nil
	}
	if o.fresh == nil {
		o.fresh = []lsp.Report{}
		now := &errorsOf{told: map[string]bool{}}
		for _, r := range all {
			unseen := r
			unseen.Findings = nil
			for _, f := range r.Findings {
				if !o.has(r.Path, f) {
					unseen.Findings = append(unseen.Findings, f)
				}
				now.tell(r.Path, f)
			}
			if len(unseen.Findings) > 0 {
				o.fresh = append(o.fresh, unseen)
			}
		}
		slices.SortStableFunc(o.fresh, func(a, b lsp.Report) int { return strings.Compare(a.Path, b.Path) })
		o.told = now.told
	}
	return o.fresh
}
