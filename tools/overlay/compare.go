package overlay

import (
	"context"
	"maps"
	"slices"
	"time"

	"lspi/lsp"
)

// Comparison is what a server says of files before an edit and with it, and how far that can be
// trusted.
type Comparison struct {
	Before, After *lsp.Diagnosis
	// Looked are the files besides the edited ones that a server was asked about which has to be asked for each.
	Looked  []string
	All     bool     // the edit can break no file of the server's folders beyond Looked
	Pending *Pending // the users for which the time did not suffice; nil when there are none
	// Inactive are the first lines, one for each file, that the edit changes in code that the server does not build.
	Inactive []InactiveLine
	Links    *lsp.Links    // what it changes for the linker; nil where the server does not tell of that
	Held     bool          // a file that was not looked at may notice a name that the edit adds, so All is false
	Holder   string        // that file, where it is known
	Heads    []ChangedHead // declarations whose uses by name it breaks
	// HeadsKnown is false where the server did not tell of the declarations.
	HeadsKnown bool
	// Noticed is true where files that were not looked for may notice the edit, and only a new process can be asked
	// about them ([Options.WithUsers]).
	Noticed bool
	// Compiled are the sources that were compiled with the bodies of the templates that they use; EachCompiled is true
	// where there is no other source that uses templates and may notice the edit.
	Compiled     []string
	EachCompiled bool
	// EachLooked is true where the server was asked about every file that it has.
	EachLooked bool
}

// Pending are the files that use what an edit changes and that were not looked at in time; Files has
// those that are known.
type Pending struct{ Files []string }

// Options say how far [Compare] looks beyond the edited files.
type Options struct {
	// Users finds the files that use what changes, at most limit, where another process knows them; nil lets this
	// one find them.
	Users func(ctx context.Context, limit int) Dependents
	// Apart is true where files that this server does not load may be broken.
	Apart bool // files that this server does not load (of other projects) may be broken
	// ForUsers is the time for other files than the edited ones; 0 is that of the call.
	ForUsers time.Duration
	// WithUsers looks at the users whatever the edit changes; else they are left out where the edited files declare
	// what they did before.
	WithUsers bool
}

// check is the state of one attempt to compare. Both texts of each file are read once: a file that
// changes on disk meanwhile must not be judged by two texts.
type check struct {
	s       *lsp.Snapshot
	overlay *lsp.Overlay
	texts   lsp.Texts // the new texts, of the overlay
	before  lsp.Texts // the texts on disk; a new file has none
}

// newCheck reads the texts on disk of the files that get new texts.
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

// Compare asks for the diagnostics of edited files as they are on disk and with the given texts by path
// (of files that may not exist), and, where others may notice the edit, for those of the files that use
// what changes.
//
// The caller has synchronised and has the server alone. When Compare returns, the server has been told
// of the texts on disk again, also after an error; [lsp.ErrRestartNeeded] means that this did not
// succeed, and that the server must not be asked anything else.
func Compare(ctx context.Context, s *lsp.Snapshot, texts map[string]string, o *Options) (*Comparison, error) {
	for keep := true; ; keep = false {
		out, same, err := tryCompare(ctx, s, texts, o, keep)
		if err != nil {
			return nil, err
		}
		if same || !keep {
			return out, nil
		}
	}
}

// tryCompare is one attempt of [Compare]. With keep it takes what the server said earlier of the texts
// on disk instead of asking; same is false when the server turns out to say something else of them now.
func tryCompare(ctx context.Context, s *lsp.Snapshot, texts map[string]string, o *Options, keep bool) (out *Comparison,
	same bool, err error) {
	c, means := newCheck(s, texts), s.Diagnostics()
	all := means.ReportsAll()
	// A server that does not report anew about unchanged files would show old findings; only where there are no
	// others are the edited ones everything.
	anew := !all && means.ReportsAnew()
	if !all && !anew {
		all = len(c.others(1)) == 0
	}
	// What a server tells of all files takes it longer than what it tells of some.
	if all && o.ForUsers > 0 {
		if out, err = c.local(ctx); err != nil || out != nil {
			return out, true, err
		}
	}
	out = &Comparison{All: all}
	t := &trial{check: c, out: out, edited: slices.Sorted(maps.Keys(texts)),
		users: &userTime{whole: ctx, left: o.ForUsers}}
	// First everything that needs the texts on disk: who depends on the edit, what the files declare, and the
	// diagnostics before. After Show the server knows the new texts only. The shape costs a hover for each changed
	// symbol, and is needed only where other files may be left out.
	if !all {
		t.shaped, _ = c.shapes(ctx, false)
	}
	rebuild := s.Spec().Diagnostics.Rebuild
	if anew && (o.WithUsers || t.shaped == nil || rebuild && !c.bodiesOnly(ctx)) {
		t.findUsers(o)
	}
	if anew {
		t.added = c.addition(ctx)
	}
	t.heads = c.heads(ctx)
	kept, err := t.diagnoseBefore(ctx, keep, t.asked())
	if err != nil {
		return nil, false, err
	}
	// Taken before Show and compared after it, since the server has only one of the two texts at a time.
	if linker := s.Hooks().Linker; linker != nil {
		t.linked = linker.DeclaredLinks(ctx, s, slices.Sorted(maps.Keys(c.before)))
	}
	with, cancel := ctx, context.CancelFunc(func() {})
	if len(kept) > 0 { // the other half is for asking again about what was said before
		with, cancel = lsp.HalfOf(ctx)
	}
	defer cancel()
	if err := c.shown(with, func() error { return t.try(with) }); err != nil {
		return nil, false, err
	}
	t.judge()
	// A server that builds each document by itself may keep silent about one that it is shown twice, so that a new
	// process has to be asked.
	if out.Noticed = anew && !t.found && !out.All; out.Noticed && !rebuild {
		out.Noticed = false
		of, err := t.askUsers(with, o, keep)
		if err != nil {
			return nil, false, err
		}
		kept = append(kept, of...)
	}
	if same, err = t.confirm(ctx, kept); err != nil || !same {
		return out, false, err
	}
	t.leavePending()
	out.EachLooked = t.found && out.Pending == nil && len(c.others(len(out.Looked)+1)) == len(out.Looked)
	// Without the diagnostics with the edit nobody knows which code is inactive in the new text.
	out.Inactive = c.inactiveLines(out)
	return out, true, nil
}

