package edits

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// compareAt asks one server, and adds the difference that the edits make to what it reports.
func compareAt(ctx context.Context, c *answer.Call, g *diagnostics.Group, plan *editPlan, d *difference) error {
	spec := g.Routes[0].Spec
	// nil without an error: ask has already told why nothing could be asked.
	tried, texts, err := tryAt(ctx, c, g, plan, &overlay.Options{ForUsers: d.forUsers})
	if err != nil || tried == nil {
		return err
	}
	// Still not everything, and the index is not there yet: the answer says that waiting helps.
	if spec.ForOverlay() != nil && !tried.All && tried.Pending == nil && !isLoaded(c, g.Routes[0]) {
		usersUnknown(c, spec)
	}
	// The rest is warnings: whatever the diagnostics before and with the edits may lack makes the difference uncertain.
	// After the comparison, and at the process with the index: where something else is declared only that one knows.
	if d.forUsers == 0 || !tried.Links.Any() || loadedWithin(ctx, c, g.Routes[0], plan.existing(g.Paths), d.forUsers) {
		tellBeyondDiagnostics(ctx, c, g.Routes[0], tried, texts)
	} else {
		tried.Pending = cmp.Or(tried.Pending, &overlay.Pending{})
	}
	TellMoved(ctx, c, g.Routes[0], texts)
	nameHolders(c, g.Routes[0], tried, texts)
	diagnostics.LacksChecker(c, spec)
	diagnostics.WarnIncomplete(c, spec, tried.Before)
	diagnostics.WarnIncomplete(c, spec, tried.After)
	tellUncompared(c, spec, tried)
	warnInactive(c, spec, tried.Inactive)
	// Last: the warnings above have to be on the call before the difference is read ([difference.whyNot]).
	d.add(spec, tried, texts)
	return nil
}

// isLoaded reports whether the server of a route runs and has loaded its project, so that asking it is
// cheap.
func isLoaded(c *answer.Call, r router.Route) bool {
	return slices.ContainsFunc(c.Workspace.Pool.Running(), func(s *lsp.Server) bool {
		// Only a running process counts: starting one for this question alone would cost more than the comparison.
		return s.ID() == r.Spec.ID && (r.Spec.SharedFolders || s.Root() == r.Root) && s.Status().Ready
	})
}

// loadedWithin is [loaded], but gives a server that has not loaded its project some time; one that does
// not run is started.
func loadedWithin(ctx context.Context, c *answer.Call, r router.Route, path string, wait time.Duration) bool {
	if isLoaded(c, r) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	// Its warnings and its error are about a question that nobody asked.
	_ = ask.Route(ctx, c.Nested(c.Tool, c.Request), r, path, lsp.MethodReferences,
		func(context.Context, *lsp.Snapshot) error {
			return nil
		})
	return isLoaded(c, r)
}

// nameHolders names files in a pending comparison that has none yet: those that hold a name which the
// edit changes.
func nameHolders(c *answer.Call, r router.Route, tried *overlay.Comparison, texts map[string]*EditedText) {
	if tried.Pending == nil || len(tried.Pending.Files) > 0 || !tried.Links.Any() {
		return
	}
	holding := diagnostics.Holding(c, r.Spec, r.Root, namesOfLinks(tried.Links), maxUsers+len(texts))
	tried.Pending.Files = slices.DeleteFunc(holding, func(path string) bool { return texts[path] != nil })
}

// usersUnknown warns that the process which knows the users of what changes is still building its
// index.
func usersUnknown(c *answer.Call, spec *spec.Spec) {
	if c.HasWarned(contract.WarnIndexing) {
		return
	}
	c.Warn(contract.WarnIndexing, contract.Facts{"server_id": spec.ID},
		spec.ID+" is still building its index, which tells the files that "+
			"use what the edit changes; errors in such files are missing here")
	c.Step(c.Repeat("Repeat the call when "+spec.ID+" has loaded more of the project.", nil))
}

