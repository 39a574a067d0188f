package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

	mu     sync.Mutex
	opened int                   // guarded by mu
	left   map[string]occurrence // by file: one of the uses that belong to no caller; guarded by mu
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
	m := &macroCallers{c: c, s: s, left: map[string]occurrence{}}
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
	missing := m.missing(ctx, item, calls)
	if len(missing) == 0 {
		return calls, nil
	}
	// The order is the same each time, so that a repeated call goes on with the next files.
	open := m.take(slices.Sorted(maps.Keys(missing)))
	limited, cancel := context.WithTimeout(ctx, openForCallersLimit)
	defer cancel()
	// To ask for their diagnostics opens the files and waits until the server has parsed them. A silent one it has
	// not parsed in time.
	d, err := m.s.Diagnostics().Of(limited, open)
	for path, use := range missing {
		if err != nil || !slices.Contains(open, path) || slices.Contains(d.Silent, path) {
			m.leave(use)
		}
	}
	// Nothing new is open, so a second request would give the same.
	if err != nil || len(open) == 0 {
		return calls, nil
	}
	m.s.Forget()
	return m.s.IncomingCalls(ctx, item)
}

// missing returns the files that are not open and hold a use of an item that none of its callers
// accounts for, each with a line. It is empty when every use is accounted for, and also when nobody can
// tell: the item has no name in the source, or there are no references.
func (m *macroCallers) missing(ctx context.Context, item lsp.HierarchyItem, calls []lsp.Call) map[string]occurrence {
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
	out := map[string]occurrence{}
	for _, u := range uses {
		if u.Err == nil && out[u.Path].path == "" && !known[symbol.UsePlace{Path: u.Path, At: u.Range.Start}] &&
			!m.s.Documents().IsOpen(u.Path) {
			out[u.Path] = occurrence{path: u.Path, at: u.Range.Start, name: at.Line[from:to], reason: reasonNotAsked}
		}
	}
	return out
}

// take returns those of the files that may still be opened. The bound holds for the whole answer, not
// for each item.
func (m *macroCallers) take(files []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	files = files[:min(len(files), maxOpenedForCallers-m.opened)]
	m.opened += len(files)
	return files
}

// leave notes a use for the warning.
func (m *macroCallers) leave(use occurrence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left[use.path] = use
}

// tell warns of what could not be looked at.
func (m *macroCallers) tell(context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []occurrence
	for _, path := range slices.Sorted(maps.Keys(m.left)) {
		// A later item may have opened it; its callers are known then.
		if !m.s.Documents().IsOpen(path) {
			left = append(left, m.left[path])
		}
	}
	if len(left) == 0 {
		return
	}
	m.c.Warn(contract.WarnUnexplained, factsOf(m.c, left[0].name, left), fmt.Sprintf(
		"%s finds callers in code that a macro generates only in files that it has open; uses in %s, the first at %s:%d, belong to none of the callers here",
		m.s.ID(), answer.Counted(len(left), "file"), m.c.Show(left[0].path), left[0].at.Line))
	m.c.Step(m.c.Repeat("Repeat the call; the files opened for this one stay open, and the next call opens more.", nil))
}