// bodiesOnly reports whether all changed lines stand in the bodies of functions; false when nobody can
// tell.
func (c *check) bodiesOnly(ctx context.Context) bool {
	for path, before := range c.before {
		symbols, _, err := c.s.DocumentSymbols(ctx, path)
		if err != nil || len(changedNames(before, c.texts[path], symbols, nil)) > 0 {
			return false
		}
	}
	return len(c.before) == len(c.texts)
}

// trial is one time that the server is shown the texts of an edit.
type trial struct {
	*check
	out    *Comparison
	edited []string
	found  bool      // the files that use what changes were searched for; they are in out.Looked
	users  *userTime // the time for them

	// What the server said of the texts on disk, to be compared with what it says of the new ones; each may be nil.
	shaped map[string]shape
	added  *addition
	heads  map[string][]*declaredHead
	linked lsp.LinkTable

	sameShape bool // the edit leaves what the files declare as it is; set by try
}

// userTime is the time for other files than the edited ones ([Options].ForUsers). It passes only while
// something is asked about them.
type userTime struct {
	whole context.Context
	left  time.Duration // 0: that of whole
	over  bool
}

// spend runs f with what is left of the time. over is set when the time ended while the call goes on.
func (u *userTime) spend(f func(context.Context)) {
	if u.left <= 0 {
		f(u.whole)
		return
	}
	ctx, cancel := context.WithTimeout(u.whole, u.left)
	defer cancel()
	began := time.Now()
	f(ctx)
	u.left = max(u.left-time.Since(began), 1)
	u.over = u.over || ctx.Err() != nil && u.whole.Err() == nil
}

// findUsers finds the files to look at besides the edited ones.
func (t *trial) findUsers(o *Options) {
	t.found = true
	var searched bool
	t.users.spend(func(ctx context.Context) { t.out.Looked, t.out.All, searched = t.filesToAsk(ctx, o) })
	if !searched || t.users.over {
		t.out.Pending, t.out.Looked = &Pending{t.out.Looked}, nil
	}
}

// diagnoseUsers adds to a diagnosis what the server says of files that use what changes. When the time
// for these ends first, the files count as silent, which is no failure of the comparison.
func (t *trial) diagnoseUsers(paths []string, to *lsp.Diagnosis) (err error) {
	if len(paths) == 0 {
		return nil
	}
	t.users.spend(func(ctx context.Context) {
		var d *lsp.Diagnosis
		if d, err = t.diagnose(ctx, paths); err == nil {
			merge(to, d)
		}
	})
	if err != nil && t.users.over && !t.ended() {
		to.Silent = append(to.Silent, paths...)
		return nil
	}
	return err
}

// leavePending takes out of the comparison the files of which the server did not say everything in
// time: findings of one side alone would all seem new, or mended.
func (t *trial) leavePending() {
	out := t.out
	if t.users.over && out.Pending == nil {
		silent := func(path string) bool {
			return slices.Contains(out.Before.Silent, path) || slices.Contains(out.After.Silent, path)
		}
		out.Pending = &Pending{slices.DeleteFunc(slices.Clone(out.Looked), func(path string) bool {
			return !silent(path)
		})}
		if len(out.Pending.Files) == 0 {
			out.Pending = nil
		}
	}
	if out.Pending == nil {
		return
	}
	out.All = false
	pending := func(path string) bool { return slices.Contains(out.Pending.Files, path) }
	out.Looked = slices.DeleteFunc(slices.Clone(out.Looked), pending)
	for _, d := range []*lsp.Diagnosis{out.Before, out.After} {
		d.Reports = slices.DeleteFunc(d.Reports, func(r lsp.Report) bool { return pending(r.Path) })
		d.Silent = slices.DeleteFunc(d.Silent, pending)
	}
}

