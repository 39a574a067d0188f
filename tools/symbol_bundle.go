package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/explore"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// symbolBundleIn says which symbol, by a target or by a query, and how much of each part. A limit or
// depth of 0 leaves its part out; code of generated files is shown on request alone.
type symbolBundleIn struct {
	resolve.Target
	Query                string   `json:"query"`
	Symbols              []string `json:"symbols"`
	Question             string   `json:"question"`
	Match                string   `json:"match" default:"fuzzy" enum:"fuzzy,exact,regex"`
	Scope                string   `json:"scope"`
	Index                int      `json:"index" min:"1"`
	IncludeSnippet       bool     `json:"include_snippet" default:"true"`
	IncludeGenerated     bool     `json:"include_generated" default:"false"`
	ReferencesLimit      int      `json:"references_limit" default:"120" min:"0" max:"500"`
	ImplementationsLimit int      `json:"implementations_limit" default:"80" min:"0" max:"300"`
	Direction            string   `json:"direction" default:"incoming" enum:"incoming,outgoing,both"`
	CallMaxDepth         int      `json:"call_max_depth" default:"2" min:"0" max:"6"`
	CallMaxBreadth       int      `json:"call_max_breadth" default:"20" min:"1" max:"1000"`
	answer.Caps
}

// Check refuses a target that addresses nothing, or twice, before any server is started.
func (in symbolBundleIn) Check() error {
	if in.explores() {
		return in.checkExplored()
	}
	if in.Query == "" {
		const about = "is about what query finds; give it with query"
		switch {
		case in.Scope != "":
			return answer.Invalid("scope", about)
		case in.Index > 0:
			return answer.Invalid("index", about)
		}
		return in.Target.Check()
	}
	if in.FilePath != "" || in.Line > 0 || in.Character > 0 || in.SymbolName != "" {
		return answer.Invalid("query",
			"is looked for in the whole workspace; give it without file_path, line, character and symbol_name")
	}
	if in.Scope != "" && !doublestar.ValidatePattern(in.Scope) {
		return answer.Invalid("scope", "is not a glob: %q", in.Scope)
	}
	if in.Match != "regex" && len(symbol.Components(in.Query)) == 0 {
		return answer.Invalid("query", "contains no name: %q", in.Query)
	}
	if in.Match == "regex" {
		return resolve.Target{SymbolName: "x", SymbolKind: in.SymbolKind}.Check() // of the kind: an expression is no name
	}
	return resolve.Target{SymbolName: in.Query, SymbolKind: in.SymbolKind}.Check()
}

// asked returns the query.
func (in symbolBundleIn) asked(c *answer.Call) resolve.Query {
	q := resolve.Query{Text: in.Query, Kind: in.SymbolKind, Match: in.Match, Index: in.Index}
	if in.Scope != "" {
		q.Within = answer.PathMatcher(c, in.Scope)
	}
	return q
}

// calls returns which calls of the symbol are wanted.
func (in symbolBundleIn) calls() callOptions {
	return callOptions{incoming: in.Direction != "outgoing", outgoing: in.Direction != "incoming",
		depth: in.CallMaxDepth, breadth: in.CallMaxBreadth}
}

// symbolBundleOut is all about one symbol. A part that is missing is null, as are the callers of what cannot be called.
// The parts have the shapes of their tools; the fields here are only for the schema, which stays short.
type symbolBundleOut struct {
	Target          map[string]any `json:"target"`
	Counts          map[string]int `json:"counts"`
	Hover           map[string]any `json:"hover" nullable:"true"`
	References      []any          `json:"references" nullable:"true"`
	Implementations []any          `json:"implementations" nullable:"true"`
	CallHierarchy   map[string]any `json:"call_hierarchy" nullable:"true"`
	// of an exploration instead, by [explore.Page]
	Paths        [][]string            `json:"paths,omitempty" schema:"-"`
	NoPath       []string              `json:"no_path,omitempty" schema:"-"`
	Declarations []explore.Declaration `json:"declarations,omitempty" schema:"-"`
	Tests        []string              `json:"tests,omitempty" schema:"-"`
	MoreTests    []string              `json:"more_tests,omitempty" schema:"-"`
	TestsBounded bool                  `json:"tests_bounded,omitempty" schema:"-"`
	Matches      *explore.Matches      `json:"matches,omitempty" schema:"-"`

	c     *answer.Call
	in    symbolBundleIn
	at    symbol.Located
	parts bundle
}

