package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/watch"
)

// Snapshot is what the answer to one question is computed against: the server with the texts and the project that
// it had at one moment. It is made when the question is asked, after a [Server.Sync], and is used for that question
// alone. The requests are its methods: they check each place of an answer against the disk, and the snapshot keeps
// what they could not verify.
//
// A snapshot holds nothing of the server back, so that nobody has to release it. It is made of values: texts are
// immutable, versions and marks are numbers, and journals keep what changed since a mark as long as they have room,
// whoever asks. That the process is not ended while it is asked is seen to by who got the server from the pool and
// gives it back; that nobody else asks while an [Overlay] is shown, by who has the server alone. Whether the answer
// still stands is found out afterwards ([Snapshot.Reloaded], [Snapshot.HasUnverified]). It embeds the server, so that
// requests which need no check are asked of it, too.
type Snapshot struct {
	*Server

	Initial     Status      // of the server at that moment
	LoadFailure LoadFailure // why its project was not loaded then; the zero value when it was

	root     string                  // of the project that the question is about
	asked    time.Time               // of that moment; what the server was sent later may not be in its answers
	versions map[string]int32        // of the documents that were open
	told     map[*tracked]watch.Mark // how far the server was told of changes
	verified *verification           // nil where nobody wants to know
	answers  *answers                // to what was asked so far
	settled  bool                    // the server had all that it was told of ([SyncHooks].LacksTold)
	recalls  bool                    // it takes all answers from the memory of the server while settled, and adds to it
}

// Snapshot is the state of the server now, for a question about the project at a root. It waits for whoever tells
// the server of texts.
func (s *Server) Snapshot(ctx context.Context, root string, status Status) (*Snapshot, error) {
	out, err := s.takeSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	out.Initial, out.root, out.verified = status, root, &verification{}
	// Noted before the answer: a load that is mended while the server answers makes the answer one of the failed load
	// ([Snapshot.Reloaded]).
	out.LoadFailure, _ = s.health.LoadFailed(ctx, root)
	return out, nil
}

// Unverified is the server for questions whose answers nobody needs to be verified: the caller has seen to it that
// the server has the texts that it wants to ask about. Its verified is nil, so that nothing is noted; the methods
// that read what was noted must not be called on it.
func (s *Server) Unverified() *Snapshot {
	return &Snapshot{Server: s, answers: &answers{byRequest: map[answerKey]*sharedAnswer{}}}
}

// Unverified is [Server.Unverified] for further parts of the same question, which take the answers that it has got.
func (s *Snapshot) Unverified() *Snapshot {
	return &Snapshot{Server: s.Server, answers: s.answers, settled: s.settled}
}

// Recalling is [Snapshot.Unverified] for what the server says of places again and again: it is asked about each once,
// in all questions, until it is told of a change.
func (s *Snapshot) Recalling() *Snapshot {
	out := s.Unverified()
	out.recalls = true
	return out
}

// takeSnapshot notes what the server was told: versions, marks and the time. It is quick, and waits only for the
// document lock. What is told after it returns has later versions, so that an answer can be compared with what was
// noted.
func (s *Server) takeSnapshot(ctx context.Context) (*Snapshot, error) {
	// The lock keeps a sync from telling more between the versions and the marks: both belong to one moment.
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	out := s.Unverified()
	lacks := s.hooks.LacksTold
	out.settled = lacks == nil || !lacks()
	out.versions, out.asked, out.told = s.docs.versions(), time.Now(), map[*tracked]watch.Mark{}
	// After the document lock and never before it: both are taken in this order everywhere.
	s.folders.mu.Lock()
	defer s.folders.mu.Unlock()
	for _, t := range s.folders.tracked {
		out.told[t] = t.synced
	}
	return out, nil
}

// Asked is when the snapshot was made; zero when answers need not be verified. What the server was sent later may
// not be in its answers.
func (s *Snapshot) Asked() time.Time { return s.asked }

// Reloaded reports whether the server has begun to load its project anew since, has finished, or has mended a load
// that had failed: the answer may be of either project.
func (s *Snapshot) Reloaded(ctx context.Context, now Status) bool {
	// A load that began has raised the generation. One that was under way when the question was asked and has ended
	// since did not; the second condition finds that.
	if now.Generation != s.Initial.Generation || now.Ready && !s.Initial.Ready {
		return true
	}
	if s.LoadFailure.Reason == "" {
		return false
	}
	_, failed := s.health.LoadFailed(ctx, s.root)
	// The failure is gone: the answer was given without what the load has brought since.
	return !failed
}

