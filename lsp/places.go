package lsp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/wire"
)

// position is LSP's TextDocumentPositionParams.
func (s *Snapshot) position(ctx context.Context, path string,
	at contract.Position) (protocol.TextDocumentPositionParams, error) {
	var p protocol.TextDocumentPositionParams
	open := s.docs.Open
	// gopls (0.23.0) keeps the types of packages with open files only, so the file is opened although closed files
	// are answered about, too. A file of a dependency stays closed: open, its uses would count as those of the
	// project.
	if s.spec.Freshness.OpenAsked && s.folders.Inside(path) {
		open = s.docs.OpenDocument
	}
	text, err := open(ctx, path)
	if err != nil {
		return p, err
	}
	p.TextDocument.URI = uri.File(path)
	// With the text as the server sees it, since the column is counted in its encoding.
	p.Position, err = text.Inward(s.encoding, at)
	return p, err
}

// locations asks for places of a name; "" when they may have others.
func (s *Snapshot) locations(ctx context.Context, method string, params any, name string) ([]Place, error) {
	raw, err := s.ask(ctx, method, params)
	if err != nil {
		return nil, err
	}
	texts := s.reader()
	texts.name, texts.apart = name, method == MethodReferences
	// A guess from the size of the answer: thousands of references would otherwise grow the slice a dozen times.
	out := make([]Place, 0, len(raw)/usualLocation+1)
	// out is emptied when the answer is read anew, so that no place is in it twice.
	err = eachLocation(raw, func(t target) { out = append(out, texts.place(t)) }, func() { out = out[:0] })
	if err != nil {
		return nil, s.Undecodable(ctx, method, raw, err)
	}
	if made := s.hooks.WrittenByTool; made != nil {
		out = slices.DeleteFunc(out, func(p Place) bool { return made(p.Path) })
	}
	return out, nil
}

// reader converts many places of few files: each file's text is looked up once, so that all places of a file are
// held against one text. It belongs to one answer and is not safe for concurrent use.
type reader struct {
	s     *Snapshot
	name  string              // of what is looked for; "" when nobody knows
	texts map[string]readText // by URI
	// each place stands for itself, as references do, and none for a symbol that may have moved
	apart bool
	// isOther reports whether another symbol than one of a name has taken its place; nil where places have others.
	isOther func(p Place, name string) bool
}

// readText is a file of the answer, and how its text stands to the server and to the disk when the answer is checked.
type readText struct {
	path string
	text *source.Text
	err  error

	generated bool // see [Place]

	inside bool // of the server's folders
	seen   bool // the server had this text, which is that on disk, before it was asked
	behind bool // the server was sent another text than that on disk
}

// reader makes a reader for one answer: a file that changes between two answers must be looked at again.
func (s *Snapshot) reader() *reader {
	return &reader{s: s, texts: map[string]readText{}}
}

// namingReader is [Snapshot.reader] for an answer that has the name of the symbol at each place.
func (s *Snapshot) namingReader(ctx context.Context) *reader {
	r := s.reader()
	r.isOther = func(p Place, name string) bool {
		now, ok := s.renamed(ctx, p, name)
		return ok && !slices.ContainsFunc(now.details, func(d symbolDetails) bool { return source.HasWord(d.Name, name) })
	}
	return r
}

// place converts one range. A text that cannot be read (gone, a scheme of the server's own) leaves the server's
// numbers, counted from 1, and says so in Err.
func (r *reader) place(at target) Place { return r.named(at, r.name) }