// bundle has the parts as their tools make them; a missing one is nil.
type bundle struct {
	hover           *hoverOut
	references      *answer.Page
	implementations *answer.Page
	calls           *callHierarchyOut
}

// symbolBundle answers hover, references, implementations and callers of one symbol in one call. The
// parts are asked for at the same time, by the functions of their own tools, so that their answers
// never differ.
var symbolBundle = exploring(ofWholeProject(addressing("", define("symbol_bundle", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in symbolBundleIn) (*symbolBundleOut, error) {
		if err := in.Check(); err != nil {
			return nil, err
		}
		out := &symbolBundleOut{c: c, in: in}
		var asked *spec.Spec
		var missing []*part // which the server that was asked does not offer
		fill := func(ctx context.Context, s *lsp.Snapshot, at symbol.Located) (err error) {
			// Emptied, because the question may be asked again.
			out.at, out.parts, asked = at, bundle{}, s.Spec()
			missing, err = fillBundle(ctx, c, s, at, in, &out.parts)
			return err
		}
		var err error
		if in.Query != "" {
			if err = pathLeads(c, "scope", in.Scope, false); err == nil {
				err = resolve.AtQuery(ctx, c, in.asked(c), "", fill)
			}
			if err != nil && answer.AsError(err).Kind == contract.KindSymbolNotFound {
				err = cmp.Or(pathLeads(c, "scope", in.Scope, true), err)
			}
		} else {
			err = resolve.At(ctx, c, in.Target, "", fill)
		}
		if err != nil {
			return nil, err
		}
		fillElsewhere(ctx, c, asked, out.at, missing, &out.parts)
		out.leaves()
		return out, nil
	}))))

// part is one part of a bundle.
type part struct {
	name, method string
	wanted       bool
	ask          func(context.Context, *lsp.Snapshot) error
	err          error
}

// fillBundle asks one server for all parts at the same time. A part that fails is a warning; those that
// are not offered are returned. When none is left, the first failure is the bundle's.
func fillBundle(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, in symbolBundleIn,
	out *bundle) ([]*part, error) {
	window := func(limit int) answer.PageArguments {
		return answer.PageArguments{Max: limit, Snippet: in.IncludeSnippet, NoGenerated: !in.IncludeGenerated}
	}
	parts := []*part{
		{name: "hover", method: lsp.MethodHover, wanted: true,
			ask: func(ctx context.Context, s *lsp.Snapshot) (err error) {
				out.hover, err = hoverAt(ctx, c, s, at, in.IncludeSnippet)
				if err == nil && out.hover.Definition != nil && out.hover.Definition.Generated && !in.IncludeGenerated {
					out.hover.Definition.Snippet = ""
				}
				return err
			}},
		{name: "references", method: lsp.MethodReferences, wanted: in.ReferencesLimit > 0,
			ask: func(ctx context.Context, s *lsp.Snapshot) error {
				p, err := references(ctx, c, s, at, true, window(in.ReferencesLimit))
				out.references = &p
				return err
			}},
		{name: "implementations", method: lsp.MethodImplementation, wanted: in.ImplementationsLimit > 0,
			ask: func(ctx context.Context, s *lsp.Snapshot) error {
				p, err := implementations(ctx, c, s, at, window(in.ImplementationsLimit))
				out.implementations = &p
				return err
			}},
		{name: "call_hierarchy", method: lsp.MethodCallHierarchy, wanted: in.CallMaxDepth > 0,
			ask: func(ctx context.Context, s *lsp.Snapshot) error {
				found, err := callTree(ctx, c, s, at, in.calls())
				if found != nil && len(found.roots) > 0 {
					out.calls = &callHierarchyOut{forest: *found}
				}
				return err
			}},
	}
	// A limit of 0 means that the host does not want the part: it is no part that failed.
	parts = slices.DeleteFunc(parts, func(p *part) bool { return !p.wanted })
	// Each writes its own field of out, so that they need no lock.
	answer.Parallel(len(parts), 0, func(i int) {
		p := parts[i]
		if s.Offers(p.method) {
			p.err = p.ask(ctx, s)
			return
		}
		p.err = contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": s.ID(), "method": p.method}, "%s does not offer %s", s.ID(), p.method)
	})
	return judge(ctx, c, parts, out)
}