// Verifies reports whether the snapshot keeps what its answers leave open.
func (s *Snapshot) Verifies() bool { return s.verified != nil }

// LeaveOpen notes that what the server keeps of a changed file was neither confirmed nor refuted.
func (s *Snapshot) LeaveOpen() {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = true
}

// HasUnverified reports whether a place in the answers does not hold the name that it is about: the server may have
// answered from an older text than that on disk.
func (s *Snapshot) HasUnverified() bool {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	// Both can be cured by showing the server files and asking once more.
	return len(v.unverified) > 0 || len(v.lost) > 0
}

// Changing reports whether a file of the answers changed while the question was asked.
func (s *Snapshot) Changing() bool {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.behind) > 0
}

// Unconfirmed reports whether the answers rest on what the server keeps of files that have changed since it looked
// at them, and their texts leave open whether that is still so. Unlike what is unverified this is not mended by
// asking again: the server's index keeps it, so that the answer is partial.
func (s *Snapshot) Unconfirmed() bool {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.open
}

// LostSymbols reports whether a symbol was left out that may have moved: one in a file that is gone, though another
// declares the name, or not every file that may hold it was shown with shown.ShowUnverified.
func (s *Snapshot) LostSymbols(shown *Snapshot) bool {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.lost) > 0 && shown.verified.unsure
}

// Refuted reports whether the server, asked once more after an earlier snapshot's [Snapshot.ShowUnverified], no
// longer says what was unverified then: it was behind.
func (s *Snapshot) Refuted(earlier *Snapshot) bool {
	v := s.verified
	v.mu.Lock()
	defer v.mu.Unlock()
	// A file whose text the server was shown has fewer odd places now than were unverified before: those that are
	// missing came from an older text. As many places as before mean another name for the same (an alias).
	return slices.ContainsFunc(earlier.verified.shown, func(path string) bool {
		return len(v.believed[path]) < len(earlier.verified.unverified[path])
	})
}

// ShowUnverified makes the server see the unverified files as they are on disk now, the first of them if they are many.
// It reports whether the server has seen anything new since the question was asked: without, there is no sense in
// asking again.
func (s *Snapshot) ShowUnverified(ctx context.Context) (told bool, err error) {
	v := s.verified
	// Two kinds of files are to be shown: those with odd places, and those that may declare a symbol now whose file
	// is gone. Of the second, files that the server saw before the question bring nothing new.
	files := slices.Sorted(maps.Keys(v.unverified))
	holders, all := s.holders(v.lost)
	unseen := slices.DeleteFunc(slices.Clone(holders), func(path string) bool { return s.docs.HasSeen(path, s.asked) })
	// Whether a symbol that was left out may be somewhere else stays open when not every file that may hold it is
	// shown, and when a file declares the name although the server places the symbol in a file that is gone.
	v.unsure = !all || len(files)+len(unseen) > maxShown || s.declares(ctx, holders, v.lost)
	files = append(files, unseen...)
	if len(files) > maxShown {
		later := func(path string) int { // those that are behind first
			if v.behind[path] {
				return 0
			}
			return 1
		}
		// A file that is behind is wrong for certain, while another odd place is mostly an alias: under the bound
		// the certain ones come first.
		slices.SortStableFunc(files, func(a, b string) int { return later(a) - later(b) })
		files = files[:maxShown]
	}
	if len(files) == 0 {
		return false, nil
	}
	// The sync comes first: an unverified file may have changed while the question was asked, and a new process may be
	// needed. Before the document lock, which Sync takes itself.
	if err := s.Sync(ctx); err != nil {
		return false, err
	}
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	for _, path := range files {
		// A file that is open with the text on disk needs no notification, but it counts as shown: the question
		// that follows is answered from that text.
		if !s.docs.sent(path) {
			if _, err := s.docs.OpenLocked(ctx, path); UnlessGone(err) != nil {
				return false, err
			} else if err != nil {
				continue
			}
		}
		// The question that follows waits for these ([Documents.AwaitParsed]); asked at once the answer would be of
		// the index before.
		s.docs.awaitParse(path)
		v.shown = append(v.shown, path)
	}
	return len(v.shown) > 0 || len(v.behind) > 0, nil
}

