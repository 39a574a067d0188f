package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// The bounds of what is opened so that an answer has it. What takes longer is there for the next answer: it stays open.
const (
	maxIncluded  = 32
	includeLimit = 15 * time.Second
)

// include shows the server the sources that can change the answer and that the project's own list leaves out, where they are
// few. It reports whether the server has them now and had not when it was asked, so that asking again makes sense.
func include(ctx context.Context, c *Call, r router.Route, path, method string, o outcome) bool {
	if o.err != nil || o.server == nil || !c.ofWholeProject(method) || c.isTrial() {
		return false
	}
	limit := includeLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if b := o.server.Spec().Build; b != nil && !b.Opens {
		return !slices.Contains(b.OneProject, method) && includeProjects(ctx, c, o.server, path)
	}
	var files []string
	fresh := false
	for _, h := range unlistedHolders(ctx, c, o.server, r.Root, method, o.asked) {
		files = append(files, h.path)
		fresh = fresh || !lsp.HadParsed(o.server, h.path, o.asked)
	}
	return fresh && len(files) <= maxIncluded && lsp.Include(ctx, o.server, files)
}

// unlistedHolders are the sources that can change the answer and that the server did not know when it was asked, because the
// project's own list leaves them out.
func unlistedHolders(ctx context.Context, c *Call, s *lsp.Server, root, method string, asked time.Time) []holder {
	files := adapter.Unlisted(ctx, s, root, method, asked)
	if len(files) == 0 {
		return nil
	}
	if s.Spec().Build != nil {
		return outsideBuild(ctx, c, s, method, c.holders(ctx, files))
	}
	if s.Spec().Project.Macros {
		c.macros(ctx, c.sources(s, root))
	}
	found := beyondAnswer(ctx, c, s, c.holders(ctx, files))
	if len(found) == 0 || c.isConfined(ctx, s, found) {
		return nil
	}
	return found
}

// outsideBuild are those of the sources that may hold what the answer lacks. Where the server has to be asked what belongs to a
// project, all are that do not have a place in the answer: [ofNoProject] asks.
func outsideBuild(ctx context.Context, c *Call, s *lsp.Server, method string, all []holder) []holder {
	switch {
	case s.Spec().Build.Rules == lsp.BuildModules:
	case method == lsp.MethodRename:
		return withUses(ctx, c, s, all)
	default:
		return all
	}
	c.mu.Lock()
	read := inPlaces(slices.Clone(c.subject.places))
	c.mu.Unlock()
	return slices.DeleteFunc(all, func(h holder) bool { return read(h.path) })
}

// ofNoProject are those of sources of which the server says that they belong to no project, and those about which it does not tell
// in time. A server that answers others meanwhile may take seconds for the first.
func ofNoProject(ctx context.Context, s *lsp.Server, all []holder) (outside, untold []holder) {
	limit := includeLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	paths := make([]string, len(all))
	for i, h := range all {
		paths[i] = h.path
	}
	no, unknown := adapter.OfNoProject(ctx, s, paths)
	for _, h := range all {
		switch {
		case slices.Contains(no, h.path):
			outside = append(outside, h)
		case slices.Contains(unknown, h.path):
			untold = append(untold, h)
		}
	}
	return outside, untold
}

// withUses are those of sources in which the server finds uses of what is renamed. Its edit does not take these, but its references
// have them when all of the sources are open (pyright 1.1.414); before that each that holds the name may have some.
func withUses(ctx context.Context, c *Call, s *lsp.Server, all []holder) []holder {
	c.mu.Lock()
	at := slices.Clone(c.subject.at)
	c.mu.Unlock()
	if len(all) == 0 || len(at) != 1 || slices.ContainsFunc(all, func(h holder) bool { return !lsp.HadParsed(s, h.path, time.Now()) }) {
		return all
	}
	places, err := s.References(ctx, at[0].path, at[0].at, true)
	if err != nil {
		return all
	}
	used := inPlaces(places)
	return slices.DeleteFunc(all, func(h holder) bool { return !used(h.path) })
}

