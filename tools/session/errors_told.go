package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"lspi/lsp"
)

// ErrorsTold remembers which errors the answers of a session have shown, by server, and for which
// servers an answer left diagnostics pending. With it a later answer about anything can tell once what
// a server found meanwhile. Its methods may be called concurrently.
type ErrorsTold struct {
	mu sync.Mutex
	// guarded by mu; of servers that run, and of ended ones whose pending diagnostics no successor has taken over
	byServer map[*lsp.Server]*errorsOf
	awaits   int // numbers what is awaited; guarded by mu
}

// errorsOf is what is remembered of one server; guarded by ErrorsTold.mu.
type errorsOf struct {
	rest  *lsp.Rest       // nil when nothing is awaited
	id    int             // the number of rest in this session
	told  map[string]bool // by [errorKeys]
	fresh []lsp.Report    // once rest is over: its errors that no answer has shown; nil until then
}

// errorKeys returns two names for an error: by its message, and by its line and code. A server and its
// external checker (rust-analyzer and cargo check) report the same error in other words with the same
// code; either name is enough to know it again. The second is "" for an error without a code.
func errorKeys(path string, f lsp.Finding) [2]string {
	byCode := fmt.Sprint(path, "\x00", f.Range.Start.Line, "\x00", f.Code)
	if f.Code == "" {
		byCode = ""
	}
	return [2]string{path + "\x00\x00" + f.Message, byCode}
}

// of returns what is remembered of a server, and drops what is not needed any more of ended ones. The
// caller holds mu.
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

// Tell notes the errors among the findings that an answer shows.
func (e *ErrorsTold) Tell(s *lsp.Server, reports []lsp.Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.of(s)
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.Severity == "error" {
				o.note(r.Path, f)
			}
		}
	}
}

// Settle forgets told errors that the server no longer reports; all is what it reports after it has
// looked at everything. An error that comes back later is then new again.
func (e *ErrorsTold) Settle(s *lsp.Server, all []lsp.Report) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.of(s)
	now := &errorsOf{told: map[string]bool{}}
	for _, r := range all {
		for _, f := range r.Findings {
			now.note(r.Path, f)
		}
	}
	maps.DeleteFunc(o.told, func(key string, _ bool) bool { return !now.told[key] })
}

// note notes that an error has been shown.
func (o *errorsOf) note(path string, f lsp.Finding) {
	for _, key := range errorKeys(path, f) {
		if key != "" {
			o.told[key] = true
		}
	}
}

// isTold reports whether an error has been shown, under either name.
func (o *errorsOf) isTold(path string, f lsp.Finding) bool {
	keys := errorKeys(path, f)
	return o.told[keys[0]] || o.told[keys[1]]
}

// Await notes the diagnostics that an answer left pending at a server; nil notes that nothing is
// pending. What was pending at processes before this one is dropped: their successor is asked in their
// place.
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

// Awaited returns what is pending at a server, or at an ended process whose place it has taken, with
// its number; nil when nothing is.
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

// before returns a server and the ended processes whose place it has taken (same id and root). The
// caller holds mu.
func (e *ErrorsTold) before(s *lsp.Server) (all []*lsp.Server) {
	for other := range e.byServer {
		if other == s || other.Ended() && other.ID() == s.ID() && other.Root() == s.Root() {
			all = append(all, other)
		}
	}
	return all
}

// Fresh returns the errors of rest, now that it is over, that no answer has shown, or that were gone in
// between. It decides once: the same errors are returned each time, until [ErrorsTold.Await] replaces
// the rest. nil for a rest that was replaced.
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
				if !o.isTold(r.Path, f) {
					unseen.Findings = append(unseen.Findings, f)
				}
				now.note(r.Path, f)
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
