package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/everywhere"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// searchWorkspaceSymbolsIn says what is searched and how (Match), among which kinds and paths, and at
// which servers: that of FilePath, that with ServerID, or all that the workspace needs. WaitMS is the
// time for servers, in milliseconds.
type searchWorkspaceSymbolsIn struct {
	Query      string   `json:"query" required:"true"`
	Match      string   `json:"match" default:"fuzzy" enum:"fuzzy,exact,regex"`
	Kinds      []string `json:"kinds"`
	Path       string   `json:"path"`
	FilePath   string   `json:"file_path"`
	ServerID   string   `json:"server_id"`
	MaxResults int      `json:"max_results" default:"25" min:"1" max:"200"`
	Offset     int      `json:"offset" default:"0" min:"0"`
	WaitMS     int      `json:"wait_ms" min:"100"`
	Scope      string   `json:"scope"`
	answer.Caps
}

// GivenFile is the argument file_path; "" for none.
func (in searchWorkspaceSymbolsIn) GivenFile() string { return in.FilePath }

// searchWorkspaceSymbolsOut is a window on the hits. Weaker counts matches that only a server could
// explain and that were left out beside better ones, Built those in declarations that a build wrote.
type searchWorkspaceSymbolsOut struct {
	Total    int      `json:"total"`
	Returned int      `json:"returned"`
	Weaker   int      `json:"weaker,omitempty"`
	Built    int      `json:"built,omitempty"`
	Symbols  []string `json:"symbols" pattern:"^.+:\\d+ (generated )?[a-z_]+ .+$"`

	// Everywhere is what a search engine finds in other repositories; nil unless the scope asks for it.
	Everywhere *everywhere.Found `json:"everywhere,omitempty" schema:"-"`

	found      []foundSymbol
	offset     int
	unfinished bool // a server still loads, or did not answer in time
	terse      bool // without signatures
}

// foundSymbol is one symbol of the workspace or of what it depends on, as it is shown.
type foundSymbol struct{ place, text, signature string }

// maxHovered is the longest list whose functions are asked for their signatures: a short answer is about these symbols.
// In a longer one the code of the declarations tells.
const maxHovered = 5

// searchWorkspaceSymbols searches symbols by name in the whole workspace: workspace/symbol at every
// server that may know the name, with one meaning of the query at all of them ([resolve.Question]).
var searchWorkspaceSymbols = alwaysLoaded(define("search_workspace_symbols", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn) (*searchWorkspaceSymbolsOut, error) {
		if err := in.Check(); err != nil {
			return nil, err
		}
		others, err := everywhere.Ask(ctx, c, in.Scope, everywhere.DeclarationsOf(everywhere.Name(in.Query)))
		if err != nil {
			return nil, err
		}
		out, err := searchHere(ctx, c, in)
		if err != nil {
			return nil, err
		}
		out.Everywhere = others
		return out, nil
	}, lsp.MethodWorkspaceSymbol))

// searchHere is the search of the workspace itself.
var searchHere = orIndex(
	func(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn) (*searchWorkspaceSymbolsOut, error) {
		q, err := in.question()
		if err != nil {
			return nil, err
		}
		if err := pathLeads(c, "path", in.Path, false); err != nil {
			return nil, err
		}
		hits, err := searchWithin(ctx, c, in, q)
		if err != nil {
			return nil, err
		}
		// First what matches, then the order, and only then the window: its signatures and scopes are asked for,
		// not those of all hits.
		hits = c.Inside(own(c, in, kept(ctx, c, in, q.Keep(ctx, c, resolve.Unique(hits)))))
		if err := pathLeads(c, "path", in.Path, len(hits) == 0); err != nil {
			return nil, err
		}
		all := len(hits)
		hits = q.Order(c, ask.Shaped(ctx, c, hits, q.MayBeLocal))
		good := len(hits)
		// After the order, so that the source of a declaration is preferred as the order has it.
		hits = resolve.WithoutTwins(hits)
		out := &searchWorkspaceSymbolsOut{Total: len(hits), Weaker: all - good, Built: good - len(hits),
			offset: in.Offset, unfinished: ask.SearchUnfinished(c)}
		from := min(in.Offset, len(hits))
		to := min(from+in.MaxResults, len(hits))
		shown := ask.Shaped(ctx, c, hits[from:to], worthShaping)
		for _, h := range shown {
			out.found = append(out.found, shownSymbol(c, h))
		}
		if len(out.found) <= maxHovered {
			signed(ctx, c, shown, out.found)
		}
		signedByText(c, shown, out.found)
		if more := len(hits) - to; more > 0 {
			c.Leaves(out.Total, to-from, more, out.Next(c, to-from))
		}
		return out, nil
	}, searchByIndex)

