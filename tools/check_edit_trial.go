package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/overlay"
	"lspi/router"
)

// try asks one server and adds the difference that the edits make to what it says.
func (c *Call) try(ctx context.Context, g *trialGroup, plan *editPlan, d *difference) error {
	spec := g.routes[0].Spec
	var users *overlay.Dependents
	if spec.ForTrial() != nil && c.loaded(g.routes[0]) { // the process that tries has no index; the one that has knows the users
		if texts, err := plan.texts(c.env.text, g.paths); err == nil {
			found := c.usersOf(ctx, g.routes[0], texts)
			users = &found
		}
	}
	tried, texts, err := c.tryOnce(ctx, g, plan, users)
	if err != nil || tried == nil {
		return err
	}
	if spec.ForTrial() != nil && !tried.All && users == nil {
		found := c.usersOf(ctx, g.routes[0], texts)
		covered := tried.Covers(found)
		tried.All = found.All && covered && !tried.Held
		if !covered {
			if again, after, err := c.tryOnce(ctx, g, plan, &found); err == nil && again != nil {
				tried, texts = again, after
			}
		}
	}
	if spec.ForTrial() != nil && !tried.All && !c.loaded(g.routes[0]) {
		usersUnknown(c, spec)
	}
	unseenByTrial(ctx, c, g.routes[0], tried, texts)
	c.lacksChecker(spec)
	c.doubts(spec, tried.Before)
	c.doubts(spec, tried.After)
	c.beyondTrial(spec, tried)
	warnUnbuilt(c, spec, tried.Unbuilt)
	d.add(spec, tried, texts)
	return nil
}

// loaded reports whether the server of a route runs and has loaded its project, so that to ask it costs little.
func (c *Call) loaded(r router.Route) bool {
	return slices.ContainsFunc(c.env.Pool.Running(), func(s *lsp.Server) bool {
		return s.ID() == r.Spec.ID && (r.Spec.SharedFolders || s.Root() == r.Root) && s.Status().Ready
	})
}

// usersUnknown says that the process which knows who uses what changes is still building its index.
func usersUnknown(c *Call, spec *lsp.Spec) {
	if len(c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnIndexing })) > 0 {
		return
	}
	c.warn(contract.WarnIndexing, contract.Facts{"server_id": spec.ID}, spec.ID+" is still building its index, by which it knows the files that "+
		"use what the edit changes: errors in such files are missing here")
	c.step(c.repeat("Repeat the call when "+spec.ID+" has loaded more of the project.", nil))
}

// usersOf asks the server that has an index for the files that use what texts change. That it does not tell is no error.
func (c *Call) usersOf(ctx context.Context, r router.Route, texts map[string]*editedText) (out overlay.Dependents) {
	contents, asked := map[string]string{}, ""
	for path, t := range texts {
		contents[path] = t.after.Content()
		if t.before.Content() != "" && (asked == "" || path < asked) {
			asked = path
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	c.mu.Lock()
	c.subject.shown = slices.Collect(maps.Keys(contents))
	c.mu.Unlock()
	_ = askRoute(ctx, c, r, asked, lsp.MethodReferences, func(ctx context.Context, s *lsp.Server) error {
		out = overlay.Dependents{}
		limit := overlay.WantsDependents(s, contents)
		if limit == 0 {
			return errAllLookedAt
		}
		out = overlay.FindDependents(ctx, s, contents, limit)
		return nil
	})
	return out
}

// errAllLookedAt ends a question that needs no answer, so that nothing is said of what that would lack.
var errAllLookedAt = errors.New("all files are looked at, whether they use what changes or not")

// tryOnce asks one server. users are the files that use what changes; nil lets the server find them.
func (c *Call) tryOnce(ctx context.Context, g *trialGroup, plan *editPlan, users *overlay.Dependents) (tried *overlay.Comparison, texts map[string]*editedText, err error) {
	spec := g.routes[0].Spec
	asked := askRoute
	if spec.Diagnostics.Unindexed {
		asked = askUnindexed
	}
	if spec.ForTrial() != nil {
		asked = askApart
	}
	err = asked(ctx, c, g.routes[0], plan.existing(g.paths), "", func(ctx context.Context, s *lsp.Server) error {
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(diagnoseReserve, time.Until(deadline)/2)))
			defer cancel()
		}
		var err error
		if tried, texts, err = c.tryAlone(ctx, s, g, plan, users); err == nil && tried != nil {
			uncheckedProjects(ctx, c, s, g.roots(), g.paths, tried.Before)
			dynamicUsesOfTrial(ctx, c, s, tried, texts)
			leftOutOfTrial(ctx, c, s, texts)
			compilerOnlyOfTrial(ctx, c, s, plan, texts)
			linkedToTrial(ctx, c, s, g.roots(), texts)
			unbuiltUsers(ctx, c, s, texts, tried.Unbuilt)
			if tried.Links.Any() && wantsUsers(s, texts) == 0 { // it has looked at all files
				tellLinks(ctx, c, s, tried.Links, texts)
				tried.Links = nil
			}
		}
		return err
	})
	return tried, texts, err
}

