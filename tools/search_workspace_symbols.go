package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/router"
)

type searchWorkspaceSymbolsIn struct {
	Query      string   `json:"query" required:"true"`
	Match      string   `json:"match" default:"fuzzy" enum:"fuzzy,exact,regex"`
	Kinds      []string `json:"kinds"`
	Path       string   `json:"path"`
	FilePath   string   `json:"file_path"`
	ServerID   string   `json:"server_id"`
	MaxResults int      `json:"max_results" default:"50" min:"1" max:"200"`
	Offset     int      `json:"offset" default:"0" min:"0"`
	caps
}

type searchWorkspaceSymbolsOut struct {
	Total    int           `json:"total"`
	Returned int           `json:"returned"`
	Symbols  []foundSymbol `json:"symbols"`

	offset     int
	unfinished bool // a server still loads, or did not answer in time
}

// foundSymbol is one symbol of the workspace or of what it depends on.
type foundSymbol struct {
	Name      string         `json:"name"`
	Kind      lsp.SymbolKind `json:"kind"`
	Container string         `json:"container,omitempty"`
	FilePath  string         `json:"file_path"`
	Line      int            `json:"line"`
	Signature string         `json:"signature,omitempty"`
}

var searchWorkspaceSymbols = define("search_workspace_symbols", Navigation,
	func(ctx context.Context, c *Call, in searchWorkspaceSymbolsIn) (*searchWorkspaceSymbolsOut, error) {
		if err := in.check(); err != nil {
			return nil, err
		}
		q, err := in.question()
		if err != nil {
			return nil, err
		}
		hits, err := c.searchPicked(ctx, in, q)
		if err != nil {
			return nil, err
		}
		hits = c.own(in, c.kept(ctx, in, q.keep(ctx, c, unique(hits))))
		q.order(c, hits)
		c.outsideHits(hits)
		out := &searchWorkspaceSymbolsOut{Total: len(hits), offset: in.Offset, Symbols: []foundSymbol{}, unfinished: c.searchUnfinished()}
		from := min(in.Offset, len(hits))
		to := min(from+in.MaxResults, len(hits))
		for _, h := range c.shaped(ctx, hits[from:to], worthShaping) {
			out.Symbols = append(out.Symbols, c.found(h))
		}
		if more := len(hits) - to; more > 0 {
			c.leaves(out.Total, to-from, more, out.next(c, to-from))
		}
		return out, nil
	})

// check refuses before any server is started.
func (in searchWorkspaceSymbolsIn) check() error {
	if in.FilePath != "" && in.ServerID != "" {
		return invalid("server_id", "cannot be given beside file_path: either picks the servers")
	}
	_, err := in.question()
	return err
}

// searchPicked asks the servers that the arguments pick, or all that the workspace needs.
func (c *Call) searchPicked(ctx context.Context, in searchWorkspaceSymbolsIn, q question) ([]hit, error) {
	wanted := func(path string) bool { return in.Path == "" || matchesPath(in.Path, c.show(path)) }
	c.aboutFound(q.mayDeclare(), q.match == "regex" && q.tail == "", wanted)
	one := func(ctx context.Context, s *lsp.Server, r router.Route) ([]hit, error) {
		hits, err := q.ask(ctx, c, s, r)
		if err == nil {
			c.leftOut(ctx, s, "", inHits(hits), func(path string, m *lang.Mentions) bool {
				return wanted(path) && declaring(q.mayMean)(path, m)
			})
		}
		if kind := s.Spec().Symbols.OpenMacros; err == nil && kind != "" && (len(in.Kinds) == 0 || slices.Contains(in.Kinds, string(kind))) {
			hits = openMacros(ctx, c, s, r, q, wanted, hits)
		}
		return hits, err
	}
	switch {
	case in.FilePath != "":
		return c.searchAtFile(ctx, in.FilePath, one)
	case in.ServerID != "":
		routes, err := c.routesOf(ctx, in.ServerID)
		if err != nil {
			return nil, err
		}
		return c.searchBy(ctx, routes, one)
	}
	w, err := c.survey(ctx, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return nil, err
	}
	word := ""
	if len(w.grounds) > 0 && q.match == "exact" {
		word = spelled(q.want)
	}
	if len(w.grounds) > 0 {
		c.unserved(ctx, w)
	}
	if w.noneListed() { // no server can be asked; what its sources hold of the query is told
		w.pick(ctx, func(*ground) bool { return true })
		return nil, nil
	}
	if word == "" {
		return c.searchBy(ctx, w.pick(ctx, func(*ground) bool { return true }), one)
	}
	return c.searchNamed(ctx, w, q.want, one, func(hits []hit) bool { return len(c.exactHits(ctx, hits, q.want)) > 0 })
}

// searchAtFile asks the first server for a file that can answer.
func (c *Call) searchAtFile(ctx context.Context, given string,
	one func(context.Context, *lsp.Server, router.Route) ([]hit, error)) ([]hit, error) {
	path, err := c.path(given)
	if err != nil {
		return nil, err
	}
	var hits []hit
	err = c.ask(ctx, path, lsp.MethodWorkspaceSymbol, func(ctx context.Context, s *lsp.Server) error {
		r := router.Route{Spec: s.Spec(), Root: s.Root()}
		var err error
		if s.Spec().Symbols.RecentProject {
			hits, err = c.inProjects(ctx, s, path, r, one)
		} else {
			hits, err = one(ctx, s, r)
		}
		return err
	})
	return hits, err
}

