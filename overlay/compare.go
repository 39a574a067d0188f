package overlay

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"lspi/adapter"
	"lspi/lsp"
)

// Comparison is what a server says of files before an edit and with it.
type Comparison struct {
	Before, After *lsp.Diagnosis
	Looked        []string // files that were looked at besides the edited ones, at a server that has to be asked for each
	All           bool     // the edit can break nothing else in the server's folders
	// Inactive are the first lines, one for each file, that the edit changes in code that the server does not build.
	Inactive []InactiveLine
	Links    *adapter.Links // what it changes for the linker; nil where the server does not tell of that
	Held     bool           // a file that was not looked at holds a name that the edit adds, so that All is false
	Holder   string         // that file, where it is known
	Heads    []ChangedHead  // what it changes for those who use it by its name, where the language is dynamic
	// HeadsKnown is false where the server did not tell of the declarations.
	HeadsKnown bool
}

// Covers reports whether all of these files were looked at.
func (c *Comparison) Covers(dependents Dependents) bool {
	return !slices.ContainsFunc(dependents.Files, func(path string) bool { return !slices.Contains(c.Looked, path) })
}

// check is the state of one [Compare].
// before and texts are read once: a file that changes during the comparison must not be judged by two texts.
type check struct {
	s       *lsp.Snapshot
	overlay *lsp.Overlay
	texts   lsp.Texts // the new texts, of the overlay
	before  lsp.Texts // the texts on disk of those files that are there
}

func newCheck(s *lsp.Snapshot, texts map[string]string) *check {
	c := &check{s: s, overlay: s.NewOverlay(texts), before: lsp.Texts{}}
	c.texts = c.overlay.Texts
	for path := range texts {
		// A file that is not there, or cannot be read, has no text before; the caller has refused edits that need one.
		if text, err := s.Documents().Load(path); err == nil {
			c.before[path] = text
		}
	}
	return c
}

// Compare asks for the diagnostics of edited files and of those that may depend on them, as they are on disk and with the given
// texts by path, which may be of files that do not exist. The caller has synchronised and has the server alone. When it
// returns the server has been told of the texts on disk, also after an error; [ErrRestartNeeded] means that this did not
// succeed, and that the server must not be asked anything else. known are the files that use what changes, where another
// process found them; nil lets this one find them.
func Compare(ctx context.Context, s *lsp.Snapshot, texts map[string]string, known *Dependents) (*Comparison, error) {
	out, same, err := compare(ctx, s, texts, known, true)
	if err == nil && !same {
		out, _, err = compare(ctx, s, texts, known, false)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// compare is one attempt of [Compare]. With keep it takes what the server said of the texts on disk before; same is false when the server says
// something else of them now.
func compare(ctx context.Context, s *lsp.Snapshot, texts map[string]string, known *Dependents, keep bool) (out *Comparison, same bool, err error) {
	c, out := newCheck(s, texts), &Comparison{}
	var there []string
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if _, err := os.Stat(path); err == nil {
			there = append(there, path)
		}
	}
	// First everything that needs the texts on disk: who depends on the edit, what the files declare, and the diagnostics before. After
	// Show the server knows the new texts only.
	out.Looked, out.All = c.dependents(ctx, known)
	// The shape costs a hover for each changed symbol, and is needed only where other files may be left out.
	shaped := map[string]shape(nil)
	if !out.All {
		shaped, _ = c.shapes(ctx, false)
	}
	var added *addition
	// At a server that reports on all files its diagnostics tell what a new name breaks; at one that never reports anew nothing else is
	// asked.
	if !s.Diagnostics().ReportsAll() && s.Diagnostics().ReportsAnew() {
		added = c.addition(ctx)
	}
	declared := c.heads(ctx)
	// The diagnostics with the edit need about as long as those before, so these may use half of the time.
	half, cancel := halfOf(ctx)
	// Only files that are there: asked about a new one, the server would answer with an error.
	paths := slices.Concat(there, out.Looked)
	kept, err := c.diagnoseBefore(half, out, paths, keep)
	cancel()
	if err != nil {
		return nil, false, err
	}
	// Taken before Show and compared after it, since the server has only one of the two texts at a time.
	var linked adapter.LinkTable
	if a, ok := s.Adapter().(adapter.LinkReader); ok {
		linked = a.DeclaredLinks(ctx, s, slices.Sorted(maps.Keys(c.before)))
	}
	with := ctx
	if len(kept) > 0 { // the other half is for asking again about what was said before
		with, cancel = halfOf(ctx)
		defer cancel()
	}
	if err := c.try(with, out, shaped, added, declared, linked); err != nil {
		return nil, false, err
	}
	if same, err = c.confirm(ctx, out, paths, kept); err != nil {
		return nil, false, err
	}
	// Without the diagnostics with the edit nobody knows which code is inactive in the new text.
	out.Inactive = c.inactiveLines(out)
	return out, same, nil
}

// try shows the server the texts of the edit, adds what it says then, and shows it the texts on disk again. shaped, declared and linked are
// what it said before; nil shaped and added need no comparison.
func (c *check) try(ctx context.Context, out *Comparison, shaped map[string]shape, added *addition, declared map[string][]*declaredHead, linked adapter.LinkTable) (err error) {
	s := c.s
	// Deferred before Show, because a Show that fails may have shown some of the texts.
	defer func() {
		// An answer from a server that may still have the overlay is worth nothing: its error comes before whatever was found.
		if back := c.overlay.Withdraw(ctx); back != nil {
			err = back
		}
	}()
	if err := c.overlay.Show(ctx); err != nil {
		return err
	}
	if shaped != nil {
		now, ok := c.shapes(ctx, true)
		out.All = ok && keepShapes(shaped, now, c.before, added != nil)
	}
	out.Heads, out.HeadsKnown = changedHeads(s.Spec().Dynamic, declared, c.heads(ctx))
	if added != nil {
		out.Held = added.held(ctx, out.Looked)
		out.Holder = added.holder
		out.All = out.All && !out.Held
	}
	out.After, err = c.diagnose(ctx, slices.Concat(slices.Sorted(maps.Keys(c.texts)), out.Looked))
	if err == nil && linked != nil {
		out.Links = linked.Compared(ctx, s, slices.Sorted(maps.Keys(c.texts)), out.After)
	}
	return err
}

// halfOf is half of the time that is left.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		// A call without a deadline (tests) has no half.
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// maxDiagnosed bounds how often is asked again because the server began to load anew meanwhile: a text of the overlay may make
// it do so.
const maxDiagnosed = 3

// diagnose asks while the server does not load.
func (c *check) diagnose(ctx context.Context, paths []string) (d *lsp.Diagnosis, err error) {
	for range maxDiagnosed {
		// Diagnostics of a server that is loading lack what it has not loaded, on one side of the comparison only: everything there would
		// seem new.
		before := c.s.Ready(ctx, lsp.DefaultWarmup, nil)
		if d, err = c.s.Diagnostics().OfTexts(ctx, paths); err != nil {
			return nil, err
		}
		if before.SameLoad(c.s.Status()) {
			break
		}
	}
	return d, nil
}
