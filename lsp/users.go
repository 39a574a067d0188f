package lsp

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"lspi/contract"
	"lspi/lang"
	"lspi/source"
)

// The files that a trial may break besides its own are those that use what it changes: the server is asked for the
// references of the declarations on the changed lines, then for those of the declarations that these references are part
// of, because a type may be inferred through them, until nothing new is found or a bound is reached.

// Users are the files that use what a trial changes.
type Users struct {
	Files []string // those outside of the trial, the nearest first
	All   bool     // no others can be broken
	Apart bool     // files can be broken that this server does not see; then the others are still to be found
}

// The bounds of the search: symbols whose references are asked for, changed lines, identifiers of one line outside of any
// declaration, and the part of the time that is left.
const (
	maxUsersAsked   = 60
	maxChangedLines = 2000
	maxLineWords    = 8
	usersTimeShare  = 4
)

// Users finds the files that use what texts change, on this server as it has the texts on disk; at most limit.
func (s *Server) Users(ctx context.Context, texts map[string]string, limit int) Users {
	changed := trial{}
	for path, content := range texts {
		changed[path] = source.New(path, content)
	}
	return s.users(ctx, changed, limit)
}

func (s *Server) users(ctx context.Context, texts trial, limit int) Users {
	if !s.Offers(MethodReferences) || !s.Offers(MethodDocumentSymbol) {
		return Users{}
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/usersTimeShare)
		defer cancel()
	}
	u := &userSearch{s: s, texts: texts, limit: limit, all: s.Status().Ready, asked: map[symbolPoint]bool{}}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		u.begin(ctx, path)
	}
	for n := 0; u.all && n < len(u.queue); n++ { // it grows
		if n >= maxUsersAsked {
			u.all = false
			break
		}
		u.follow(ctx, u.queue[n])
	}
	return Users{Files: u.files, All: u.all}
}

// symbolPoint is where a symbol's name begins.
type symbolPoint struct {
	path string
	at   contract.Position
}

type userSearch struct {
	s     *Server
	texts trial
	limit int

	queue []symbolPoint
	asked map[symbolPoint]bool // what is or was in the queue
	files []string
	all   bool // nothing was left out so far
}

func (u *userSearch) add(path string, at contract.Position) {
	p := symbolPoint{path, at}
	if !u.asked[p] {
		u.asked[p] = true
		u.queue = append(u.queue, p)
	}
}

// begin adds what the lines of a file that the trial changes belong to. Of a new file nobody knows yet.
func (u *userSearch) begin(ctx context.Context, path string) {
	before, err := u.s.load(path)
	if err != nil {
		if unlessGone(err) != nil {
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
	if len(old) > maxChangedLines {
		u.all = false
		return
	}
	for _, l := range old {
		within := l.symbols(symbols)
		if len(within) == 0 && !l.inserted {
			u.outside(ctx, before, l.line)
		}
		for _, sym := range slices.Backward(within) { // a class has more users than its member, and most cannot notice
			if !isScope(sym.Kind) {
				u.add(path, sym.NameAt.Start)
			}
		}
	}
}

// outside adds the names on a line that no declaration holds, such as an import that others import in turn. One on which
// nothing has a reference may be anything.
func (u *userSearch) outside(ctx context.Context, text *source.Text, line int) {
	id := u.s.spec.LanguageID(baseName(text.Path))
	words := text.WordsOn(line)
	if len(words) == 0 {
		return
	}
	known := false
	for _, at := range words[:min(len(words), maxLineWords)] {
		word := text.WordAt(at)
		if !isIdentifier(word) || lang.Reserved(id, word) {
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

// follow takes the files of a symbol's references, and adds the declarations that these are part of.
func (u *userSearch) follow(ctx context.Context, p symbolPoint) {
	places, err := u.s.References(ctx, p.path, p.at, true)
	if err != nil {
		u.all = false
		return
	}
	places = slices.DeleteFunc(places, func(ref Place) bool {
		return ref.Err != nil || !mayNotice(u.s, ref.Path)
	})
	for _, ref := range places { // all of them first: what they are part of takes time
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
		within := changedLine{line: ref.Range.Start.Line}.symbols(symbols)
		for _, sym := range slices.Backward(within) { // a member's type does not change that of its class
			if isScope(sym.Kind) || isContainer(sym.Kind) {
				break
			}
			u.add(ref.Path, sym.NameAt.Start)
		}
	}
}

// changedLine is a line that a trial takes away or replaces, or before which it inserts.
type changedLine struct {
	line     int
	inserted bool
}

// changedLines are the lines that differ, of the text before and of the text after.
func changedLines(before, after *source.Text) (old, now []changedLine) {
	shift := 0 // bytes that the text after is longer so far
	for _, e := range udiff.Lines(before.Content(), after.Content()) {
		old = append(old, linesOf(before, e.Start, e.End)...)
		now = append(now, linesOf(after, e.Start+shift, e.Start+shift+len(e.New))...)
		shift += len(e.New) - (e.End - e.Start)
	}
	return old, now
}

// linesOf are the lines of bytes from start to end; the line before which an empty stretch lies.
func linesOf(t *source.Text, start, end int) (out []changedLine) {
	first := t.LineOf(min(start, len(t.Content()))) + 1
	if start == end {
		return []changedLine{{first, true}}
	}
	for n := first; n <= t.LineOf(end-1)+1; n++ {
		out = append(out, changedLine{line: n})
	}
	return out
}

// symbols are those that a line is part of, from the outermost; where a symbol is no more than its name, as pyright's
// variables are, what begins on the line counts.
func (l changedLine) symbols(all []Symbol) (out []Symbol) {
	for _, sym := range all {
		first, last := sym.Range.Start.Line, sym.Range.End.Line
		if l.line < first || l.line > last || l.inserted && l.line == first {
			continue
		}
		out = append(append(out, sym), l.symbols(sym.Children)...)
	}
	return out
}

// isContainer reports whether a symbol of a kind holds members, each with a type of its own.
func isContainer(kind SymbolKind) bool {
	return slices.Contains([]SymbolKind{"class", "interface", "struct", "enum", "object"}, kind)
}

// isScope reports whether a symbol of a kind only groups others.
func isScope(kind SymbolKind) bool {
	return slices.Contains([]SymbolKind{"file", "module", "namespace", "package"}, kind)
}