// named is place for a range that has a name of its own.
func (r *reader) named(at target, word string) Place {
	t, name, full := r.text(at.uri), at.name, at.full
	// The place is kept: that there is a use in a file that cannot be shown is part of the answer, and left out it
	// would be silently partial.
	if t.err != nil {
		p := Place{Path: t.path, Range: bare(name), Full: bare(full), Err: t.err, Gone: r.gone(t)}
		// A reference in a deleted file is gone with it. A definition there may have moved to another file, so its
		// name is looked for.
		if p.Gone && !r.apart {
			r.s.verified.lose(word)
		}
		return p
	}
	// clangd's index on disk has columns in the encoding of whatever client wrote it, so the encoding is told from
	// which of them finds the name.
	enc := r.s.encoding
	if r.s.hooks.MixedColumns {
		enc = t.text.CountedIn(enc, name, word)
	}
	p := Place{Path: t.path, Range: t.text.OutwardRange(enc, name), Generated: t.generated}
	p.Full, p.Line = p.Range, t.text.Line(p.Range.Start.Line)
	if full != name {
		p.Full = t.text.OutwardRange(enc, full)
	}
	// The server counts in a longer text than lspi has. Where the server has not seen the present text it is
	// behind, and is shown the file.
	if int(name.Start.Line) >= t.text.Lines() {
		p.Err = errNoLine
		if t.inside && !t.seen {
			r.s.verified.noteUnverified(t.path, p.Range, t.behind)
		}
	}
	// Last, when the place has its range and the error that tells whether it has one.
	r.check(&p, t, word)
	return p
}

// errNoLine is a place behind the end of its text.
var errNoLine = errors.New("the line does not exist any more")

// file is the place of a symbol without a range.
func (r *reader) file(u, word string) Place {
	t := r.text(u)
	p := Place{Path: t.path, Err: t.err, Gone: r.gone(t), Generated: t.generated}
	if p.Gone {
		// A symbol without a range cannot be checked for its name, but a file that is gone cannot hold it.
		r.s.verified.lose(word)
	}
	return p
}

// gone reports whether a text that cannot be read is of a deleted file whose symbols stay in the server's index.
func (r *reader) gone(t readText) bool {
	// Only not found counts: a file that is unreadable is there, and says nothing about its symbols.
	var e *contract.Error
	return r.s.spec.Freshness.DeletedStay && errors.As(t.err, &e) && e.Kind == contract.KindFileNotFound
}

// text looks a file up by the URI as the server wrote it: decoding a URI takes longer than finding it, and an
// answer has many places in few files.
func (r *reader) text(u string) readText {
	t, ok := r.texts[u]
	if ok {
		return t
	}
	// Some places are in documents of a scheme of the server's own (decompiled or generated text), which only the
	// server can read.
	path, isFile := URIToPath(u)
	switch {
	case isFile:
		t = r.s.read(path)
	case wire.IsFar(u): // such as the standard library of a server that runs elsewhere
		t.path, t.err = u, source.ErrOutsideSources
	default:
		t.path, t.err = u, errors.New("not a file of this machine")
	}
	// Once per file and answer, for its first 4 kB.
	t.generated = t.text != nil && t.text.Generated()
	r.texts[u] = t
	return t
}

// read is a file as the server sees it; where answers are verified also how that stands to the disk.
func (s *Snapshot) read(path string) readText {
	t := readText{path: path}
	sent := s.docs.sentText(path)
	if sent != nil {
		t.text = sent
	} else {
		t.text, t.err = s.docs.Load(path)
	}
	// Nobody wants to know how the text stands to the disk, and finding out reads the file.
	if s.verified == nil {
		return t
	}
	t.inside = s.folders.Inside(path)
	// A file outside of the server's folders (a dependency) is not followed, so nothing is said about it. A file
	// that is not open was read by the server itself at a time that nobody knows: seen stays false, and a place
	// that does not hold its name is unverified.
	if sent != nil && t.inside {
		t.behind = !s.docs.sent(path)
		t.seen = !t.behind && s.docs.HasParsed(path, s.asked)
	}
	return t
}

// bare counts from 1 and leaves the characters in the server's encoding, because there is no text to convert them by.
func bare(r protocol.Range) contract.Range {
	return contract.Range{
		Start: contract.Position{Line: int(r.Start.Line) + 1, Character: int(r.Start.Character) + 1},
		End:   contract.Position{Line: int(r.End.Line) + 1, Character: int(r.End.Character) + 1},
	}
}

// markImports marks the places that are imports themselves, at a server that leads there when it cannot resolve what is
// imported ([SymbolHooks].IsImport).
func (s *Snapshot) markImports(places []Place) {
	isImport := s.hooks.IsImport
	if isImport == nil {
		return
	}
	for i, p := range places {
		text, err := s.docs.Text(p.Path)
		places[i].Import = err == nil && p.Err == nil && isImport(text, p)
	}
}

