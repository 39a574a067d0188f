package hooks

import (
	"context"
	"sync/atomic"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// State is what lspi remembers of one host's session at one root between its hooks. Its methods may be called
// concurrently; one event is answered at a time.
type State struct {
	began atomic.Pointer[time.Time] // when the session was there first, as far as its events tell; nil for unknown
	turn  chan struct{}             // holds one value while an event is answered, whose goroutine owns what follows

	noted  *time.Time          // the value of began since which what changed is noted
	marks  map[string]position // how far the journal of each tree was read, by its root
	before texts               // from before the session's changes
	files  map[string]*file    // that changed in the session, and others with errors
	owed   map[string]int      // files whose diagnosis did not come in time, with the number of looks that failed
	// waits says that a change may have broken files which no server has looked at since.
	waits bool
	// whole are the servers that had told of all their files before the session changed any: a file without errors in
	// files had none then.
	whole map[serverAt]bool
	// waited are the servers for which an event has waited in vain: while they load, no other one waits.
	waited map[serverAt]bool
	// takeBack undoes what the last answer noted as told; nil when it told nothing.
	takeBack func()
}

// position is how far a journal was read.
type position struct {
	journal *watch.Journal
	mark    watch.Mark
}

// file is what is known of one file. An error in it is new when it is neither among those of the last look nor among
// those from before the session.
type file struct {
	path    string
	changed bool         // in the session
	text    *source.Text // of the last look; nil before
	errors  []lsp.Finding
	// brought are those of errors that were not there before the session.
	brought []lsp.Finding
	// ended are those of brought that an answer to the end of a turn has told.
	ended []lsp.Finding
}

// New returns the state of a session of which nothing is known.
func New() *State {
	return &State{turn: make(chan struct{}, 1), marks: map[string]position{}, files: map[string]*file{},
		owed: map[string]int{}, waited: map[serverAt]bool{}, whole: map[serverAt]bool{}}
}

// take waits for the turn of an event.
func (st *State) take(ctx context.Context) (release func(), err error) {
	select {
	case st.turn <- struct{}{}:
		return func() { <-st.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Unheard takes back what the last answer told, because it did not reach the host: the next one tells it.
func (st *State) Unheard() {
	st.turn <- struct{}{}
	defer func() { <-st.turn }()
	if st.takeBack != nil {
		st.takeBack()
		st.takeBack = nil
	}
}

// untell makes errors new again. Its file is looked at by the next event.
func (st *State) untell(f *file, news []lsp.Finding) {
	f.errors = without(f.errors, news)
	f.brought = without(f.brought, news)
	st.owed[f.path] = 0
}

// without returns findings without some of them.
func without(all, some []lsp.Finding) (out []lsp.Finding) {
	for _, f := range all {
		if !contains(some, f) {
			out = append(out, f)
		}
	}
	return out
}

func contains(all []lsp.Finding, f lsp.Finding) bool {
	for _, one := range all {
		if one.Path == f.Path && one.Range == f.Range && one.Code == f.Code && one.Message == f.Message {
			return true
		}
	}
	return false
}
