package ask

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// WithoutPackage returns a name without the package that is its container. gopls 0.23 puts the package
// before the name where the query has it, and not otherwise.
func WithoutPackage(name, container string) string {
	for _, prefix := range []string{container + ".", path.Base(container) + "."} {
		if bare, ok := strings.CutPrefix(name, prefix); ok && bare != "" && strings.Contains(container, "/") {
			return bare
		}
	}
	return name
}

// wordFrom returns where word stands in a line, at a position or behind it.
func wordFrom(line string, at contract.Position, word string) (contract.Position, bool) {
	from := symbol.ByteOffset(line, at.Character)
	for _, i := range source.Occurrences(line, word) {
		if i >= from {
			return contract.Position{Line: at.Line, Character: utf8.RuneCountInString(line[:i]) + 1}, true
		}
	}
	return at, false
}

// noneSearches is the error where no server of the workspace offers workspace/symbol, or there is no
// server.
func noneSearches(ctx context.Context, c *answer.Call) error {
	there, err := WorkspaceRoutes(ctx, c, lsp.MethodDocumentSymbol)
	if err != nil || len(there) == 0 {
		return contract.Errorf(contract.KindNoServerForExtension, contract.Facts{"extension": ""},
			"no installed language server serves any file of this workspace")
	}
	id := there[0].Spec.ID
	return contract.Errorf(contract.KindRequestUnsupported,
		contract.Facts{"server_id": id, "method": lsp.MethodWorkspaceSymbol},
		"%s does not offer %s", id, lsp.MethodWorkspaceSymbol)
}

// Search asks the servers of the routes (nil: all that the workspace needs) for symbols at the same
// time, each with its own form of the query. A server that fails costs its part; only when all fail the
// search does.
func Search(ctx context.Context, c *answer.Call, query func(*spec.Spec) string,
	routes []router.Route) ([]symbol.SymbolHit, error) {
	return SearchBy(ctx, c, routes, func(ctx context.Context, s *lsp.Snapshot, r router.Route) ([]symbol.SymbolHit,
		error) {
		return SearchOne(ctx, c, s, r, query(r.Spec))
	})
}

// SearchBy is [Search] with the caller's own way to ask one server. An empty list of routes is an
// error: no server could know anything. one may run more than once for a route ([Route]). Hits come in
// the order of the servers and not of their answers, so that the same question has the same order each
// time.
func SearchBy(ctx context.Context, c *answer.Call, routes []router.Route,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	if routes == nil {
		var err error
		if routes, err = WorkspaceRoutes(ctx, c, lsp.MethodWorkspaceSymbol); err != nil {
			return nil, err
		}
	}
	if len(routes) == 0 {
		return nil, noneSearches(ctx, c)
	}
	servers := ByServer(routes)
	parts := make([][]symbol.SymbolHit, len(servers))
	errs := make([]error, len(servers))
	answer.Parallel(len(servers), 0, func(i int) {
		// One question for all roots of a process: the first route starts it, the further ones are made known to it.
		roots := servers[i]
		// Each goroutine writes only parts[i] and errs[i]; the call has a lock of its own.
		errs[i] = Route(ctx, c, roots[0], "", lsp.MethodWorkspaceSymbol,
			func(ctx context.Context, s *lsp.Snapshot) error {
				// The question may be asked again, and hits of a former attempt may be gone.
				parts[i] = nil
				if err := OpenRoots(ctx, c, s, roots[1:]); err != nil {
					return err
				}
				var err error
				// Such a server answers for one project at a time, so that it is asked once for each.
				if s.Hooks().SearchSymbols != nil && !roots[0].Unlisted() {
					parts[i], err = eachProject(ctx, c, s, roots, one)
				} else {
					parts[i], err = one(ctx, s, roots[0])
				}
				return err
			})
	})
	// The answer has the name of a server only when there is one.
	if len(servers) > 1 {
		c.AnsweredByMany()
	}
	var out []symbol.SymbolHit
	var first error
	failed := 0
	// Servers that ran out of time are told together in one warning, the others one by one.
	var late []string
	for i, err := range errs {
		if err != nil {
			failed++
			if first == nil {
				first = err
			}
			if id := servers[i][0].Spec.ID; len(servers) > 1 && TimedOut(err) {
				late = append(late, id)
			} else if len(servers) > 1 {
				// Its part is missing, which makes the answer partial and not wrong.
				PartFailed(c, id, err)
			}
			continue
		}
		out = append(out, parts[i]...)
	}
	if failed == len(servers) {
		return nil, first
	}
	EndedLate(c, late)
	return out, nil
}

