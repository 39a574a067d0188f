package lsp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/source"
)

// An answer is checked against the disk before it leaves: each place in it has to hold the name that it is about. A
// place that does not means that the server may be behind, or that the name is another one there (an alias, Self). What
// tells them apart is to show the server the text of that file, by opening it, and to ask once more: what it then still
// says, it says of the text that is on disk.

// maxShown bounds the files that are opened for that in one go; aliases in more files than that are believed when they
// proved right in these.
const maxShown = maxOpenDocuments / 2

// errNotThere is a place whose range cuts a word in half, in a text that the server was shown: no name is there.
var errNotThere = errors.New("the server points at no name there")

// Doubts collects, while a call asks, the files of places that did not hold what they should. Safe for concurrent use.
type Doubts struct {
	began    time.Time // what the server was shown later may not have been in its answers
	mu       sync.Mutex
	files    map[string]int  // places in doubt by path; guarded by mu
	behind   map[string]bool // of these, the files of which the server has an older text; guarded by mu
	believed map[string]int  // odd places in texts that the server was shown; guarded by mu
	lost     map[string]bool // names of symbols that the server places in files that are gone; guarded by mu
	open     bool            // what the server keeps of changed files was not confirmed; guarded by mu
	shown    []string        // by Show; not while a call asks
	unsure   bool            // a lost symbol may be elsewhere; by Show; not while a call asks
}

type doubtsKey struct{}

// Doubting makes the questions of ctx collect what they doubt.
func Doubting(ctx context.Context) (context.Context, *Doubts) {
	d := &Doubts{began: time.Now()}
	return context.WithValue(ctx, doubtsKey{}, d), d
}

func DoubtsOf(ctx context.Context) *Doubts {
	d, _ := ctx.Value(doubtsKey{}).(*Doubts)
	return d
}

func (d *Doubts) add(path string, behind bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files, d.behind = map[string]int{}, map[string]bool{}
	}
	d.files[path]++
	if behind {
		d.behind[path] = true
	}
}

// lose notes a symbol in a file that is gone; name is "" when nobody knows it.
func (d *Doubts) lose(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == nil {
		d.lost = map[string]bool{}
	}
	d.lost[name] = true
}

// Lost reports whether a symbol was left out that may have moved: one in a file that is gone, though another declares the
// name, or not every file that may hold it was shown.
func (d *Doubts) Lost(shown *Doubts) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.lost) > 0 && shown.unsure
}

func (d *Doubts) believe(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.believed == nil {
		d.believed = map[string]int{}
	}
	d.believed[path]++
}

// LeaveOpen notes that what the server keeps of a changed file was neither confirmed nor refuted.
func (d *Doubts) LeaveOpen() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = true
}

// Open reports whether the answer rests on what the server keeps of files that have changed since it looked at them, and
// their texts leave open whether that is still so.
func (d *Doubts) Open() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// Any reports whether something is in doubt.
func (d *Doubts) Any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.files) > 0 || len(d.lost) > 0
}

// Behind reports whether a file changed while the call asked.
func (d *Doubts) Behind() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.behind) > 0
}

// Refuted reports whether the server, asked once more after earlier was shown, no longer says what was in doubt then: it
// was behind.
func (d *Doubts) Refuted(earlier *Doubts) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(earlier.shown, func(path string) bool { return d.believed[path] < earlier.files[path] })
}

