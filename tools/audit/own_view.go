package audit

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
)

// A server may resolve the imports of whatever file it is shown by the settings and the environment of its root
// ([spec.RootRule].Views): in one of two services that are alike it takes the tests of the other for users of its own
// modules, and lists them from then on as long as the file is open. So such a file is shown to the process of its own
// root alone, which says what an occurrence in it is.

// ofOtherView is the route of a file that another process of the server has to judge; nil for any other.
func (v *verdict) ofOtherView(path string) *router.Route {
	if !v.s.Spec().Roots.Views {
		return nil
	}
	routes, err := v.c.Workspace.Table.Route(v.c.Workspace.Process.Files, path)
	i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec.ID == v.s.ID() })
	if err != nil || i < 0 || routes[i].Root == v.s.Root() {
		return nil
	}
	return &routes[i]
}

// maxOtherViews bounds the processes that are started for one answer.
const maxOtherViews = 8

// startOthers starts the processes of other roots that open occurrences are put to, and puts the first one to each,
// which takes longer than the next ones.
func (v *verdict) startOthers(ctx context.Context) {
	var routes []*router.Route
	var first []occurrence
	seen := map[string]bool{}
	for _, o := range v.open {
		dir := filepath.Dir(o.path)
		if seen[dir] || len(routes) == maxOtherViews {
			continue
		}
		seen[dir] = true
		if r := v.ofOtherView(o.path); r != nil &&
			!slices.ContainsFunc(routes, func(have *router.Route) bool { return have.Root == r.Root }) {
			routes, first = append(routes, r), append(first, o)
		}
	}
	ctx, cancel := withinHalf(ctx)
	defer cancel()
	answer.Parallel(len(routes), 0, func(i int) { v.judgeByOther(ctx, routes[i], &first[i]) })
}

// withinHalf is a context with half of the time that is left.
func withinHalf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// otherView is the process of another root, which has seen all changes.
func (v *verdict) otherView(ctx context.Context, r *router.Route) (s *lsp.Server, release func(), err error) {
	for range 2 {
		if s, release, err = v.c.Servers.Get(ctx, *r); err != nil {
			return nil, nil, err
		}
		if err = s.Sync(ctx); err == nil {
			return s, release, nil
		}
		if errors.Is(err, lsp.ErrRestartNeeded) {
			v.c.Workspace.Pool.Restart(s, false)
		}
		release()
	}
	return nil, nil, err
}

// judgeByOther judges an occurrence in the process of another root.
func (v *verdict) judgeByOther(ctx context.Context, r *router.Route, o *occurrence) judgement {
	s, release, err := v.otherView(ctx, r)
	if err != nil {
		return undecided
	}
	defer release()
	return v.viewOf(s.Unverified()).judgeVia(ctx, o, nil)
}

// viewOf is the verdict as another process sees it, for judgements alone.
func (v *verdict) viewOf(s *lsp.Snapshot) *verdict {
	w := &verdict{whatCounts: v.whatCounts, c: v.c, s: s, asked: s, at: v.at, language: v.language, known: v.known,
		covered: v.covered, keyword: v.keyword, function: v.function, class: v.class, indirect: v.indirect,
		declared: v.declared, member: v.member, kind: v.kind, container: v.container, module: v.module,
		injected: v.injected, family: v.family}
	w.cpp = &cpp{verdict: w}
	return w
}