// declares reports whether one of a few files declares one of the names: a server that goes on placing the symbol
// in a file that is gone, though it was shown this one, hides it (clangd 22.1.8, of a source that was renamed).
func (s *Snapshot) declares(ctx context.Context, files []string, names map[string]bool) bool {
	var among func(symbols []Symbol) bool
	among = func(symbols []Symbol) bool {
		return slices.ContainsFunc(symbols, func(sym Symbol) bool {
			return names[sym.Name[strings.LastIndexAny(sym.Name, ":.")+1:]] || among(sym.Children)
		})
	}
	return len(files) <= maxShown && s.Offers(MethodDocumentSymbol) &&
		slices.ContainsFunc(files, func(path string) bool {
			// Unverified, because its own odd places say nothing about the answer that is being checked.
			symbols, _, err := s.Unverified().DocumentSymbols(ctx, path)
			return err == nil && among(symbols)
		})
}

// maxSearched bounds the files in which lost symbols are looked for.
const maxSearched = 5000

// holders are the files of the server that have one of these names as a word: a symbol that the server places in a file
// that is gone may be in one of them now. all is false when there may be more.
func (s *Snapshot) holders(names map[string]bool) (files []string, all bool) {
	if len(names) == 0 {
		return nil, true
	}
	// A symbol without a known name may be in any file, so that no search helps.
	if names[""] {
		return nil, false
	}
	n := 0
	for path := range s.folders.journal.Files() {
		if !s.spec.Serves(baseName(path)) || !s.folders.Inside(path) {
			continue
		}
		// What was found up to here is still worth showing; all is false, so that the answer stays unverified.
		if n++; n > maxSearched {
			return files, false
		}
		// Read from the disk and not through the cache: thousands of files that are looked at once would drive
		// everything else out of it.
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
	// A stable order, since under the bound only the first ones are shown.
	slices.Sort(files)
	return files, true
}

// verification is what the answers of one question left open: the files of places that did not hold what they
// should. Safe for concurrent use; nil keeps nothing.
//
// An answer is checked against the disk before it leaves: each place in it has to hold the name that it is about. A
// place that does not means that the server may be behind, or that the name is another one there (an alias, Self).
// What tells them apart is to show the server the text of that file, by opening it, and to ask once more: what it
// then still says, it says of the text that is on disk. A nil verification takes every note and keeps none, so that
// the places that note need not ask.
type verification struct {
	mu         sync.Mutex
	unverified placesIn        // that could not be verified; guarded by mu
	behind     map[string]bool // of these, the files of which the server has an older text; guarded by mu
	believed   placesIn        // odd ones in texts that the server was shown; guarded by mu
	lost       map[string]bool // names of symbols that the server places in files that are gone; guarded by mu
	open       bool            // what the server keeps of changed files was not confirmed; guarded by mu
	shown      []string        // by ShowUnverified; not while somebody asks
	unsure     bool            // a lost symbol may be elsewhere; by ShowUnverified; not while somebody asks
}

// placesIn are places by path, each once however many answers have it.
type placesIn map[string]map[contract.Range]bool

func (p *placesIn) add(path string, at contract.Range) {
	if *p == nil {
		*p = placesIn{}
	}
	if (*p)[path] == nil {
		(*p)[path] = map[contract.Range]bool{}
	}
	(*p)[path][at] = true
}

// noteUnverified notes a place whose text is not the name that it is about; behind tells that the file has changed
// since the server was last told of it.
func (v *verification) noteUnverified(path string, at contract.Range, behind bool) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.unverified.add(path, at)
	if behind {
		if v.behind == nil {
			v.behind = map[string]bool{}
		}
		v.behind[path] = true
	}
}

// lose notes a symbol in a file that is gone; name is "" when nobody knows it.
func (v *verification) lose(name string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		v.lost = map[string]bool{}
	}
	v.lost[name] = true
}

// believe notes a place that does not hold the name in a text that the server was shown: it is another name for the
// same.
func (v *verification) believe(path string, at contract.Range) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.believed.add(path, at)
}