// ended reports whether the server has ended.
func (c *check) ended() bool {
	select {
	case <-c.s.Done():
		return true
	default:
		return false
	}
}

// shown runs f while the server has the texts of the edit, and shows it the texts on disk again,
// whatever f returns.
func (c *check) shown(ctx context.Context, f func() error) (err error) {
	// Deferred before Show, because a Show that fails may have shown some of the texts.
	defer func() {
		// An answer from a server that may still have the overlay is worth nothing: its error comes before whatever
		// was found.
		if back := c.overlay.Withdraw(ctx); back != nil {
			err = back
		}
	}()
	if err := c.overlay.Show(ctx); err != nil {
		return err
	}
	return f()
}

// try asks all that has to be asked while the server has the texts of the edit.
func (t *trial) try(ctx context.Context) (err error) {
	s, out := t.s, t.out
	if t.shaped != nil && !out.All {
		now, ok := t.shapes(ctx, true)
		t.sameShape = ok && keepShapes(t.shaped, now, t.before, t.added != nil)
	}
	out.Heads, out.HeadsKnown = changedHeads(s.Spec().Dynamic, t.heads, t.check.heads(ctx))
	if t.added != nil {
		t.added.learn(ctx, out.Looked)
	}
	if out.After, err = t.diagnose(ctx, t.edited); err != nil {
		return err
	}
	if err = t.diagnoseUsers(out.Looked, out.After); err == nil && t.linked != nil {
		out.Links = t.linked.Compared(ctx, s, slices.Sorted(maps.Keys(t.texts)), out.After)
	}
	return err
}

// judge decides whether the edit can break a file that was not looked at: not when the declarations
// stay as they are, and nobody holds a name that is added.
func (t *trial) judge() {
	out := t.out
	out.All = out.All || t.sameShape
	if t.added != nil {
		out.Held = t.added.mayBeNoticed(out.Looked)
		out.Holder = t.added.holder
		out.All = out.All && !out.Held
	}
}

// askUsers looks for the files that use what changes after a trial that did without them, and asks
// about them with the texts on disk and with those of the edit. What was said of the edited files
// stands. kept are the files for which an earlier report was taken.
func (t *trial) askUsers(ctx context.Context, o *Options, keep bool) (kept []string, err error) {
	t.findUsers(o)
	if kept, err = t.diagnoseBefore(ctx, keep, t.out.Looked); err != nil {
		return nil, err
	}
	if len(t.out.Looked) > 0 {
		err = t.shown(ctx, func() error { return t.diagnoseUsers(t.out.Looked, t.out.After) })
	}
	t.judge()
	return kept, err
}

// local compares an edit that no other file can notice, by asking about the edited files alone, up to
// their errors. It returns nil where another file may notice the edit, or where there are errors, before the edit
// or with it.
func (c *check) local(ctx context.Context) (out *Comparison, err error) {
	beside, ok := lsp.StaysLocal(c.s.Server, c.before, c.texts)
	if !ok {
		return nil, nil
	}
	half, cancel := lsp.HalfOf(ctx)
	defer cancel()
	edited, sound := slices.Sorted(maps.Keys(c.texts)), false
	out = &Comparison{All: true}
	if out.Before, sound, err = c.s.Diagnostics().FirstOfTexts(half, edited, beside); err != nil || !sound {
		return nil, err
	}
	heads := c.heads(ctx)
	err = c.shown(ctx, func() (err error) {
		out.Heads, out.HeadsKnown = changedHeads(c.s.Spec().Dynamic, heads, c.heads(ctx))
		out.After, sound, err = c.s.Diagnostics().FirstOfTexts(ctx, edited, beside)
		return err
	})
	if err != nil || !sound {
		return nil, err
	}
	out.Inactive = c.inactiveLines(out)
	return out, nil
}

// merge adds what a server said of further files.
func merge(to, from *lsp.Diagnosis) {
	to.Reports, to.Silent, to.Excluded = append(to.Reports, from.Reports...), append(to.Silent, from.Silent...),
		append(to.Excluded, from.Excluded...)
	to.Unsure, to.Lost, to.Folders = to.Unsure || from.Unsure, to.Lost+from.Lost, append(to.Folders, from.Folders...)
}

// maxDiagnosed bounds how often the same diagnostics are asked for because the server reloaded
// meanwhile, which a text of the overlay may cause.
const maxDiagnosed = 3

// diagnose asks for the diagnostics of files while the server is not loading.
func (c *check) diagnose(ctx context.Context, paths []string) (d *lsp.Diagnosis, err error) {
	for range maxDiagnosed {
		// Diagnostics of a server that is loading lack what it has not loaded, on one side of the comparison only:
		// everything there would seem new.
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
