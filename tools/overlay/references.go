package overlay

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// The files that an edit may break besides its own are those that use what it changes. They are found by a search over
// references: of the declarations on the changed lines first, then of the declarations in which these references
// stand, because a type may be inferred through them (a constant, a result without a declared type), until nothing new
// is found or a bound is reached.

// Dependents are the files that use what an edit changes.
type Dependents struct {
	Files []string // those that are not edited, the nearest first
	All   bool     // the edit can break no others
	Cut   bool     // the time for the search was over before it was done
}

// The bounds of the search: symbols whose references are asked for, changed lines, identifiers of one line outside
// of any declaration, and the part of the time that is left.
const (
	maxSymbolsAsked = 60
	maxChangedLines = 2000
	maxLineWords    = 8
	searchTimeShare = 4
)

// FindDependents finds the files that use what texts change, at most limit, on a server that has the
// texts on disk.
func FindDependents(ctx context.Context, s *lsp.Snapshot, texts map[string]string, limit int) Dependents {
	return newCheck(s, texts).referencing(ctx, limit)
}

// referencing is the search of [FindDependents]. All is true only if the server was ready, answered
// every question, and no bound was reached: a single gap may hide a file that the edit breaks.
func (c *check) referencing(ctx context.Context, limit int) Dependents {
	if !c.s.Offers(lsp.MethodReferences) || !c.s.Offers(lsp.MethodDocumentSymbol) {
		return Dependents{}
	}
	// The search is a preparation; without it the comparison still says something, so that it may not eat the time
	// of the diagnostics.
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/searchTimeShare)
		defer cancel()
	}
	u := &referenceSearch{s: c.s, texts: c.texts, limit: limit, all: c.s.Status().Ready, asked: map[symbolPoint]bool{}}
	for _, path := range slices.Sorted(maps.Keys(c.texts)) {
		u.begin(ctx, path)
	}
	// After the first gap the result cannot be "all" any more, and what is found further would not change that.
	for n := 0; u.all && n < len(u.queue); n++ { // it grows
		if n >= maxSymbolsAsked {
			u.all = false
			break
		}
		u.follow(ctx, u.queue[n])
	}
	return Dependents{Files: u.files, All: u.all, Cut: ctx.Err() != nil}
}

// symbolPoint is where a symbol's name begins.
type symbolPoint struct {
	path string
	at   contract.Position
}

// referenceSearch is the state of one search, breadth first. It belongs to one goroutine.
type referenceSearch struct {
	s     *lsp.Snapshot
	texts lsp.Texts
	limit int

	queue []symbolPoint
	asked map[symbolPoint]bool // what is or was in the queue
	files []string
	all   bool // nothing was left out so far
}

// addFile enters a symbol once, although many references may lead to it.
func (u *referenceSearch) add(path string, at contract.Position) {
	p := symbolPoint{path, at}
	if !u.asked[p] {
		u.asked[p] = true
		u.queue = append(u.queue, p)
	}
}

// begin enters the declarations on the changed lines of a file. A new file has none that others know.
func (u *referenceSearch) begin(ctx context.Context, path string) {
	before, err := u.s.Documents().Load(path)
	if err != nil {
		// A file that is not there has no users; any other failure hides some.
		if lsp.UnlessGone(err) != nil {
			u.all = false
		}
		return
	}
	symbols, _, err := u.s.DocumentSymbols(ctx, path)
	if err != nil {
		u.all = false
		return
	}
	old, _ := changedLines(before, u.texts[path])
	// A rewritten file: nearly everything in it changed, and asking for each would take minutes.
	if len(old) > maxChangedLines {
		u.all = false
		return
	}
	// Lines of the old text, because the server still has that one and its references.
	for _, l := range old {
		within := l.symbols(symbols)
		if len(within) == 0 && !l.inserted {
			u.outside(ctx, before, l.line)
		}
		for _, sym := range slices.Backward(within) { // a class has more users than its member, and most cannot notice
			if !sym.Kind.IsScope() {
				u.add(path, sym.NameAt.Start)
			}
		}
	}
}

// outside enters the words on a line outside of all declarations, such as an import that others import
// in turn. When no word of it has a reference (a macro call that declares something), nobody knows who
// depends on the line.
func (u *referenceSearch) outside(ctx context.Context, text *source.Text, line int) {
	id := u.s.Spec().LanguageID(filepath.Base(text.Path))
	words := text.WordsOn(line)
	if len(words) == 0 {
		return
	}
	// A line on which no word has a reference (a macro call that declares something) cannot be followed, so that
	// the search is not complete.
	known := false
	for _, at := range words[:min(len(words), maxLineWords)] {
		word := text.WordAt(at)
		if !lang.IsIdentifier(word) || lang.Reserved(id, word) {
			continue
		}
		places, err := u.s.References(ctx, text.Path, at, true)
		if err == nil && len(places) > 0 {
			known = true
			u.add(text.Path, at)
		}
	}
	u.all = u.all && known && len(words) <= maxLineWords
}

// follow takes the files of a symbol's references, and enters the declarations in which these stand.
func (u *referenceSearch) follow(ctx context.Context, p symbolPoint) {
	places, err := u.s.References(ctx, p.path, p.at, true)
	if err != nil {
		u.all = false
		return
	}
	places = slices.DeleteFunc(places, func(ref lsp.Place) bool {
		return ref.Err != nil || !u.s.Projects().MayReport(ref.Path)
	})
	for _, ref := range places { // all of them first: what they are part of takes time
		// Edited files are looked at anyway.
		if u.texts[ref.Path] == nil && !slices.Contains(u.files, ref.Path) {
			if len(u.files) == u.limit {
				u.all = false
				return
			}
			u.files = append(u.files, ref.Path)
		}
	}
	for _, ref := range places {
		symbols, _, err := u.s.DocumentSymbols(ctx, ref.Path)
		if err != nil {
			u.all = false
			return
		}
		// What a reference is part of may get its type from it (an inferred return type, a constant), so that its
		// users may break as well.
		within := changedLine{line: ref.Range.Start.Line}.symbols(symbols)
		for _, sym := range slices.Backward(within) { // a member's type does not change that of its class
			if sym.Kind.IsScope() || sym.Kind.IsContainer() {
				break
			}
			u.add(ref.Path, sym.NameAt.Start)
		}
	}
}