// maxSeen bounds the places of one file with errors at which the server is asked what it sees.
const maxSeen = 20

// beyondAnswer leaves out files with errors that the server has parsed and where it made out each name that the answer is about:
// what is none of the answer is another symbol. Of the others it gives the first line where it did not.
func beyondAnswer(ctx context.Context, c *Call, s *lsp.Server, all []holder) (out []holder) {
	c.mu.Lock()
	about := c.subject
	about.names, about.places = slices.Clone(about.names), slices.Clone(about.places)
	c.mu.Unlock()
	for _, h := range all {
		if !about.any && (about.may != nil || len(about.names) > 0) && lsp.HasErrors(s, h.path) {
			if h.line = about.unseen(ctx, s, h.path); h.line == 0 {
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// unseen is the first line of a file where the server does not see the symbol of a name that can change the answer; 0 when there
// is none.
func (a subject) unseen(ctx context.Context, s *lsp.Server, path string) int {
	text, err := source.Read(path)
	if err != nil {
		return 1
	}
	covered := coveredBy(a.places)
	asked, inside, block := 0, false, false
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if inside, block = lang.InBlock(path, line, block); inside || included.MatchString(line) {
			continue
		}
		for _, i := range lang.InCode(path, line, a.wordsIn(path, line)) {
			at := text.PositionAt(text.LineStart(n) + i)
			if covered(path, at) {
				continue
			}
			if asked++; asked > maxSeen || ctx.Err() != nil {
				return n
			}
			if sight, err := s.See(ctx, path, at); err != nil || !sight.Elsewhere(path, at) {
				return n
			}
		}
	}
	return 0
}

// wordsIn are the offsets in a line of the words that can change the answer.
func (a subject) wordsIn(path, line string) (out []int) {
	if a.may == nil {
		for _, name := range a.names {
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
		if word := line[from:to]; lang.DeclaresAny(path, line, func(name string) bool { return name == word && a.may(name) }) {
			out = append(out, from)
		}
		i = to
	}
	return out
}

// unlisted says which sources that can change the answer the server did not know when it was asked, because the project's own
// list leaves them out.
func unlisted(ctx context.Context, c *Call, s *lsp.Server, root, method string, asked time.Time) {
	found := unlistedHolders(ctx, c, s, root, method, asked)
	if b := s.Spec().Build; b != nil {
		if b.Rules == lsp.BuildModules {
			var untold []holder
			if found, untold = ofNoProject(ctx, s, found); len(untold) > 0 {
				c.warnHolders(contract.WarnUnlistedSources, contract.Facts{}, untold, fmt.Sprintf(
					"%s could not be asked in time about files that hold such a name, the first at %s; one that belongs to no project was not read", s.ID(), untold[0].show(c)))
				c.step(c.repeat("Repeat the call; the server goes on working meanwhile.", nil))
			}
		}
		if len(found) > 0 {
			c.warnHolders(contract.WarnUnlistedSources, contract.Facts{}, found, fmt.Sprintf("%s not read, because %s", c.such(found), b.Why))
		}
		return
	}
	var broken []holder
	found = slices.DeleteFunc(found, func(h holder) bool {
		errors := lsp.HasErrors(s, h.path)
		if errors {
			broken = append(broken, h)
		}
		return errors
	})
	if len(broken) > 0 {
		notCompiled(c, s, broken, "such a name", couldNotCompile)
	}
	if len(found) == 0 {
		return
	}
	c.warnHolders(contract.WarnUnlistedSources, contract.Facts{}, found, fmt.Sprintf("%s not read, because %s of the project leaves %s out",
		c.such(found), s.Spec().Project.Files[0], them(found)))
}

func them(all []holder) string {
	if len(all) == 1 {
		return "it"
	}
	return "them"
}