// fillElsewhere asks the other servers of the file for the parts that the first one does not offer, as the tool of
// each part does: of pyright and basedpyright only the second finds implementations.
func fillElsewhere(ctx context.Context, c *answer.Call, asked *spec.Spec, at symbol.Located, parts []*part,
	out *bundle) {
	for _, p := range parts {
		err := resolve.AtOthers(ctx, c, asked, at, p.method, func(ctx context.Context, s *lsp.Snapshot,
			_ symbol.Located) error {
			return p.ask(ctx, s)
		})
		switch {
		case err == nil:
			p.err = nil
			c.AnsweredByMany()
		// That the first one does not offer it says more than why none of the others can be asked.
		case !ask.Elsewhere(err):
			p.err = err
		}
		p.warn(c, out)
	}
}

// judge turns failures of parts into warnings, and returns the parts that the server does not offer. It is the
// error of the bundle when the server or the call ended, or when every part failed.
func judge(ctx context.Context, c *answer.Call, parts []*part, out *bundle) (missing []*part, err error) {
	// A part that the symbol cannot have is none that failed.
	parts = slices.DeleteFunc(parts, func(p *part) bool {
		without := p.senseless(out)
		if without {
			out.drop(p.name)
		}
		return without
	})
	// Nothing is warned of before it is sure that the bundle has an answer: an error carries no warnings about its
	// parts.
	var first error
	failed := 0
	for _, p := range parts {
		if p.err == nil {
			continue
		}
		// The server ended: the other parts are of a process that is gone. Or nobody waits for the call any more. A
		// part that was cancelled while somebody does is one that failed.
		if ask.Crashed(p.err) || ask.Final(p.err) && ctx.Err() != nil {
			return nil, p.err
		}
		failed++
		if first == nil {
			first = p.err
		}
	}
	if failed == len(parts) {
		return nil, first
	}
	for _, p := range parts {
		if p.err != nil && unsupported(p.err) {
			missing = append(missing, p)
			continue
		}
		p.warn(c, out)
	}
	return missing, nil
}

// warn says why a part is missing, and takes away what it had filled in before it failed: a half list would look
// like a whole one.
func (p *part) warn(c *answer.Call, out *bundle) {
	if p.err == nil {
		return
	}
	out.drop(p.name)
	e := answer.AsError(p.err)
	switch {
	case p.senseless(out):
	case unsupported(p.err):
		c.Warn(contract.WarnNotOffered, contract.Facts{"part": p.name}, "no "+p.name+": "+e.Message)
	default:
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": p.name, "error": e.Kind}, "no "+p.name+": "+e.Message)
	}
}

// senseless reports whether the server refused a part that the symbol cannot have: it is missing, and the answer is
// as complete as without the question.
func (p *part) senseless(out *bundle) bool {
	return p.refused() && out.hover != nil && !p.makesSense(out.hover.Kind)
}

// refused reports whether the server answered the question about this place with an error: gopls 0.23 refuses to
// look for the implementations of a function instead of giving none.
func (p *part) refused() bool {
	return p.err != nil && answer.AsError(p.err).Kind == contract.KindRequestFailed
}