func wantsUsers(s *lsp.Server, texts map[string]*editedText) int {
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.after.Content()
	}
	return overlay.WantsDependents(s, contents)
}

// askApart is askUnindexed at a process of its own, which lives as long as the question.
func askApart(ctx context.Context, c *Call, r router.Route, _, _ string,
	f func(context.Context, *lsp.Server) error) (err error) {
	for range maxAttempts {
		if err = c.attemptApart(ctx, r, f); ctx.Err() != nil || !crashed(err) && !errors.Is(err, lsp.ErrRestartNeeded) {
			return err
		}
	}
	if errors.Is(err, lsp.ErrRestartNeeded) {
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": r.Spec.ID}, "%s ended or had to be restarted at each attempt", r.Spec.ID)
	}
	return err
}

func (c *Call) attemptApart(ctx context.Context, r router.Route, f func(context.Context, *lsp.Server) error) error {
	s, err := c.env.Pool.Apart(ctx, r.Spec.ForTrial(), r.Root)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f(ctx, s); err != nil {
		return err
	}
	c.answeredBy(s)
	if p := s.MissingForOne(r.Root); p != nil {
		c.warn(contract.WarningKind(p.Warning), contract.Facts{"folder": c.show(r.Root), "markers": p.Files}, p.Hint)
	}
	return nil
}

// tryAlone tries the edits while nobody else asks the server. The texts that are edited are those on disk then.
func (c *Call) tryAlone(ctx context.Context, s *lsp.Server, g *trialGroup, plan *editPlan, users *overlay.Dependents) (*overlay.Comparison, map[string]*editedText, error) {
	if s.Spec().Diagnostics.Trial == nil { // else nobody else knows it
		end, err := c.env.Pool.Alone(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		defer end()
	}
	for _, r := range g.routes[1:] {
		if err := s.AddFolder(ctx, r.Root); err != nil {
			return nil, nil, err
		}
	}
	if err := s.Sync(ctx); err != nil {
		return nil, nil, err
	}
	texts, err := plan.texts(c.env.text, g.paths)
	if err != nil {
		return nil, nil, err
	}
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.after.Content()
	}
	apart := projectsOfTrial(ctx, c, s, contents)
	if len(apart) > 0 {
		users = &overlay.Dependents{Apart: true}
	}
	tried, err := overlay.Compare(ctx, s, contents, users)
	if err == nil && !tried.All {
		warnOtherProjects(c, s, apart, notLoaded)
	}
	return tried, texts, err
}

// beyondTrial says what a trial does not show.
func (c *Call) beyondTrial(spec *lsp.Spec, tried *overlay.Comparison) {
	coverage := contract.Facts{"server_id": spec.ID, "total": len(tried.Looked)}
	if check := spec.Diagnostics.Check; check != nil {
		coverage["reason"] = readsDisk // it looks at all files then
		c.warn(contract.WarnPartFailed, contract.Facts{"part": check.Title, "reason": readsDisk},
			check.Title+" reads the disk, so what only it finds is not compared; the findings of "+spec.ID+" itself are")
	}
	switch {
	case !tried.All && tried.Holder != "":
		c.warn(contract.WarnCoverageOpenFilesOnly, coverage, fmt.Sprintf(
			"%s was asked about the edited files and %d others; %s was not checked, which holds a name that the edit adds or takes away",
			spec.ID, len(tried.Looked), c.show(tried.Holder)))
	case !tried.All:
		c.warn(contract.WarnCoverageOpenFilesOnly, coverage,
			fmt.Sprintf("%s was asked about the edited files and %d others that use or name what changes; further files that may use it were not checked", spec.ID, len(tried.Looked)))
	}
}