// searchByIndex searches symbols where no server does.
func searchByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in searchWorkspaceSymbolsIn) (
	*searchWorkspaceSymbolsOut, error) {
	what, err := in.question()
	if err != nil {
		return nil, err
	}
	match := what.MayMean
	if in.Match == "regex" { // qualified names are held against the expression below
		match = func(string) bool { return true }
	}
	hits, err := q.Search(ctx, symbol.LastComponent(in.Query), match)
	if err != nil {
		return nil, err
	}
	hits = what.Order(c, kept(ctx, c, in, what.Keep(ctx, c, resolve.Unique(hits))))
	out := &searchWorkspaceSymbolsOut{Total: len(hits), offset: in.Offset}
	from := min(in.Offset, len(hits))
	to := min(from+in.MaxResults, len(hits))
	for _, h := range hits[from:to] {
		out.found = append(out.found, shownSymbol(c, h))
	}
	scope := indexed.Scope{}
	if in.Match == "exact" {
		scope.Word = symbol.LastComponent(in.Query)
	}
	q.Conclude(ctx, scope)
	if more := len(hits) - to; more > 0 {
		c.Leaves(out.Total, to-from, more, out.Next(c, to-from))
	}
	return out, nil
}

// signaturePatience bounds the time of asking for the signatures of a search that is finished but for them. Tests
// have more patience.
var signaturePatience = 500 * time.Millisecond

// signed completes the functions of a short answer with the signatures of their hovers: only some
// servers put them into symbols (not pyright, clangd and typescript-language-server). What a server
// does not say in time is left out.
func signed(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit, found []foundSymbol) {
	ctx, cancel := context.WithTimeout(ctx, signaturePatience)
	defer cancel()
	at := make([]contract.Position, len(hits))
	for i, h := range hits {
		at[i] = ask.NameAt(c, h)
	}
	answer.Parallel(len(hits), 0, func(i int) {
		h := hits[i]
		if found[i].signature != "" || !symbol.IsCode(h.Sym.Kind) || h.Sym.Place.Err != nil {
			return
		}
		s, release, err := c.Servers.Get(ctx, h.Route)
		if err != nil {
			return
		}
		defer release()
		// A server that has to parse the file first (clangd) would not answer in time, and the next call would wait
		// for it.
		if !s.Offers(lsp.MethodHover) {
			return
		}
		if h.Route.Spec.Freshness.Open {
			if anew, err := s.Documents().Outdated(ctx, []string{h.Sym.Place.Path}); err != nil || len(anew) > 0 {
				return
			}
		}
		if said, err := s.Unverified().Hover(ctx, h.Sym.Place.Path, at[i]); err == nil && said != nil {
			text := hoverKind.ReplaceAllString(resolve.OneLine(splitHover(said.Text, said.Markdown).signature), "")
			if len([]rune(text)) <= maxSignature {
				found[i].signature = text
			}
		}
	})
}

// signedByText completes the functions that have no signature yet by the heads of their declarations.
func signedByText(c *answer.Call, hits []symbol.SymbolHit, found []foundSymbol) {
	for i, h := range hits {
		if found[i].signature != "" || !symbol.IsCode(h.Sym.Kind) || h.Sym.Place.Err != nil {
			continue
		}
		text, err := c.Workspace.Text(h.Sym.Place.Path)
		if err != nil {
			continue
		}
		body := "{"
		if rules := h.Route.Spec.Dynamic; rules != nil {
			body = rules.Body
		}
		if at, err := text.Offset(ask.NameAt(c, h)); err == nil {
			found[i].signature = answer.CutText(overlay.HeadOf(text, at, overlay.Function, body), maxSignature)
		}
	}
}