// makesSense reports whether a symbol of a kind may have the part. A kind that is not known may have all.
func (p *part) makesSense(kind lsp.SymbolKind) bool {
	switch p.name {
	case "implementations":
		return symbol.HasImplementations(kind)
	case "call_hierarchy":
		return !slices.Contains([]lsp.SymbolKind{"class", "interface", "struct", "enum", "type", "package", "module",
			"namespace"}, kind)
	}
	return true
}

// drop makes a part missing, which the answer shows as null.
func (b *bundle) drop(name string) {
	switch name {
	case "hover":
		b.hover = nil
	case "references":
		b.references = nil
	case "implementations":
		b.implementations = nil
	case "call_hierarchy":
		b.calls = nil
	}
}

// leaves tells the call what the limits of the parts left out.
func (o *symbolBundleOut) leaves() {
	for _, step := range o.Steps(o.c, o.Size()) {
		o.c.LeavesOut(contract.Facts{"part": step.Tool}, step.Tool+" has more than is shown here", step)
	}
}

// Steps are the tools that continue each part behind the first n items of the bundle.
func (o *symbolBundleOut) Steps(c *answer.Call, n int) []contract.NextStep {
	less := o.parts.cutTo(n)
	var out []contract.NextStep
	add := func(tool string, change map[string]any) {
		arguments := map[string]any{"file_path": c.Show(o.at.Path), "line": o.at.At.Line,
			"character": o.at.At.Character}
		for k, v := range change {
			arguments[k] = v
		}
		// The same server has to go on, or the pages would not fit together.
		if o.in.ServerID != "" {
			arguments["server_id"] = o.in.ServerID
		}
		out = append(out, contract.NextStep{Kind: contract.StepTool, Message: answer.ContinueHere, Tool: tool,
			Arguments: arguments})
	}
	// Each part has a tool of its own, which goes on where the bundle was cut.
	if h := less.hover; h != nil && h.Size() < o.parts.hover.Size() {
		add("hover", nil)
	}
	if p := less.references; p != nil && len(p.Rest) > 0 {
		add("find_references", map[string]any{"offset": p.Size()})
	}
	if p := less.implementations; p != nil && len(p.Rest) > 0 {
		add("find_implementations", map[string]any{"offset": p.Size()})
	}
	switch h := less.calls; {
	case h == nil:
	case h.keep < h.nodes || h.cutShort:
		add("call_hierarchy", o.callArguments(map[string]any{"offset": h.keep}))
	}
	return out
}

// defaultBreadth is call_max_breadth where it is not given.
const defaultBreadth = 20

// callArguments adds to more the arguments by which call_hierarchy shows the same trees.
func (o *symbolBundleOut) callArguments(more map[string]any) map[string]any {
	more["max_depth"] = o.in.CallMaxDepth
	if o.in.Direction != "incoming" {
		more["direction"] = o.in.Direction
	}
	if o.in.CallMaxBreadth != defaultBreadth {
		more["max_breadth"] = o.in.CallMaxBreadth
	}
	return more
}

// MarshalJSON writes the parts in the shapes of their tools.
func (o symbolBundleOut) MarshalJSON() ([]byte, error) {
	p := o.parts
	body := struct {
		Target          bundleTarget          `json:"target"`
		Counts          map[string]int        `json:"counts"`
		Hover           *hoverOut             `json:"hover"`
		References      []fileReferences      `json:"references"`
		Implementations []fileImplementations `json:"implementations"`
		CallHierarchy   *callHierarchyOut     `json:"call_hierarchy"`
	}{Target: o.target(), Counts: p.counts(), Hover: p.hover, CallHierarchy: p.calls}
	// null for a part that is missing, an empty list for one without items.
	if p.references != nil {
		body.References = []fileReferences{}
		p.references.Group(func(file string, generated bool, lines []string) {
			body.References = append(body.References, fileReferences{file, len(lines), generated, lines})
		})
	}
	if p.implementations != nil {
		body.Implementations = []fileImplementations{}
		p.implementations.Group(func(file string, generated bool, lines []string) {
			body.Implementations = append(body.Implementations, fileImplementations{file, len(lines), generated, lines})
		})
	}
	return contract.Marshal(body)
}