// InHits returns a function that reports whether a file is among those of hits.
func InHits(hits []symbol.SymbolHit) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(hits, func(h symbol.SymbolHit) bool { return h.Sym.Place.Path == path })
	}
}

// ByServer groups routes that share a process, in their order.
func ByServer(routes []router.Route) [][]router.Route {
	var out [][]router.Route
	for _, r := range routes {
		i := slices.IndexFunc(out, func(of []router.Route) bool { return of[0].Key() == r.Key() })
		if i < 0 {
			i = len(out)
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// OpenRoots makes further roots known to a server that several share, and waits until they are loaded.
// When they are not loaded in time the answer gets a warning.
func OpenRoots(ctx context.Context, c *answer.Call, s *lsp.Snapshot, roots []router.Route) error {
	if len(roots) == 0 {
		return nil
	}
	for _, r := range roots {
		_, release, err := c.Servers.Get(ctx, r)
		if err != nil {
			return err
		}
		// To get the server for the root is what makes the root known. It is given back at once: the caller holds
		// it already.
		release()
		if path := s.Projects().SomeFile(r.Root); path != "" && s.Spec().Readiness.OpenFirst {
			if _, err := s.Documents().OpenDocument(ctx, path); err != nil {
				return err
			}
		}
	}
	if st := s.Ready(ctx, waitBudget(ctx, s.Server), nil); !st.Ready {
		w, _ := st.Warning(s.ID())
		c.AddWarning(w)
	}
	for _, r := range roots {
		WarnLoadFailed(ctx, c, s, r.Root)
	}
	return nil
}

// maxTurns is how often a project is asked again because another call has turned the server to its own
// project.
const maxTurns = 5

// eachProject asks a server that searches only the project of the last used file (tsserver) for each
// root in turn. A request about one of its files makes a project the current one.
func eachProject(ctx context.Context, c *answer.Call, s *lsp.Snapshot, roots []router.Route,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	var out []symbol.SymbolHit
	for _, r := range roots {
		found, err := InProjects(ctx, c, s, r.Root, r, one)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// InProjects asks about each project at a root, or about the project closest to a file.
func InProjects(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, r router.Route,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	files, err := members(ctx, c, s, path)
	if err != nil {
		return nil, err
	}
	var out []symbol.SymbolHit
	for _, file := range files {
		found, err := turnedTo(ctx, c, s, file, r, one)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// members returns one file of each project below root; some file where the server's hooks find no
// projects.
func members(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root string) ([]string, error) {
	files, sure, err := lsp.Members(ctx, s.Server, root)
	if err != nil {
		return nil, err
	}
	if !sure {
		c.Warn(contract.WarnUnlistedSources, contract.Facts{"server_id": s.ID(), "folder": c.Show(root)}, fmt.Sprintf(
			"lspi did not find every project below %s, so some files may be missing here; file_path selects a project",
			c.Show(root)))
	}
	if path := s.Projects().SomeFile(root); len(files) == 0 && path != "" { // of a file that is it
		files = []string{path}
	}
	return files, nil
}

// turnedTo asks about the project of a file. Calls at the same time may turn the server elsewhere
// before it answers; then it is asked again, up to maxTurns times.
func turnedTo(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, r router.Route,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	for turn := 1; ; turn++ {
		// That it fails does not matter unless the call is over.
		if err := s.Turn(ctx, path); err != nil && ctx.Err() != nil {
			return nil, err
		}
		found, err := one(ctx, s, r)
		// An empty list is also what typescript-language-server 6.0.2 makes of a search that tsserver gave up.
		again := len(found) == 0 && turn == 1
		if err != nil || s.Documents().Recent() == path && !again {
			return found, err
		}
		if turn == maxTurns {
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": c.Show(r.Root), "server_id": s.ID()},
				s.ID()+" was busy with other projects; "+c.Show(r.Root)+" may not have been searched")
			return found, nil
		}
	}
}

// PartFailed warns that one of several servers did not answer. A server that does not offer the request
// lowers nothing: it has nothing to add.
func PartFailed(c *answer.Call, serverID string, err error) {
	e := answer.AsError(err)
	kind := contract.WarnServerFailed
	if e.Kind == contract.KindRequestUnsupported {
		kind = contract.WarnNotOffered
	}
	c.Warn(kind, contract.Facts{"server_id": serverID, "error": e.Kind}, serverID+" did not answer: "+e.Message)
}

// SearchOne asks one server for symbols (workspace/symbol), and warns where the server may have cut its
// list.
func SearchOne(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, query string) ([]symbol.SymbolHit,
	error) {
	found, limited, err := SearchPart(ctx, c, s, r, query)
	if limited {
		WarnSearchLimit(c, s, len(found))
	}
	return found, err
}

// WarnSearchLimit warns that a server may have cut its list of so many symbols.
func WarnSearchLimit(c *answer.Call, s *lsp.Snapshot, found int) {
	c.Warn(contract.WarnServerLimit, contract.Facts{"method": lsp.MethodWorkspaceSymbol, "limit": found},
		s.ID()+" gives no more symbols than these; a longer query narrows the search")
}

// SearchPart is [SearchOne] for a caller who sees to the rest where the server may have cut its list.
func SearchPart(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, query string) (
	out []symbol.SymbolHit, limited bool, err error) {
	began := time.Now()
	found, limited, err := s.WorkspaceSymbols(ctx, query)
	if err != nil {
		return nil, false, err
	}
	if time.Since(began) >= loaded.ExternalTime {
		c.ChangeSubject(func(about *answer.Subject) { about.Slow = true })
	}
	external := loaded.OfExternal(s)
	out = make([]symbol.SymbolHit, 0, len(found))
	own, trees := LinkedTree(c, filepath.Join(r.Root, "_")), map[string]string{} // by folder
	for _, f := range found {
		if external(f.Place.Path, time.Now()) {
			c.ChangeSubject(func(about *answer.Subject) { about.Unsent = true })
		}
		dir := filepath.Dir(f.Place.Path)
		if _, known := trees[dir]; !known {
			trees[dir] = LinkedTree(c, f.Place.Path)
		}
		if trees[dir] != own {
			continue
		}
		// Before anything compares names: the same symbol would have two with two queries.
		f.Name = WithoutPackage(f.Name, f.Container)
		out = append(out, symbol.SymbolHit{Sym: f, Route: r})
		c.RememberNamed(f.Place, r)
	}
	return out, limited, nil
}

// Unindexed reports whether a server lists the symbols of no file of a root but those that it was shown: it lacks the
// project file that says which there are.
func Unindexed(s *lsp.Snapshot, r router.Route) bool {
	p := r.Spec.Project
	return r.Unlisted() || p != nil && p.AnswersWithout() && s.Projects().Folder(r.Root) == ""
}

// LinkedTree is the linked working tree of git below the workspace that holds a path; "" for any other. Such a tree is
// another copy of the code, which a server has that was asked about one of its files.
func LinkedTree(c *answer.Call, path string) string {
	root := c.Workspace.Table.RootOf(path)
	if root == "" {
		return ""
	}
	if tree := source.WorkingTree(c.Workspace.Process.Files, path, root); tree != root {
		return tree
	}
	return ""
}

// maxShapedFiles bounds the files whose symbols are asked for to complete the hits of a search.
const maxShapedFiles = 24

// Shaped completes hits from the outlines of their files: scope, exact kind and detail, which
// workspace/symbol often lacks. It returns a copy in the same order. Known stays nil for hits in files
// beyond the bound and for those that are not wanted; it is set for all others, also where the outline
// tells no more.
func Shaped(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit,
	wanted func(symbol.SymbolHit) bool) []symbol.SymbolHit {
	out := slices.Clone(hits)
	byFile := map[string][]int{}
	var files []string
	for i, h := range out {
		path := h.Sym.Place.Path
		// A file that is asked about anyway completes all of its hits; only further files are bounded.
		if h.Sym.NoRange || h.Sym.Place.Err != nil || !wanted(h) || byFile[path] == nil &&
			len(files) == maxShapedFiles {
			continue
		}
		if byFile[path] == nil {
			files = append(files, path)
		}
		byFile[path] = append(byFile[path], i)
	}
	for _, path := range files {
		all, err := fileSymbols(ctx, c, out[byFile[path][0]].Route, path)
		if err != nil {
			continue // the answer does without
		}
		for _, i := range byFile[path] {
			shape(c, &out[i], all)
			if out[i].Known == nil {
				out[i].Known = out[i].Parts()
			}
		}
	}
	return out
}

// shape completes one hit from the symbol whose name stands at the same place. It does not go by the
// name: several symbols of a file may have the same.
func shape(c *answer.Call, h *symbol.SymbolHit, all []symbol.Named) {
	at := NameAt(c, *h)
	for _, n := range all {
		if n.Sym.NameAt.Start == at || n.Sym.NameAt.Start == h.Sym.Place.Range.Start {
			h.Known, h.Detail, h.Sym.Kind, h.Local = n.Parts, n.Sym.Detail, n.Sym.Kind, n.Local
			return
		}
	}
}

// fileSymbols returns the symbols of one file at the server that named it, which is ready and
// synchronised by then; nil when it offers no outlines.
func fileSymbols(ctx context.Context, c *answer.Call, r router.Route, path string) ([]symbol.Named, error) {
	// Asked for anew, because the search has given its server back.
	s, release, err := c.Servers.Get(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	if !s.Offers(lsp.MethodDocumentSymbol) {
		return nil, nil
	}
	symbols, _, err := s.Unverified().DocumentSymbols(ctx, path)
	return symbol.Flatten(symbols, nil, nil), err
}

// NameAt returns where the name of a hit stands. Servers give the range of the name, of the whole
// declaration, or only the file. Where the name is not found it is the beginning of what the server
// gave. The line that came with the hit is looked at before the file, so most hits need no reading.
func NameAt(c *answer.Call, h symbol.SymbolHit) contract.Position {
	at := h.Sym.Place.Range.Start
	word := symbol.LastComponent(h.Sym.Name)
	last := min(h.Sym.Place.Range.End.Line, at.Line+maxNameLines)
	if h.Sym.Kind == "file" || h.Sym.Kind == "package" { // the whole file, which is nowhere named in it
		return at
	}
	if h.Sym.NoRange {
		at, last = contract.Position{Line: 1, Character: 1}, 1<<30
	} else if found, ok := wordFrom(h.Sym.Place.Line, at, word); ok {
		return found
	}
	text, err := c.Workspace.Text(h.Sym.Place.Path)
	if err != nil {
		return at
	}
	for n := at.Line; n <= min(last, text.Lines()); n++ {
		from := contract.Position{Line: n, Character: 1}
		if n == at.Line {
			from = at
		}
		if found, ok := wordFrom(text.Line(n), from, word); ok {
			return found
		}
	}
	return at
}

// maxNameLines is how many lines below the beginning of a declaration its name is looked for:
// attributes and comments may stand before it.
const maxNameLines = 40