// hoverKind is the kind of a symbol that some servers put before its declaration: "(method) ".
var hoverKind = source.LazyRegexp(`^\([a-z ]+\) `)

// maxSignature is the longest signature that a search shows, in code points.
const maxSignature = 200

// searchPatience is how long a search that has found something waits for further servers. Tests have less.
var searchPatience = 5 * time.Second

// searchWithin is [searchPicked] within the time that the call gives the servers (wait_ms), or where it gives none
// within [searchPatience], and as long as the call may take where nothing was found by then: that a project loads is no
// answer. Servers that need more, mostly because they are loading, go on behind the answer, which is partial.
func searchWithin(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn,
	q resolve.Question) ([]symbol.SymbolHit, error) {
	patience := cmp.Or(time.Duration(in.WaitMS)*time.Millisecond, searchPatience)
	before := c.Checkpoint()
	hits, err, late := searchFor(ctx, c, in, q, patience)
	if late && len(hits) == 0 && in.WaitMS == 0 {
		c.Restore(before)
		patience = answer.LongWait * time.Millisecond
		hits, err, late = searchFor(ctx, c, in, q, patience)
	}
	if !late {
		return hits, err
	}
	// The only server that was asked did not answer: that is an empty partial answer, and no error.
	if err != nil && ask.TimedOut(err) {
		id, _ := answer.AsError(err).Facts["server_id"].(string)
		ask.EndedLate(c, []string{cmp.Or(id, "the server")})
		err = nil
	}
	if patience < answer.LongWait*time.Millisecond {
		c.Step(c.Repeat("Or give the servers more time.", map[string]any{"wait_ms": answer.LongWait}))
	}
	return hits, err
}

// searchFor is [searchPicked] within a time; late reports whether that was over before the call was.
func searchFor(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn, q resolve.Question,
	patience time.Duration) (hits []symbol.SymbolHit, err error, late bool) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	hits, err = searchPicked(within, c, in, q)
	return hits, err, within.Err() != nil && ctx.Err() == nil
}

// Check refuses arguments that contradict each other, before any server is started.
func (in searchWorkspaceSymbolsIn) Check() error {
	if in.FilePath != "" && in.ServerID != "" {
		return answer.Invalid("server_id", "cannot be given together with file_path: each of them selects the servers")
	}
	_, err := in.question()
	return err
}

// searchPicked asks the servers that the arguments pick, or all that the workspace needs. Only for an exact name
// can the files of the workspace tell which servers may know it; any other query goes to all of them.
func searchPicked(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn,
	q resolve.Question) ([]symbol.SymbolHit, error) {
	// Sources outside of the asked path cannot be missing from the answer, so that nothing is said of them.
	matches := answer.PathMatcher(c, in.Path)
	wanted := func(path string) bool { return in.Path == "" || matches(path) }
	may := q.MayDeclare()
	c.ChangeSubject(func(about *answer.Subject) {
		about.May, about.Paths, about.Path = may, q.Match == "regex" && q.Tail == "", wanted
	})
	one := func(ctx context.Context, s *lsp.Snapshot, r router.Route) ([]symbol.SymbolHit, error) {
		hits, err := q.Ask(ctx, c, s, r)
		if err == nil {
			loaded.Excluded(ctx, c, s, "", ask.InHits(hits), func(path string, m *lang.Mentions) bool {
				return wanted(path) && loaded.Declaring(q.MayMean)(path, m)
			})
		}
		if kind := s.Hooks().OpenMacroKind; err == nil && kind != "" &&
			(len(in.Kinds) == 0 || slices.Contains(in.Kinds, string(kind))) {
			hits = resolve.OpenMacros(ctx, c, s, r, q, wanted, hits)
		}
		if err == nil && len(hits) == 0 {
			audit.DeclaredUnbuilt(ctx, c, s, in.Query, wanted)
		}
		return hits, err
	}
	switch {
	case in.FilePath != "":
		return searchAtFile(ctx, c, in.FilePath, one)
	// All roots of that server, also where it is not the first choice: the host has asked for it.
	case in.ServerID != "":
		routes, err := routesOf(ctx, c, in.ServerID)
		if err != nil {
			return nil, err
		}
		return ask.SearchBy(ctx, c, routes, one)
	}
	// No server is named: the files of the workspace decide whom to ask.
	w, err := ask.Survey(ctx, c, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return nil, err
	}
	word := ""
	if len(w.Roots) > 0 && q.Match == "exact" {
		word = resolve.FileWord(q.Want)
	}
	if len(w.Roots) > 0 {
		resolve.Unserved(ctx, c, w)
	}
	// Of an expression on the whole name no word tells.
	if word == "" && (q.Match == "exact" || q.Match == "regex") {
		return ask.SearchBy(ctx, c, w.Pick(ctx, func(*ask.RootFiles) bool { return true }), one)
	}
	if word == "" {
		return resolve.SearchMatching(ctx, c, w, q, one)
	}
	hits, err := resolve.SearchNamed(ctx, c, w, q.Want, one, func(hits []symbol.SymbolHit) bool {
		return len(resolve.ExactHits(ctx, c, hits, q.Want)) > 0
	})
	if err != nil || len(resolve.ExactHits(ctx, c, hits, q.Want)) > 0 {
		return hits, err
	}
	inherited, err := resolve.Inherited(ctx, c, w, q.Want)
	return append(hits, inheritedHits(c, q, inherited)...), err
}

