package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// The bounds of the search for callers that a macro made: files that are opened for one answer, and the time for that.
const (
	maxOpenedForCallers = 8
	openForCallersLimit = 10 * time.Second
)

// macroCallers asks for callers at a server that names those which a macro of another file made only while the file
// that uses the macro is open ([lsp.MacroReader]): a use in a file that is not open, and that belongs to no
// caller, may be such a one. These files are opened, and what could not be looked at is told.
type macroCallers struct {
	c *answer.Call
	s *lsp.Snapshot

	mu      sync.Mutex
	opened  int          // guarded by mu
	without []occurrence // of each file that was not open, a use that belongs to no caller; guarded by mu
}

// CallersOf is how a server is asked for the callers of one item. expand may be called for several items at the
// same time. tell has to be called when all of them are done: it warns of what is still missing then. At a server
// whose callers need no open files, expand is the plain request, made only where the texts do not tell already that
// nothing calls the item, and tell does nothing.
func CallersOf(c *answer.Call, s *lsp.Snapshot) (expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error),
	tell func(context.Context)) {
	if s.Hooks().OpenMacroKind == "" || !s.Offers(lsp.MethodReferences) {
		return func(ctx context.Context, item lsp.HierarchyItem) ([]lsp.Call, error) {
			if lsp.Uncalled(s.Server, item) {
				return nil, nil
			}
			return s.IncomingCalls(ctx, item)
		}, func(context.Context) {}
	}
	m := &macroCallers{c: c, s: s}
	return m.incoming, m.tell
}

// incoming returns the callers of an item: it asks, opens the files with uses that belong to none of
// the callers, and asks again. It fails only where a request for callers fails; what could not be
// opened is kept for tell.
func (m *macroCallers) incoming(ctx context.Context, item lsp.HierarchyItem) ([]lsp.Call, error) {
	calls, err := m.s.IncomingCalls(ctx, item)
	if err != nil {
		return nil, err
	}
	open := m.take(m.missing(ctx, item, calls))
	if len(open) == 0 { // a second request would give the same
		return calls, nil
	}
	limited, cancel := context.WithTimeout(ctx, openForCallersLimit)
	defer cancel()
	// To ask for their diagnostics opens the files and waits until the server has parsed them.
	if _, err := m.s.Diagnostics().Of(limited, open); err != nil {
		return calls, nil
	}
	m.s.Forget()
	return m.s.IncomingCalls(ctx, item)
}

// missing are uses of an item that none of its callers accounts for, one of each file that is not open. It is empty
// when every use is accounted for, and also when nobody can tell: the item has no name in the source, or there are no
// references.
func (m *macroCallers) missing(ctx context.Context, item lsp.HierarchyItem, calls []lsp.Call) (out []occurrence) {
	at := item.Place
	from, to, ok := source.WordAround(at.Line, symbol.ByteOffset(at.Line, at.Range.Start.Character))
	// a macro made it, and nobody knows how it is called
	if at.Err != nil || !ok || at.Line[from:to] != symbol.LastComponent(item.Name) {
		return nil
	}
	uses, err := m.s.References(ctx, at.Path, at.Range.Start, false)
	if err != nil {
		return nil
	}
	known := map[symbol.UsePlace]bool{}
	for _, call := range calls {
		for _, r := range call.From {
			known[symbol.UsePlace{Path: call.Item.Place.Path, At: r.Start}] = true
		}
	}
	for _, u := range uses {
		if u.Err == nil && !known[symbol.UsePlace{Path: u.Path, At: u.Range.Start}] && !m.s.Documents().IsOpen(u.Path) {
			out = append(out, occurrence{path: u.Path, at: u.Range.Start, name: at.Line[from:to],
				reason: reasonNotAsked})
		}
	}
	return firstOfFiles(out)
}

// firstOfFiles are the first of some occurrences in each file. The order is the same each time, so that a repeated call
// goes on with the next files.
func firstOfFiles(all []occurrence) []occurrence {
	slices.SortStableFunc(all, func(a, b occurrence) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(all, func(a, b occurrence) bool { return a.path == b.path })
}

// take notes uses, and returns those of their files that may still be opened. The bound holds for the whole answer, not
// for each item.
func (m *macroCallers) take(uses []occurrence) (open []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.without = append(m.without, uses...)
	for _, use := range uses[:min(len(uses), maxOpenedForCallers-m.opened)] {
		open = append(open, use.path)
	}
	m.opened += len(open)
	return open
}

// tell warns of what could not be looked at.
func (m *macroCallers) tell(context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := slices.DeleteFunc(firstOfFiles(m.without), func(o occurrence) bool {
		return m.s.Documents().IsOpen(o.path)
	})
	if len(left) == 0 {
		return
	}
	m.c.Warn(contract.WarnUnexplained, factsOf(m.c, left[0].name, left), fmt.Sprintf(
		"%s finds callers in code that a macro generates only in files that it has open; uses in %s, the first at %s:%d, belong to none of the callers here",
		m.s.ID(), answer.Counted(len(left), "file"), m.c.Show(left[0].path), left[0].at.Line))
	m.c.Step(m.c.Repeat("Repeat the call; the files opened for this one stay open, and the next call opens more.", nil))
}