// routesOf are the roots that a server has in the workspace.
func (c *Call) routesOf(ctx context.Context, id string) ([]router.Route, error) {
	spec, err := c.env.Table.Server(id)
	if err != nil {
		return nil, err
	}
	w, err := c.walkWorkspace(ctx, lsp.MethodWorkspaceSymbol, spec)
	if err == nil && len(w.routes) == 0 {
		err = invalid("server_id", "names %s, which serves no file of this workspace", id)
	}
	if err != nil {
		return nil, err
	}
	return w.routes, nil
}

// worthShaping picks the hits that the symbols of their file complete at little cost: at servers that read closed files,
// and members without a scope, which say nothing by themselves.
func worthShaping(h hit) bool {
	if h.route.Spec.Freshness.QueryClosed {
		return true
	}
	member := h.sym.Kind == "method" || h.sym.Kind == "property" || h.sym.Kind == "field" || h.sym.Kind == "enum_member"
	return member && len(h.parts()) == 1
}

// kept are the hits of the kinds and paths that were asked for.
func (c *Call) kept(ctx context.Context, in searchWorkspaceSymbolsIn, hits []hit) []hit {
	if in.Path != "" {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return !matchesPath(in.Path, c.show(h.sym.Place.Path)) })
	}
	if len(in.Kinds) == 0 {
		return hits
	}
	if slices.Contains(in.Kinds, "method") != slices.Contains(in.Kinds, "function") {
		hits = c.shaped(ctx, hits, func(h hit) bool { return h.sym.Kind == "function" && h.route.Spec.Symbols.MethodsAreFunctions })
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return !slices.ContainsFunc(in.Kinds, h.isKind) })
}

// own are the hits of the workspace; those of dependencies where it has none, or where a path asks for them. Which of
// those a server knows is often a matter of time: clangd indexes the standard library some time after a file was opened,
// without a sign.
func (c *Call) own(in searchWorkspaceSymbolsIn, hits []hit) []hit {
	if in.Path != "" || !slices.ContainsFunc(hits, func(h hit) bool { return c.inside(h) }) {
		return hits
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return !c.inside(h) })
}

// matchesPath reports whether a path as answers show it is what a glob means. Without a slash the glob means names; a
// folder means all below it.
func matchesPath(glob, shown string) bool {
	glob = strings.TrimPrefix(glob, "./")
	if !strings.Contains(glob, "/") {
		if ok, _ := doublestar.Match(glob, path.Base(shown)); ok {
			return true
		}
	}
	glob = strings.TrimSuffix(glob, "/")
	whole, _ := doublestar.Match(glob, shown)
	below, _ := doublestar.Match(glob+"/**", shown)
	return whole || below
}

// found is a hit as it is shown.
func (c *Call) found(h hit) foundSymbol {
	out := foundSymbol{Name: h.sym.Name, Kind: h.sym.Kind, Container: h.sym.Container, FilePath: c.show(h.sym.Place.Path),
		Line: c.nameAt(h).Line}
	if scope := len(h.known) - 1; scope > 0 && len(components(h.sym.Name)) == 1 {
		out.Container = joinParts(h.language(), h.known[:scope])
	}
	if isCode(h.sym.Kind) && len([]rune(h.detail)) <= maxDetail && !strings.Contains(h.detail, "\n") {
		out.Signature = h.detail
	}
	return out
}

func (o searchWorkspaceSymbolsOut) Summary() string {
	text := counted(o.Total, "matching symbol")
	switch {
	case o.unfinished:
		text = "The search is not finished; repeat it. So far: " + text
	case o.Total == 0:
		return "No symbol matches."
	}
	if len(o.Symbols) < o.Total {
		text += fmt.Sprintf(", %d shown", len(o.Symbols))
	}
	return text + "."
}

// MarshalJSON counts what is shown.
func (o searchWorkspaceSymbolsOut) MarshalJSON() ([]byte, error) {
	type plain searchWorkspaceSymbolsOut
	o.Returned = len(o.Symbols)
	return contract.Marshal(plain(o))
}

func (o *searchWorkspaceSymbolsOut) shedSnippets() bool {
	had := false
	for i := range o.Symbols {
		had = had || o.Symbols[i].Signature != ""
		o.Symbols[i].Signature = ""
	}
	return had
}

func (o *searchWorkspaceSymbolsOut) size() int { return len(o.Symbols) }

func (o *searchWorkspaceSymbolsOut) cut(n int) any {
	less := *o
	less.Symbols = o.Symbols[:n]
	return &less
}

func (o *searchWorkspaceSymbolsOut) tell(s *sheet) {
	for _, found := range o.Symbols {
		text := fmt.Sprintf("%s:%d %s %s", found.FilePath, found.Line, found.Kind, found.Name)
		if found.Container != "" {
			text += " in " + found.Container
		}
		if found.Signature != "" {
			text += ": " + found.Signature
		}
		s.line(0, "%s", text)
	}
}

func (o *searchWorkspaceSymbolsOut) next(_ *Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}

// question checks the arguments.
func (in searchWorkspaceSymbolsIn) question() (question, error) {
	q := question{match: in.Match, text: strings.TrimSpace(in.Query)}
	for _, kind := range in.Kinds {
		if !slices.Contains(lsp.SymbolKinds(), lsp.SymbolKind(kind)) {
			return q, kindError("kinds", kind)
		}
	}
	if in.Path != "" && !doublestar.ValidatePattern(in.Path) {
		return q, invalid("path", "is no glob: %q", in.Path)
	}
	if q.text == "" { // gopls 0.23 answers it with nothing, rust-analyzer with its first 128
		return q, invalid("query", "is empty: give a name or a part of one; get_document_symbols lists the symbols of a file")
	}
	if q.match == "regex" {
		return q, q.compile()
	}
	q.want = components(q.text)
	if len(q.want) == 0 {
		return q, invalid("query", "holds no name: %q; match regex takes an expression", in.Query)
	}
	return q, nil
}