// inheritedHits returns members as hits of the name by which a type inherits them.
func inheritedHits(c *answer.Call, q resolve.Question, members []resolve.Member) (out []symbol.SymbolHit) {
	for _, m := range members {
		routes, err := c.Routes(m.Path)
		if err != nil || len(routes) == 0 {
			continue
		}
		c.AddWarning(*resolve.InheritedWarning(q.Text, m.Shown))
		text, err := c.Workspace.Text(m.Path)
		if err != nil {
			continue
		}
		place := lsp.Place{Path: m.Path, Range: contract.Range{Start: m.At, End: m.At}, Line: text.Line(m.At.Line),
			Generated: text.Generated()}
		out = append(out, symbol.SymbolHit{Route: routes[0], Known: m.Sym.Parts, Detail: m.Sym.Sym.Detail,
			Inherited: true,
			Sym:       lsp.WorkspaceSymbol{Name: m.Name, Kind: m.Sym.Sym.Kind, Place: place}})
	}
	return out
}

// searchAtFile asks the first server for a file that can answer.
func searchAtFile(ctx context.Context, c *answer.Call, given string,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	path, err := c.Path(given)
	if err != nil {
		return nil, err
	}
	var hits []symbol.SymbolHit
	err = ask.File(ctx, c, path, lsp.MethodWorkspaceSymbol, func(ctx context.Context, s *lsp.Snapshot) error {
		r := c.Workspace.Pool.RouteTo(s.Server)
		routes, err := c.Routes(path)
		// Of several roots of the process, that of the file.
		i := slices.IndexFunc(routes, func(one router.Route) bool { return one.Spec.ID == r.Spec.ID })
		if err == nil && i >= 0 {
			r.Root = routes[i].Root
		}
		// The file says which project is meant, and the server may be turned to another one by then.
		if s.Hooks().SearchSymbols != nil {
			hits, err = ask.InProjects(ctx, c, s, path, r, one)
		} else {
			hits, err = one(ctx, s, r)
		}
		return err
	})
	return hits, err
}

// routesOf returns the roots that a server has in the workspace, at least one, also where another
// server would be preferred. The error is that of an id which no server has, or whose server serves no
// file here.
func routesOf(ctx context.Context, c *answer.Call, id string) ([]router.Route, error) {
	spec, err := c.Workspace.Table.Server(id)
	if err != nil {
		return nil, err
	}
	w, err := ask.WalkWorkspace(ctx, c, lsp.MethodWorkspaceSymbol, spec)
	if err == nil && len(w.Routes) == 0 {
		err = answer.Invalid("server_id", "names %s, which serves no file of this workspace", id)
	}
	if err != nil {
		return nil, err
	}
	return w.Routes, nil
}