// check looks at a place of the answer: it may stay unverified, or turn out to be gone.
func (r *reader) check(p *Place, t readText, name string) {
	if r.s.verified == nil || p.Err != nil || !t.inside {
		return
	}
	switch {
	// The file changed after the server was told: the range counts in an older text, even where it happens to hold
	// the name.
	case t.behind:
		r.s.verified.noteUnverified(p.Path, p.Range, true)
	// The usual case: nothing is noted.
	case holdsName(t.text, p.Range, name):
	// Either the server is behind, or the name is another one there. Showing it the file tells which ([verification]).
	case !t.seen:
		r.s.verified.noteUnverified(p.Path, p.Range, false)
	// The server has this text, so it is not behind; half a word is no name in any text.
	case t.text.CutsWord(p.Range):
		p.Err = errNotThere
	case r.isOther != nil && r.isOther(*p, name):
		// Gone like what was in a deleted file, since such a server does not forget what it had.
		p.Err, p.Gone = errNotThere, true
		r.s.verified.lose(name)
	// An alias, an import under another name, Self, an operator: the server means what it says.
	default:
		r.s.verified.believe(p.Path, p.Range)
	}
}

// renamed returns what the server says of the symbol at a place of its index where another symbol is declared now than
// the one that it has there; ok is false where none is. Its name is as long, since an index has a place by numbers. A
// macro may make symbols of other names, and a using declaration constructors of another class.
func (s *Snapshot) renamed(ctx context.Context, p Place, name string) (now SymbolCheck, ok bool) {
	text, err := s.docs.Text(p.Path)
	if err != nil || s.verified == nil || s.hooks.SymbolInfo.Method == "" || !s.folders.Inside(p.Path) {
		return now, false
	}
	if word := Held(text, p.Range); len(word) != len(name) || word == name || !lang.IsIdentifier(word) {
		return now, false
	}
	now, err = s.Recalling().CheckSymbol(ctx, p.Path, p.Range.Start)
	here := func(l *location) bool {
		if l == nil {
			return false
		}
		t, ok := l.target()
		path, isFile := URIToPath(t.uri)
		return ok && isFile && path == p.Path && text.OutwardRange(s.encoding, t.name).Start == p.Range.Start
	}
	return now, err == nil && now.Match == MatchNamed && slices.ContainsFunc(now.details, func(d symbolDetails) bool {
		return !strings.Contains(d.USR, "@macro@") && (here(d.Declaration) || here(d.Definition))
	})
}

// errNotThere is a place that has no name, or that of another symbol, in a text that the server was shown.
var errNotThere = errors.New("the server points at another name there")

// maxHeld bounds the text that is searched for a name, in bytes: servers that know only whole declarations give those.
const maxHeld = 16 << 10

// Held is the text of a range, cut at maxHeld; "" when it is empty or nowhere.
func Held(t *source.Text, r contract.Range) string {
	text := t.Within(r)
	return text[:min(len(text), maxHeld)]
}

// holdsName reports whether a range has the name as a word; for a name that nobody knows, whether it has whole words.
// A longer range (a qualified name, a whole declaration) may hold the name anywhere; a range of just the name's
// length has to be it, and must not be the middle of a longer word, which is what a shift by an edit looks like.
func holdsName(t *source.Text, r contract.Range, name string) bool {
	text := Held(t, r)
	if name == "" {
		return strings.ContainsFunc(text, source.IsWord) && !t.CutsWord(r)
	}
	return text == name && !t.CutsWord(r) || text != name && source.HasWord(text, name)
}

// LastWord is the last word of a symbol's name as a server writes it: "(*T).Hello" gives Hello; "" when it has none.
func LastWord(name string) string {
	if i := strings.IndexAny(name, "(<["); i > 0 { // parameters, type arguments
		// An index of 0 stays: "(*T).Hello" begins with a receiver and no parameters.
		name = name[:i]
	}
	end := strings.LastIndexFunc(name, source.IsWord)
	if end < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(name[end:])
	name = name[:end+size]
	start := strings.LastIndexFunc(name, func(c rune) bool { return !source.IsWord(c) })
	if start < 0 {
		return name
	}
	_, size = utf8.DecodeRuneInString(name[start:])
	return name[start+size:]
}
