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
// nothing calls the item, with the callers of other projects, and tell does nothing.
func CallersOf(c *answer.Call, s *lsp.Snapshot) (expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error),
	tell func(context.Context)) {
	if s.Hooks().OpenMacroKind == "" || !s.Offers(lsp.MethodReferences) {
		return func(ctx context.Context, item lsp.HierarchyItem) ([]lsp.Call, error) {
			if lsp.Uncalled(s.Server, item) {
				return nil, nil
			}
			calls, err := s.IncomingCalls(ctx, item)
			if err != nil || s.Hooks().Projects == nil {
				return calls, err
			}
			return ofOtherProjects(ctx, s, item, calls)
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
	missing, _ := m.missing(ctx, item, calls)
	open := m.take(firstOfFiles(slices.DeleteFunc(missing, func(o occurrence) bool {
		return m.s.Documents().IsOpen(o.path)
	})))
	if len(open) == 0 { // a second request would give the same
		return m.twins(ctx, item, calls)
	}
	limited, cancel := context.WithTimeout(ctx, openForCallersLimit)
	defer cancel()
	// To ask for their diagnostics opens the files and waits until the server has parsed them.
	if _, err := m.s.Diagnostics().Of(limited, open); err != nil {
		return calls, nil
	}
	m.s.Forget()
	if calls, err = m.s.IncomingCalls(ctx, item); err != nil {
		return nil, err
	}
	return m.twins(ctx, item, calls)
}

// twins gives each function its calls where callers of several programs have one name, as main has: to the server
// (clangd 22.1.8) they are one symbol, so that it has them all at one of the functions, in the file of that one.
func (m *macroCallers) twins(ctx context.Context, item lsp.HierarchyItem, calls []lsp.Call) ([]lsp.Call, error) {
	missing, uses := m.missing(ctx, item, calls)
	if len(uses) == 0 {
		return calls, nil
	}
	all := calls
	calls = slices.DeleteFunc(slices.Clone(calls), func(call lsp.Call) bool {
		return len(call.From) > 0 &&
			!slices.ContainsFunc(call.From, func(r contract.Range) bool { return here(uses, call, r) })
	})
	for i, call := range calls {
		calls[i].From = slices.DeleteFunc(slices.Clone(call.From),
			func(r contract.Range) bool { return !here(uses, call, r) })
	}
	by := map[symbol.UsePlace]int{} // where a function has its name → its index in calls
	for _, use := range missing {
		if !m.s.Documents().IsOpen(use.path) && len(m.take([]occurrence{use})) == 0 { // [macroCallers.tell] tells it
			continue
		}
		symbols, text, err := m.s.DocumentSymbols(ctx, use.path)
		if err != nil {
			if lsp.FatalAnswer(err) {
				return nil, err
			}
			continue
		}
		within := symbol.Enclosing(symbols, use.at)
		twin := -1
		i := slices.IndexFunc(within, func(s lsp.Symbol) bool {
			twin = slices.IndexFunc(all,
				func(c lsp.Call) bool { return c.Item.Name == s.Name && symbol.IsFunction(s.Kind) })
			// What macros made has one name in all places, and is not written there. A function that the item
			// overrides is among its uses, and calls nothing.
			return twin >= 0 && !s.NameAt.Contains(use.at) &&
				text.WordAt(s.NameAt.Start) == symbol.LastComponent(s.Name)
		})
		from, err := text.Offset(use.at)
		if i < 0 || err != nil ||
			!strings.HasPrefix(strings.TrimLeft(text.Content()[from+len(use.name):], " \t"), "(") {
			continue
		}
		name := within[i].NameAt
		at := symbol.UsePlace{Path: use.path, At: name.Start}
		if _, have := by[at]; !have {
			own := all[twin].Item // to the server it is this one
			own.Place = lsp.Place{Path: use.path, Range: name, Full: within[i].Range, Line: text.Line(name.Start.Line)}
			by[at] = len(calls)
			calls = append(calls, lsp.Call{Item: own})
		}
		end := use.at
		end.Character += len([]rune(use.name))
		calls[by[at]].From = append(calls[by[at]].From, contract.Range{Start: use.at, End: end})
	}
	return calls, nil
}

// here reports whether a call is in the file that the server says it is in.
func here(uses map[symbol.UsePlace]bool, call lsp.Call, r contract.Range) bool {
	at := call.Item.Place
	return at.Err != nil || uses[symbol.UsePlace{Path: at.Path, At: r.Start}] || at.Full.Contains(r.Start)
}

// missing are uses of an item that none of its callers accounts for, and all. Both are empty when nobody can tell: the
// item has no name in the source, or there are no references.
func (m *macroCallers) missing(ctx context.Context, item lsp.HierarchyItem, calls []lsp.Call) (out []occurrence,
	all map[symbol.UsePlace]bool) {
	at := item.Place
	from, to, ok := source.WordAround(at.Line, symbol.ByteOffset(at.Line, at.Range.Start.Character))
	// a macro made it, and nobody knows how it is called
	if at.Err != nil || !ok || at.Line[from:to] != symbol.LastComponent(item.Name) {
		return nil, nil
	}
	uses, err := m.s.References(ctx, at.Path, at.Range.Start, false)
	if err != nil {
		return nil, nil
	}
	all = map[symbol.UsePlace]bool{}
	known := map[symbol.UsePlace]bool{}
	for _, call := range calls {
		for _, r := range call.From {
			known[symbol.UsePlace{Path: call.Item.Place.Path, At: r.Start}] = true
		}
	}
	for _, u := range uses {
		place := symbol.UsePlace{Path: u.Path, At: u.Range.Start}
		if all[place] = true; u.Err == nil && !known[place] {
			out = append(out, occurrence{path: u.Path, at: u.Range.Start, name: at.Line[from:to],
				reason: reasonNotAsked})
		}
	}
	return out, all
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