// bundleTarget is the place that was asked about.
type bundleTarget struct {
	Symbol    string         `json:"symbol,omitempty"`
	Kind      lsp.SymbolKind `json:"kind,omitempty"`
	FilePath  string         `json:"file_path"`
	Line      int            `json:"line"`
	Character int            `json:"character"`
}

// target returns the place with the name that the server gives, where it gives one: the word at the
// place may be an alias.
func (o symbolBundleOut) target() bundleTarget {
	t := bundleTarget{Symbol: o.at.Name, FilePath: o.c.Show(o.at.Path), Line: o.at.At.Line,
		Character: o.at.At.Character}
	if h := o.parts.hover; h != nil && h.Symbol != "" {
		t.Symbol, t.Kind = h.Symbol, h.Kind
	}
	return t
}

// counts returns the sizes of the parts that are there, what was cut included.
func (b bundle) counts() map[string]int {
	out := map[string]int{}
	if b.references != nil {
		out["references"] = b.references.Total
	}
	if b.implementations != nil {
		out["implementations"] = b.implementations.Total
	}
	if b.calls != nil && b.calls.up != nil {
		out["callers"] = b.calls.up.direct()
	}
	if b.calls != nil && b.calls.down != nil {
		out["callees"] = b.calls.down.direct()
	}
	return out
}

func (o *symbolBundleOut) Summary() string {
	counts := o.parts.counts()
	text := o.target().Symbol + ":"
	for _, name := range []string{"references", "implementations", "callers", "callees"} {
		// A part that is missing has no number; 0 would say that there are none.
		if n, there := counts[name]; there {
			text += " " + answer.Counted(n, strings.TrimSuffix(name, "s")) + ","
		}
	}
	return text[:len(text)-1] + "."
}

// ShedSnippets asks every part, also behind one that had snippets: all of them have to be gone
// afterwards.
func (o *symbolBundleOut) ShedSnippets() bool {
	had := false
	for _, p := range []*answer.Page{o.parts.references, o.parts.implementations} {
		if p != nil {
			had = p.ShedSnippets() || had
		}
	}
	if o.parts.hover != nil {
		had = o.parts.hover.ShedSnippets() || had
	}
	return had
}

// Size counts the items of all parts ([bundle.sizes]).
func (o *symbolBundleOut) Size() int {
	n := 0
	for _, size := range o.parts.sizes() {
		n += size
	}
	return n
}

// Cut divides n items among the parts ([allot]).
func (o *symbolBundleOut) Cut(n int) any {
	less := *o
	less.parts = o.parts.cutTo(n)
	return &less
}

func (o *symbolBundleOut) Tell(s *answer.Sheet) {
	t, p := o.target(), o.parts
	s.Line(0, "%s:%d:%d %s", t.FilePath, t.Line, t.Character, strings.TrimSpace(string(t.Kind)+" "+t.Symbol))
	if p.hover != nil {
		p.hover.Tell(s)
	}
	for _, part := range []struct {
		what string
		page *answer.Page
	}{{"Implementations", p.implementations}, {"References", p.references}} {
		if part.page != nil {
			s.Line(0, "%s (%d)", part.what, part.page.Total)
			part.page.Tell(s)
		}
	}
	if p.calls != nil {
		p.calls.Tell(s)
	}
}

// sizes returns the number of items of each part: lines of hover, implementations, callers, references.
func (b bundle) sizes() [4]int {
	var out [4]int
	if b.hover != nil {
		out[0] = b.hover.Size()
	}
	if b.implementations != nil {
		out[1] = b.implementations.Size()
	}
	if b.calls != nil {
		out[2] = b.calls.Size()
	}
	if b.references != nil {
		out[3] = b.references.Size()
	}
	return out
}

