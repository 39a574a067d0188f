package loaded

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/tools/answer"
)

// The bounds of what is opened so that an answer has it: files, and time. What takes longer is there for the next
// answer, because it stays open.
const (
	MaxIncluded  = 32
	includeLimit = 15 * time.Second
)

// Include shows the server the sources that can change the answer and that the project's own list leaves out, or that
// changed since the commit of its index, where they are few. It reports whether the server has them now and had not
// when it was asked, so that asking again makes sense. A call that watches for reloads itself, as a dry run does,
// includes nothing.
func Include(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, path, method string, asked time.Time) bool {
	if c.SeesReloads() {
		return false
	}
	ctx, cancel := within(ctx, includeLimit, 0.5)
	defer cancel()
	switch {
	case s.Hooks().Projects != nil:
		return method != lsp.MethodRename && !lsp.InOneProject(s.Server, method) && includeProjects(ctx, c, s, path)
	case s.Hooks().OutsideProject != nil:
		return false // what belongs to no project is in no answer, open or not
	}
	var found []lsp.Uncovered
	if method != lsp.MethodRename { // which takes no uses of them, and [audit.Uses] finds these place by place
		found = unlistedHolders(ctx, c, s, root, method, asked)
	}
	var files []string
	fresh := false
	// Fresh: at least one file was not known to the server when it answered, or not with what it includes. Otherwise a
	// second answer would be the same.
	for _, o := range olderIndexes(ctx, c, s, asked) {
		files = append(files, pathsOf(o.files)...)
		fresh = fresh || slices.ContainsFunc(o.files, func(u lsp.Uncovered) bool {
			return s.Diagnostics().Compiles(u.Path) || !s.Documents().HasSeen(u.Path, asked)
		})
	}
	if moved := rebound(ctx, c, s); len(moved) > 0 {
		files, fresh = append(files, pathsOf(moved)...), true
	}
	for _, h := range found {
		files = append(files, h.Path)
		fresh = fresh || !s.Documents().HasSeen(h.Path, asked)
	}
	return fresh && len(files) <= MaxIncluded && s.Documents().Include(ctx, files)
}

// unlistedHolders are the sources that can change the answer and that the server did not know when it was asked,
// because the project's own list leaves them out.
func unlistedHolders(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, method string,
	asked time.Time) []lsp.Uncovered {
	files := lsp.Unlisted(ctx, s.Server, root, method, asked)
	if len(files) == 0 {
		return nil
	}
	if s.Spec().Build != nil {
		return outsideBuild(c, s, Holders(ctx, c, files))
	}
	if s.Hooks().Includes != nil { // a source may use a name by a macro that holds it
		macros(ctx, c, Sources(c, s, root))
	}
	found := noticing(ctx, c, s, Holders(ctx, c, files))
	if len(found) == 0 || isConfined(ctx, c, s, found) {
		return nil
	}
	return found
}

// noticing are those of the holders that may notice the new texts which the answer is about, if any: a source that
// counts as a whole, since no name is known, notices only what it may include.
func noticing(ctx context.Context, c *answer.Call, s *lsp.Snapshot, found []lsp.Uncovered) []lsp.Uncovered {
	shown := c.Subject().Shown
	whole := func(u lsp.Uncovered) bool { return u.Line == 0 }
	if len(shown) == 0 || s.Hooks().MayInclude == nil || !slices.ContainsFunc(found, whole) {
		return found
	}
	including, err := s.Documents().MayInclude(ctx, pathsOf(found), shown)
	if err != nil { // the time of the call is over
		return found
	}
	return slices.DeleteFunc(found, func(u lsp.Uncovered) bool {
		return whole(u) && !slices.Contains(including, u.Path)
	})
}

// outsideBuild are those of the sources that may hold what the answer lacks. Where the server has to be asked what
// belongs to a project, all are that do not have a place in the answer: [ofNoProject] asks.
func outsideBuild(c *answer.Call, s *lsp.Snapshot, all []lsp.Uncovered) []lsp.Uncovered {
	if s.Hooks().OutsideProject == nil {
		return all
	}
	read := InPlaces(c.Subject().Places)
	return slices.DeleteFunc(all, func(h lsp.Uncovered) bool { return read(h.Path) })
}

// ofNoProject are those of sources of which the server says that they belong to no project, and those about which
// it does not tell in time. A server that answers others meanwhile may take seconds for the first. It takes up to
// three quarters of the time that the call has left.
func ofNoProject(ctx context.Context, s *lsp.Snapshot, all []lsp.Uncovered) []lsp.Uncovered {
	ctx, cancel := within(ctx, includeLimit, 0.75)
	defer cancel()
	return lsp.OutsideProject(ctx, s.Server, all)
}

// Unlisted warns of sources that can change the answer and that the server did not know when it was
// asked, because the project's own list or configuration leaves them out, or because they belong to no
// project. It comes behind [Include], which has shown the server those that are few enough. A source
// that was shown and has errors was read in part, so its reason is that it does not compile.
func Unlisted(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, method string, asked time.Time) {
	found := unlistedHolders(ctx, c, s, root, method, asked)
	switch {
	case s.Hooks().OutsideProject != nil:
		tell(c, s.ID(), ofNoProject(ctx, s, found), whyOutside(s))
		return
	case s.Spec().Build != nil:
		tell(c, s.ID(), found, whyOutside(s))
		return
	}
	for i, u := range found {
		if s.Diagnostics().HasErrors(u.Path) {
			found[i].Reason = lsp.NotCompiled
		}
	}
	broken, found := partition(found, lsp.NotCompiled)
	tell(c, s.ID(), broken, "")
	if len(found) > 0 {
		tell(c, s.ID(), found, fmt.Sprintf("%s of the project leaves %s out", s.Spec().Project.Files[0], them(found)))
	}
}

// them is the pronoun for sources in a message.
func them(all []lsp.Uncovered) string {
	if len(all) == 1 {
		return "it"
	}
	return "them"
}
