package loaded

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// The bounds of what is opened so that an answer has it: files, and time. What takes longer is there for the next
// answer, because it stays open.
const (
	MaxIncluded  = 32
	includeLimit = 15 * time.Second
)

// Include shows the server the sources that can change the answer and that the project's own list
// leaves out, where they are few. It reports whether the server has them now and had not when it was
// asked, so that asking again makes sense. A call that watches for reloads itself, as a dry run does, includes nothing.
func Include(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, path, method string, asked time.Time) bool {
	// A rename takes no uses of them, and [audit.Uses] finds these place by place.
	if method == lsp.MethodRename || c.SeesReloads() {
		return false
	}
	limit := includeLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch {
	case s.Hooks().Projects != nil:
		return !lsp.InOneProject(s.Server, method) && includeProjects(ctx, c, s, path)
	case s.Hooks().OutsideProject != nil:
		return false // what belongs to no project is in no answer, open or not
	}
	var files []string
	fresh := false
	// Fresh: at least one file was not known to the server when it answered. Otherwise a second answer would be the
	// same.
	for _, h := range unlistedHolders(ctx, c, s, root, method, asked) {
		files = append(files, h.Path)
		fresh = fresh || !s.Documents().HasSeen(h.Path, asked)
	}
	return fresh && len(files) <= MaxIncluded && s.Documents().Include(ctx, files)
}

// unlistedHolders are the sources that can change the answer and that the server did not know when it was asked,
// because the project's own list leaves them out. The steps go from cheap to dear: the list, the texts of the
// sources, then what the server sees in them.
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
	found := beyondAnswer(ctx, c, s, Holders(ctx, c, files))
	if len(found) == 0 || isConfined(ctx, c, s, found) {
		return nil
	}
	return found
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
	limit := includeLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return lsp.OutsideProject(ctx, s.Server, all)
}

// maxSeen bounds the places of one file with errors at which the server is asked what it sees.
const maxSeen = 20

// beyondAnswer leaves out files with errors that the server has parsed and where it made out each name that the
// answer is about: what is none of the answer is another symbol. Of the others it gives the first line where it did
// not. A file without errors is kept as it is.
func beyondAnswer(ctx context.Context, c *answer.Call, s *lsp.Snapshot,
	all []lsp.Uncovered) (out []lsp.Uncovered) {
	about := c.Subject()
	for _, h := range all {
		if !about.Any && (about.May != nil || len(about.Names) > 0) && s.Diagnostics().HasErrors(h.Path) {
			if h.Line = unseen(ctx, about, s, h.Path); h.Line == 0 {
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// unseen returns the first line of a file where the server does not see the symbol of a name that can
// change the answer; 0 for none, 1 for a file that cannot be read. A place beyond the bound, or behind
// the end of the time, counts as not seen.
func unseen(ctx context.Context, a answer.Subject, s *lsp.Snapshot, path string) int {
	text, err := source.Read(path)
	if err != nil {
		return 1
	}
	covered := symbol.CoveredBy(a.Places)
	asked, inside, block := 0, false, false
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if inside, block = lang.InBlock(path, line, block); inside || lang.IsFileDirective(line) {
			continue
		}
		for _, i := range lang.InCode(path, line, wordsIn(a, path, line)) {
			at := text.PositionAt(text.LineStart(n) + i)
			if covered(path, at) {
				continue
			}
			if asked++; asked > maxSeen || ctx.Err() != nil {
				return n
			}
			if check, err := s.CheckSymbol(ctx, path, at); err != nil || !check.Elsewhere(path, at) {
				return n
			}
		}
	}
	return 0
}

// wordsIn returns the offsets in a line of the words that can change the answer. For a search these are
// the words that the line declares and that the search would find.
func wordsIn(a answer.Subject, path, line string) (out []int) {
	if a.May == nil {
		for _, name := range a.Names {
			out = append(out, source.Occurrences(line, name)...)
		}
		return out
	}
	for i := 0; i < len(line); {
		from, to, ok := source.WordAround(line, i)
		if !ok || from < i {
			i++
			continue
		}
		if word := line[from:to]; lang.DeclaresAny(path, line, func(name string) bool {
			return name == word && a.May(name)
		}) {
			out = append(out, from)
		}
		i = to
	}
	return out
}

// Unlisted warns of sources that can change the answer and that the server did not know when it was
// asked, because the project's own list or configuration leaves them out, or because they belong to no
// project. It comes behind [Include], which has shown the server those that are few enough. A source
// that was shown and has errors was read in part, so its reason is that it does not compile.
func Unlisted(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root, method string, asked time.Time) {
	found := unlistedHolders(ctx, c, s, root, method, asked)
	switch {
	case s.Hooks().OutsideProject != nil:
		tell(c, s, ofNoProject(ctx, s, found), "", whyOutside(s))
		return
	case s.Spec().Build != nil:
		tell(c, s, found, "", whyOutside(s))
		return
	}
	for i, u := range found {
		if s.Diagnostics().HasErrors(u.Path) {
			found[i].Reason = lsp.NotCompiled
		}
	}
	broken, found := partition(found, lsp.NotCompiled)
	tell(c, s, broken, "such a name", "")
	if len(found) > 0 {
		tell(c, s, found, "", fmt.Sprintf("%s of the project leaves %s out", s.Spec().Project.Files[0], them(found)))
	}
}

// them is the pronoun for sources in a message.
func them(all []lsp.Uncovered) string {
	if len(all) == 1 {
		return "it"
	}
	return "them"
}