// worthShaping reports whether the symbols of a hit's file complete it at little cost: at servers that
// read closed files; and for members without a scope, which say nothing by themselves.
func worthShaping(h symbol.SymbolHit) bool {
	if h.Route.Spec.Freshness.QueryClosed {
		return true
	}
	member := h.Sym.Kind == "method" || h.Sym.Kind == "property" || h.Sym.Kind == "field" || h.Sym.Kind == "enum_member"
	return member && len(h.Parts()) == 1
}

// kept returns the hits of the kinds and paths that were asked for.
func kept(ctx context.Context, c *answer.Call, in searchWorkspaceSymbolsIn,
	hits []symbol.SymbolHit) []symbol.SymbolHit {
	if in.Path != "" {
		matches := answer.PathMatcher(c, in.Path)
		hits = slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return !matches(h.Sym.Place.Path) })
	}
	if len(in.Kinds) == 0 {
		return hits
	}
	if slices.Contains(in.Kinds, "method") != slices.Contains(in.Kinds, "function") {
		hits = ask.Shaped(ctx, c, hits, func(h symbol.SymbolHit) bool {
			return h.Sym.Kind == "function" && h.Route.Spec.Symbols.MethodsAreFunctions
		})
	}
	return slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return !slices.ContainsFunc(in.Kinds, h.IsKind) })
}

// own returns the hits of the workspace; those of dependencies where it has none, or where a path asks
// for them. Which symbols of dependencies a server knows is often a matter of time: clangd indexes the
// standard library some time after a file was opened, without a sign.
func own(c *answer.Call, in searchWorkspaceSymbolsIn, hits []symbol.SymbolHit) []symbol.SymbolHit {
	// A path that leads outside is a wish to see what is there.
	if in.Path != "" || !slices.ContainsFunc(hits, func(h symbol.SymbolHit) bool { return resolve.Inside(c, h) }) {
		return hits
	}
	return slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return !resolve.Inside(c, h) })
}