// Show makes the server see the files in doubt as they are on disk now, the first of them if they are many. It reports
// whether the server has seen anything new since the call began to ask: without, there is no sense in asking again.
func (s *Server) Show(ctx context.Context, d *Doubts) (told bool, err error) {
	files := slices.Sorted(maps.Keys(d.files))
	holders, all := s.holders(d.lost)
	unseen := slices.DeleteFunc(slices.Clone(holders), func(path string) bool { return s.HasSeen(path, d.began) })
	d.unsure = !all || len(files)+len(unseen) > maxShown || s.declares(ctx, holders, d.lost)
	files = append(files, unseen...)
	if len(files) > maxShown {
		later := func(path string) int { // those that are behind first
			if d.behind[path] {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(files, func(a, b string) int { return later(a) - later(b) })
		files = files[:maxShown]
	}
	if len(files) == 0 {
		return false, nil
	}
	if err := s.Sync(ctx); err != nil {
		return false, err
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	for _, path := range files {
		if !s.sent(path) {
			if _, err := s.OpenLocked(ctx, path); UnlessGone(err) != nil {
				return false, err
			} else if err != nil {
				continue
			}
		}
		s.awaitParse(path)
		d.shown = append(d.shown, path)
	}
	return len(d.shown) > 0 || len(d.behind) > 0, nil
}

// declares reports whether one of a few files declares one of the names: a server that goes on placing the symbol in a file
// that is gone, though it was shown this one, hides it (clangd 22.1.8, of a source that was renamed).
func (s *Server) declares(ctx context.Context, files []string, names map[string]bool) bool {
	var among func(symbols []Symbol) bool
	among = func(symbols []Symbol) bool {
		return slices.ContainsFunc(symbols, func(sym Symbol) bool {
			return names[sym.Name[strings.LastIndexAny(sym.Name, ":.")+1:]] || among(sym.Children)
		})
	}
	return len(files) <= maxShown && s.Offers(MethodDocumentSymbol) && slices.ContainsFunc(files, func(path string) bool {
		symbols, _, err := s.DocumentSymbols(ctx, path)
		return err == nil && among(symbols)
	})
}

// HasSeen reports whether the server had been sent the text that the file has on disk now, and had parsed it where it counts
// only then, before a time: what it was asked then it may have answered without, though it has it by now.
func (s *Server) HasSeen(path string, before time.Time) bool {
	return s.HasParsed(path, before) && s.sent(path)
}

// HasParsed is seen of whatever text the server was sent of an open document.
func (s *Server) HasParsed(path string, before time.Time) bool {
	return s.parsed(path, before) && !s.docs.sentAt(path).After(before)
}

// sent reports whether a document is open with the text that the file has on disk now.
func (s *Server) sent(path string) bool {
	sent := s.docs.text(path)
	if sent == nil {
		return false
	}
	text, err := s.Load(path)
	return err == nil && (text.Sendable() == sent || text.Sendable().Content() == sent.Content())
}

// parsed reports whether the server had parsed what it was sent of an open document before a time, as far as that matters.
func (s *Server) parsed(path string, before time.Time) bool {
	if !s.spec.Freshness.Open || !s.spec.Diagnostics.Versioned {
		return true
	}
	version, open := s.docs.version(path)
	last, _ := s.diagnostics.get(path)
	return open && last.version >= version && !last.at.After(before)
}

// maxSearched bounds the files in which lost symbols are looked for.
const maxSearched = 5000

// holders are the files of the server that have one of these names as a word: a symbol that the server places in a file
// that is gone may be in one of them now. all is false when there may be more.
func (s *Server) holders(names map[string]bool) (files []string, all bool) {
	if len(names) == 0 {
		return nil, true
	}
	if names[""] {
		return nil, false
	}
	n := 0
	for path := range s.journal.Files() {
		if !s.spec.Serves(baseName(path)) || !s.Inside(path) {
			continue
		}
		if n++; n > maxSearched {
			return files, false
		}
		text, err := source.Read(path)
		if err != nil {
			continue
		}
		for name := range names {
			if source.HasWord(text.Content(), name) {
				files = append(files, path)
				break
			}
		}
	}
	slices.Sort(files)
	return files, true
}

// check looks at a place of the answer: it may be put in doubt, or found to be nowhere.
func (r *reader) check(p *Place, t readText, name string) {
	if r.doubts == nil || p.Err != nil || !t.inside {
		return
	}
	switch {
	case t.behind:
		r.doubts.add(p.Path, true)
	case holdsName(t.text, p.Range, name):
	case !t.seen:
		r.doubts.add(p.Path, false)
	case t.text.CutsWord(p.Range):
		p.Err = errNotThere
	default:
		r.doubts.believe(p.Path)
	}
}

// maxHeld bounds the text that is searched for a name, in bytes: servers that know only whole declarations give those.
const maxHeld = 16 << 10

// Held is the text of a range, cut at maxHeld; "" when it is empty or nowhere.
func Held(t *source.Text, r contract.Range) string {
	text := t.Within(r)
	return text[:min(len(text), maxHeld)]
}

// holdsName reports whether a range has the name as a word; for a name that nobody knows, whether it has whole words.
func holdsName(t *source.Text, r contract.Range, name string) bool {
	text := Held(t, r)
	if name == "" {
		return strings.ContainsFunc(text, source.IsWord) && !t.CutsWord(r)
	}
	return text == name && !t.CutsWord(r) || text != name && source.HasWord(text, name)
}

// Include makes a server know sources that its project file does not list, by opening them: how they are compiled it takes
// from the listed file that is most like them (clangd 22.1.8), or guesses. It reports whether the server has parsed all of
// them before ctx ends.
func Include(ctx context.Context, s *Server, files []string) bool {
	if len(files) > maxShown || OpenAll(ctx, s, files) != nil {
		return false
	}
	for _, path := range files {
		version, open := s.docs.version(path)
		if open && s.spec.Diagnostics.Versioned && !s.diagnostics.await(ctx, path, version, s.life.Done()) {
			return false
		}
	}
	return true
}

// OpenAll opens files with the texts that are on disk, but for those that are gone.
func OpenAll(ctx context.Context, s *Server, files []string) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, path := range files {
		if s.sent(path) {
			continue
		}
		if _, err := s.OpenLocked(ctx, path); UnlessGone(err) != nil {
			return err
		}
	}
	return nil
}

// HadParsed reports whether a server had open, and had parsed, before a time the text that a file has on disk now.
func HadParsed(s *Server, path string, before time.Time) bool { return s.HasSeen(path, before) }