// usersOf asks the server that has an index for the files that use what texts change, at most limit.
// Its error is dropped: without an answer All is false and Files empty, so the comparison counts as
// incomplete. It takes at most half of the time that is left, because the comparison follows. With
// soon, a server that has not loaded is not waited for.
func usersOf(ctx context.Context, c *answer.Call, r router.Route, contents map[string]string, limit int,
	soon bool) (out overlay.Dependents) {
	if soon && !isLoaded(c, r) {
		return overlay.Dependents{Cut: true}
	}
	asked := ""
	for path := range contents {
		// The question needs a file that is there; the first by name, so that it is the same one each time.
		if _, err := os.Stat(path); err == nil && (asked == "" || path < asked) {
			asked = path
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	// The comparison goes on meanwhile at another process, so that this question has attempts of its own.
	n := c.Nested(c.Tool, c.Request)
	n.ClaimComplete()
	n.ChangeSubject(func(about *answer.Subject) { about.Shown = slices.Collect(maps.Keys(contents)) })
	_ = ask.Route(ctx, n, r, asked, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		// ask may repeat the question, and a former attempt must leave nothing behind.
		out = overlay.FindDependents(ctx, s, contents, limit)
		return nil
	})
	out.Cut = out.Cut || ctx.Err() != nil
	answer.Adopt(c, n)
	return out
}

// AddUsers finds the files that use what a planned change of texts changes, so that their errors are
// compared as well.
func AddUsers(ctx context.Context, c *answer.Call, ch *Proposed) {
	found := plannedUsers(ctx, c, ch, maxUsers)
	ch.Near = append(ch.Near, found.Files...)
	ch.UsersUnknown = !found.All
}

// AddUsersOfRenamed is [AddUsers] for a rename. The server renames the uses itself, so that the search need not be
// whole; but where types fit by their members ({ draw(): number }), a use of the class that holds what is renamed may
// break in a file that does not name it.
func AddUsersOfRenamed(ctx context.Context, c *answer.Call, ch *Proposed) {
	if limit := min(maxUsers, MaxSafeFiles-len(ch.Files)); limit > 0 && ch.Servers[0].Spec.Dynamic != nil {
		ch.Near = append(ch.Near, plannedUsers(ctx, c, ch, limit).Files...)
	}
	AddIncluders(ctx, c, ch)
}

// AddIncluders adds the sources that are compiled with what a planned change of texts changes, as check_edit looks at
// them: what breaks there need not name what changes.
func AddIncluders(ctx context.Context, c *answer.Call, ch *Proposed) {
	r, edited := ch.Servers[0], slices.Sorted(maps.Keys(ch.Texts()))
	room := MaxSafeFiles - len(ch.Files) - len(ch.Near)
	isHeader := func(path string) bool { return lang.Of(path).IsC() } // or a source, as the server's hooks tell
	if !slices.ContainsFunc(edited, isHeader) || len(ch.Outside) > 0 || room <= 0 {
		return
	}
	var found []string
	n := c.Nested(c.Tool, c.Request)
	_ = ask.Route(ctx, n, r, edited[0], lsp.MethodReferences, func(_ context.Context, s *lsp.Snapshot) error {
		found = overlay.Includers(s, edited)
		return nil
	})
	c.Spend(n.Spent())
	for _, path := range found[:min(len(found), room)] {
		if !slices.Contains(ch.Near, path) {
			ch.Near = append(ch.Near, path)
		}
	}
}

// plannedUsers finds at most limit files that use what a planned change of texts changes. Where the server tells the
// errors of all files, there is nothing to find.
func plannedUsers(ctx context.Context, c *answer.Call, ch *Proposed, limit int) overlay.Dependents {
	none := overlay.Dependents{All: true}
	r := ch.Servers[0]
	if means := r.Spec.Diagnostics; means.Workspace && means.Check == nil || len(ch.Outside) > 0 {
		return none
	}
	contents := map[string]string{}
	for path, t := range ch.Texts() {
		contents[path] = t.After.Content()
	}
	if len(contents) == 0 {
		return none
	}
	r.LanguageID = r.Spec.LanguageID(symbol.Base(ch.Files[0].Path))
	return usersOf(ctx, c, r, contents, limit, false)
}

// maxUsers bounds the files besides the changed ones whose errors are compared.
const maxUsers = 40

// tryAt compares at one server, and adds the warnings for which this server has to be asked. tried may
// be nil without an error: a warning then says why. texts are the ones that were tried. Where only a
// new process would tell of the users of what changes, and cannot be asked, the comparison without them
// stands.
func tryAt(ctx context.Context, c *answer.Call, g *diagnostics.Group, plan *editPlan, o *overlay.Options) (
	tried *overlay.Comparison, texts map[string]*EditedText, err error) {
	once := func(ctx context.Context, s *lsp.Snapshot) error {
		// The reserve is for what follows the comparison: warnings, the undo of the overlay, the answer.
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx,
				deadline.Add(-min(diagnostics.DiagnoseReserve, time.Until(deadline)/2)))
			defer cancel()
		}
		now, of, unchecked, err := compareAlone(ctx, c, s, g, plan, o)
		if err != nil {
			return err
		}
		tried, texts = now, of
		if tried.Noticed && !o.WithUsers {
			o.WithUsers = true
			return lsp.ErrRestartNeeded
		}
		// What follows needs this server, which has the texts on disk again by now.
		diagnostics.UncheckedProjects(ctx, c, s, g.Roots(), g.Paths, tried.Before)
		dynamicUsesOfEdit(ctx, c, s, tried, texts)
		diagnostics.ReadAlone(ctx, c, s, tried.Before)
		warnExcludedUsers(ctx, c, s, texts)
		compilerOnly(c, s, unchecked)
		linkedToEdit(ctx, c, s, g.Roots(), texts)
		inactiveUsers(ctx, c, s, texts, tried.Inactive)
		// So that this process knows what a search would find, and no library uses what goes in other sources.
		if tried.Links.Any() && tried.EachLooked && (len(tried.Links.Left) == 0 || tried.EachCompiled) {
			tellLinks(ctx, c, s, tried, texts)
			tried.Links = nil
		}
		return nil
	}
	r := g.Routes[0]
	err = ask.Diagnostics(ctx, c, r, plan.existing(g.Paths), r.Spec.ForOverlay(), once)
	if tried != nil && o.WithUsers {
		err = nil
	}
	return tried, texts, err
}