// pathLeads is the error for a path of the workspace at which nothing is: an empty answer would not say
// so. It looks at what comes before the first wildcard, and does not judge a wildcard or a path
// outside. Whether a bare name is that of any file is looked up only when no symbol was found (none):
// servers know ignored files, too.
func pathLeads(c *answer.Call, argument, glob string, none bool) error {
	glob = strings.TrimSuffix(strings.TrimPrefix(glob, "./"), "/")
	if glob == "" || c.Workspace.Root == "" || path.IsAbs(glob) {
		return nil
	}
	at := c.Workspace.Root
	parts := strings.Split(glob, "/")
	roots := c.Workspace.InRoots(parts[0])
	switch {
	case len(roots) > 0 && len(parts) == 1, len(roots) > 1:
		return nil
	case len(roots) == 1:
		at, parts = roots[0], parts[1:]
	}
	for _, part := range parts {
		if part == ".." || strings.ContainsAny(part, `*?[{\`) {
			return nil
		}
		_, err := os.Lstat(path.Join(at, part))
		switch {
		case !errors.Is(err, fs.ErrNotExist):
		case len(parts) > 1 || len(roots) > 0:
			return answer.Invalid(argument, "leads nowhere: there is no %s in %s", part, c.Folder(at))
		case none && !answer.HasFile(c, part): // a name alone means such files in any folder
			return answer.Invalid(argument, "is the name of no file that lspi follows in the workspace: %s", part)
		}
		at = path.Join(at, part)
		if ask.LinkedTree(c, path.Join(at, "_")) == at {
			c.Step(contract.NextStep{Kind: contract.StepDoc,
				Message: "Ask about a file of it by file_path, or start lspi there."})
			return answer.Invalid(argument,
				"leads into %s, a working tree of git of its own, which is no part of this workspace", c.Show(at))
		}
	}
	return nil
}

// shownSymbol returns a hit as it is shown: the place, the kind, and a name that works as symbol_name.
func shownSymbol(c *answer.Call, h symbol.SymbolHit) foundSymbol {
	name := h.Sym.Name
	// A container with a slash is the package, which the path tells.
	if h.Known != nil || !strings.Contains(h.Sym.Container, "/") {
		name = h.Qualified()
	}
	mark := ""
	if answer.IsGenerated(c, h.Sym.Place.Path, h.Sym.Place.Generated) {
		mark = generatedMark
	}
	out := foundSymbol{place: fmt.Sprintf("%s:%d", c.Show(h.Sym.Place.Path), ask.NameAt(c, h).Line)}
	out.text = fmt.Sprintf("%s %s%s %s", out.place, mark, h.Sym.Kind, resolve.OneLine(name))
	if symbol.IsCode(h.Sym.Kind) && len([]rune(h.Detail)) <= maxDetail && !strings.Contains(h.Detail, "\n") {
		out.signature = h.Detail
	}
	return out
}

// shown returns the symbol, with its signature unless terse.
func (f foundSymbol) shown(terse bool) string {
	if f.signature == "" || terse {
		return f.text
	}
	return f.text + ": " + f.signature
}

// Summary begins with that the search is not finished, where it is not: "no symbol matches" would be
// taken for an answer.
func (o searchWorkspaceSymbolsOut) Summary() string {
	text := answer.Counted(o.Total, "matching symbol")
	switch {
	case o.unfinished:
		text = "The search is not finished; repeat it. So far: " + text
	case o.Total == 0:
		return "No symbol matches."
	}
	if len(o.found) < o.Total {
		text += fmt.Sprintf(", %d shown", len(o.found))
	}
	if o.Weaker > 0 {
		text += fmt.Sprintf("; %d weaker ones left out", o.Weaker)
	}
	return text + "."
}

// MarshalJSON writes the symbols that are left.
func (o searchWorkspaceSymbolsOut) MarshalJSON() ([]byte, error) {
	type plain searchWorkspaceSymbolsOut
	o.Symbols, o.Returned = []string{}, len(o.found)
	for _, f := range o.found {
		o.Symbols = append(o.Symbols, f.shown(o.terse))
	}
	return contract.Marshal(plain(o))
}

// ShedSnippets drops the signatures.
func (o *searchWorkspaceSymbolsOut) ShedSnippets() bool {
	had := !o.terse && slices.ContainsFunc(o.found, func(f foundSymbol) bool { return f.signature != "" })
	o.terse = true
	return had
}

// Size counts symbols.
func (o *searchWorkspaceSymbolsOut) Size() int { return len(o.found) }

// Places returns the places of the window, as "path:line".
func (o *searchWorkspaceSymbolsOut) Places() (out []string) {
	for _, f := range o.found {
		out = append(out, f.place)
	}
	return out
}

// Cut keeps the first n symbols.
func (o *searchWorkspaceSymbolsOut) Cut(n int) any {
	less := *o
	less.found = o.found[:n]
	return &less
}

func (o *searchWorkspaceSymbolsOut) Tell(s *answer.Sheet) {
	for _, f := range o.found {
		s.Line(0, "%s", f.shown(o.terse))
	}
	o.Everywhere.Tell(s)
}

func (o *searchWorkspaceSymbolsOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}

// question checks the arguments and returns what is searched.
func (in searchWorkspaceSymbolsIn) question() (resolve.Question, error) {
	q := resolve.Question{Match: in.Match, Text: strings.TrimSpace(in.Query)}
	for _, kind := range in.Kinds {
		if !slices.Contains(lsp.SymbolKinds(), lsp.SymbolKind(kind)) {
			return q, resolve.KindError("kinds", kind)
		}
	}
	if in.Path != "" && !doublestar.ValidatePattern(in.Path) {
		return q, answer.Invalid("path", "is not a glob: %q", in.Path)
	}
	if q.Text == "" { // gopls 0.23 answers it with nothing, rust-analyzer with its first 128
		return q, answer.Invalid("query",
			"is empty: give a name or a part of one; get_document_symbols lists the symbols of a file")
	}
	if q.Match == "regex" {
		return q, q.Compile()
	}
	q.Want = symbol.Components(q.Text)
	if q.Match == "fuzzy" {
		q.SplitWords()
	}
	if len(q.Want) == 0 {
		return q, answer.Invalid("query", "contains no name: %q; an expression needs match regex", in.Query)
	}
	return q, nil
}
