package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// The bounds of the search for callers that a macro made: files that are opened for one answer, the time for that, and
// symbols whose uses are held against their callers.
const (
	maxOpenedForCallers  = 8
	openForCallersLimit  = 10 * time.Second
	maxSymbolsWithMacros = 100
)

// macroCallers asks for callers at a server that names those which a macro of another file made only while the file
// that uses the macro is open ([lsp.MacroReader]): a use in a file that is not open, and that belongs to no
// caller, may be such a one. These files are opened, and what could not be looked at is told.
type macroCallers struct {
	c *answer.Call
	s *lsp.Snapshot

	mu     sync.Mutex
	opened int            // guarded by mu
	asked  int            // symbols; guarded by mu
	left   map[string]int // files with uses that belong to no caller, and the line of one; guarded by mu
}

// CallersOf is how a server is asked for the callers of one item. expand may be called for several items at the
// same time. tell has to be called when all of them are done: it warns of what is still missing then. At a server
// whose callers need no open files, expand is the plain request, made only where the texts do not tell already that
// nothing calls the item, and tell does nothing.
func CallersOf(c *answer.Call, s *lsp.Snapshot) (expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error),
	tell func()) {
	if s.Hooks().OpenMacroKind == "" || !s.Offers(lsp.MethodReferences) {
		return func(ctx context.Context, item lsp.HierarchyItem) ([]lsp.Call, error) {
			if lsp.Uncalled(s.Server, item) {
				return nil, nil
			}
			return s.IncomingCalls(ctx, item)
		}, func() {}
	}
	m := &macroCallers{c: c, s: s, left: map[string]int{}}
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
	for path, line := range missing {
		if err != nil || !slices.Contains(open, path) || slices.Contains(d.Silent, path) {
			m.leave(path, line)
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
// tell: the item has no name in the source, or there are no references. Of an item beyond the bound
// tell warns.
func (m *macroCallers) missing(ctx context.Context, item lsp.HierarchyItem, calls []lsp.Call) map[string]int {
	at := item.Place
	from, to, ok := source.WordAround(at.Line, symbol.ByteOffset(at.Line, at.Range.Start.Character))
	// a macro made it, and nobody knows how it is called
	if at.Err != nil || !ok || at.Line[from:to] != symbol.LastComponent(item.Name) {
		return nil
	}
	m.mu.Lock()
	m.asked++
	tooMany := m.asked > maxSymbolsWithMacros
	m.mu.Unlock()
	if tooMany {
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
	out := map[string]int{}
	for _, u := range uses {
		if u.Err == nil && out[u.Path] == 0 && !known[symbol.UsePlace{Path: u.Path, At: u.Range.Start}] &&
			!m.s.Documents().IsOpen(u.Path) {
			out[u.Path] = u.Range.Start.Line
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

// leave notes a file for the warning, with the line of a use.
func (m *macroCallers) leave(path string, line int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left[path] = line
}

// tell warns of what could not be looked at.
func (m *macroCallers) tell() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var files []lsp.Uncovered
	for _, path := range slices.Sorted(maps.Keys(m.left)) {
		// A later item may have opened it; its callers are known then.
		if !m.s.Documents().IsOpen(path) {
			files = append(files, lsp.Uncovered{Path: path, Line: m.left[path], Reason: lsp.NotOpened})
		}
	}
	if len(files) > 0 {
		loaded.Warn(m.c, contract.Facts{"server_id": m.s.ID()}, files, fmt.Sprintf(
			"%s finds callers in code that a macro generates only in files that it has open; uses in %s, belong to none of the callers here",
			m.s.ID(), strings.TrimSuffix(strings.TrimSuffix(loaded.FilesWere(m.c, files), " were"), " was")))
		m.c.Step(m.c.Repeat("Repeat the call; the files opened for this one stay open, and the next call opens more.",
			nil))
	}
	if m.asked > maxSymbolsWithMacros {
		m.c.Warn(contract.WarnNotOpened, contract.Facts{"server_id": m.s.ID(), "limit": maxSymbolsWithMacros},
			fmt.Sprintf(
				"%s finds callers in code that a macro generates only in files that it has open; lspi opens these for the callers of %d symbols, and this answer has more",
				m.s.ID(), maxSymbolsWithMacros))
		// A smaller question has fewer symbols: the same target, one step far, with the breadth that the call gave.
		nearer := m.c.TargetArguments()
		nearer["direction"], nearer["max_depth"] = "incoming", 1
		if given, _ := answer.Object(m.c.Request.Arguments); given["max_breadth"] != nil {
			nearer["max_breadth"] = given["max_breadth"]
		}
		m.c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "call_hierarchy", Arguments: nearer,
			Message: "Ask for the direct callers alone, then for the callers of those that matter."})
	}
}