// compareAlone tries the edits while no other call asks the server, which would be answered with texts
// that are not on disk. The order of the steps matters: the server first gets all roots and the state
// of the disk, then the edits are resolved against that state, then further projects are loaded, and
// only then is the overlay shown.
func compareAlone(ctx context.Context, c *answer.Call, s *lsp.Snapshot, g *diagnostics.Group, plan *editPlan,
	o *overlay.Options) (
	tried *overlay.Comparison, texts map[string]*EditedText, unchecked []lsp.CompilerLine, err error) {
	// A server with an overlay of its own has a process for overlays, which no other call uses.
	if s.Spec().Diagnostics.Overlay == nil {
		end, err := c.Servers.Exclusive(ctx, s.Server)
		if err != nil {
			return nil, nil, nil, err
		}
		defer end()
	}
	for _, r := range g.Routes[1:] {
		// All edits are tried together, so that the process needs every root before the overlay is shown.
		if err := s.AddFolder(ctx, r.Root); err != nil {
			return nil, nil, nil, err
		}
	}
	// Once more inside of Exclusive: what changed while this call waited for the server would be taken for an
	// effect of the edit.
	if err := s.Sync(ctx); err != nil {
		return nil, nil, nil, err
	}
	// After the sync, so that the edits are resolved against what the server has.
	texts, err = plan.Texts(c.Workspace.Text, g.Paths)
	if err != nil {
		return nil, nil, nil, err
	}
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.After.Content()
	}
	apart := projectsOfEdit(ctx, c, s, contents)
	// Files of projects that this server does not load: no search by it can be complete.
	o.Apart = len(apart) > 0
	// Some servers try texts in a second process ([spec.Spec.ForOverlay]), which has no index. It cannot tell which
	// other files use what changes; the process that runs for other questions can.
	if s.Spec().Diagnostics.Overlay != nil {
		o.Users = func(ctx context.Context, limit int) overlay.Dependents {
			return usersOf(ctx, c, g.Routes[0], contents, limit, o.ForUsers > 0)
		}
	}
	// Read from the disk while the server works.
	var beside sync.WaitGroup
	beside.Go(func() { unchecked = compilerLinesOfTexts(ctx, s, plan, texts) })
	tried, err = overlay.Compare(ctx, s, contents, o)
	beside.Wait()
	if err == nil {
		unchecked, err = compareTemplates(ctx, s, tried, contents, unchecked, o.ForUsers)
	}
	if err == nil && !tried.All {
		loaded.WarnOtherProjects(c, s, apart)
	}
	return tried, texts, unchecked, err
}

// tellUncompared warns of what was not compared.
func tellUncompared(c *answer.Call, spec *spec.Spec, tried *overlay.Comparison) {
	coverage := contract.Facts{"server_id": spec.ID, "total": len(tried.Looked)}
	if check := spec.Diagnostics.Check; check != nil {
		coverage["reason"] = ReadsDisk // it looks at all files then
		// No reason against applying ([SeenOnDisk]): the checker is run when the edit is written, and an edit with
		// errors is undone.
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": check.Title, "reason": ReadsDisk},
			check.Title+" reads the files on disk, so lspi cannot compare its findings; it compared only those of "+
				spec.ID+" itself")
	}
	switch {
	case tried.Pending != nil: // said as such
	case !tried.All && tried.Holder != "":
		c.Warn(contract.WarnCoverageOpenFilesOnly, coverage, fmt.Sprintf(
			"%s checked the edited files and %d others, but not %s, which contains a name that the edit adds or removes",
			spec.ID, len(tried.Looked), c.Show(tried.Holder)))
	case !tried.All:
		c.Warn(contract.WarnCoverageOpenFilesOnly, coverage,
			fmt.Sprintf(
				"%s checked the edited files and %d others that use or name what changes, but not further files that may use it", spec.ID, len(tried.Looked)))
	}
}