// shares are how many items each part gets before any gets more, in the order of sizes. Without them a long hover,
// or hundreds of references, would leave nothing of the other parts in an answer that is cut.
var shares = [4]int{30, 10, 10, 20}

// allot divides n items: first each part gets its share, then the rest goes to the parts in their
// order.
func allot(n int, sizes [4]int) [4]int {
	var out [4]int
	for i := range sizes {
		out[i] = min(n, sizes[i], shares[i])
		n -= out[i]
	}
	for i := range sizes {
		more := min(n, sizes[i]-out[i])
		out[i] += more
		n -= more
	}
	return out
}

// cutTo returns a copy of the bundle with n items in all. The parts are copied too, because Fit tries
// many sizes of one bundle.
func (b bundle) cutTo(n int) bundle {
	keep := allot(n, b.sizes())
	if b.hover != nil {
		h := b.hover.Cut(keep[0]).(*hoverOut)
		b.hover = h
	}
	if b.implementations != nil {
		p := b.implementations.First(keep[1])
		b.implementations = &p
	}
	if b.calls != nil {
		h := b.calls.Cut(keep[2]).(*callHierarchyOut)
		b.calls = h
	}
	if b.references != nil {
		p := b.references.First(keep[3])
		b.references = &p
	}
	return b
}

// explores reports whether the call is about how several declarations go together.
func (in symbolBundleIn) explores() bool { return len(in.Symbols) > 0 || in.Question != "" }

// explored is what such a call asks for.
func (in symbolBundleIn) explored() explore.Request {
	return explore.Request{Symbols: in.Symbols, Question: in.Question}
}

// checkExplored refuses what says nothing of an exploration.
func (in symbolBundleIn) checkExplored() error {
	const with = "cannot be given together with symbols or question"
	switch {
	case in.Query != "":
		return answer.Invalid("query", with)
	case in.FilePath != "":
		return answer.Invalid("file_path", with)
	case in.SymbolName != "":
		return answer.Invalid("symbol_name", with)
	case in.Line > 0 || in.Character > 0:
		return answer.Invalid("line", with)
	case in.Scope != "":
		return answer.Invalid("scope", with)
	case in.Index > 0:
		return answer.Invalid("index", with)
	}
	return in.explored().Check(exploreTools())
}

// exploring makes a tool answer calls that explore by [explore.Explore], and all others as before.
func exploring(t *answer.Tool) *answer.Tool {
	one, probe := t.Run, t.Probe
	t.Run = func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error) {
		in, err := decode[symbolBundleIn](t.Input, raw)
		if err != nil || !in.explores() {
			return one(ctx, c, raw)
		}
		c.Caps(any(&in))
		if err := in.checkExplored(); err != nil {
			return nil, err
		}
		out, err := explore.Explore(ctx, c, in.explored(), exploreTools())
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	t.Probe = func(ctx context.Context, c *answer.Call, raw json.RawMessage) error {
		if in, err := decode[symbolBundleIn](t.Input, raw); err != nil || in.explores() {
			return err
		}
		return probe(ctx, c, raw)
	}
	return t
}

// exploreTools are the functions by which an exploration asks what other tools ask as well.
func exploreTools() explore.Tools {
	return explore.Tools{
		Target: exploredTarget, Roots: hierarchyRoots, Uses: mayUse,
		Search: "search_workspace_symbols",
		Listed: func(c *answer.Call, h symbol.SymbolHit) string { return shownSymbol(c, h).text },
	}
}

// exploredTarget is the target that a name, or a place as answers write it, means.
func exploredTarget(name string) (t resolve.Target, err error) {
	one := map[string]json.RawMessage{}
	if err := named(one, name); err != nil {
		return t, err
	}
	raw, err := json.Marshal(one)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err == nil {
		err = t.Check()
	}
	return t, err
}
