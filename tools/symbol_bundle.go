package tools

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

type symbolBundleIn struct {
	Target
	IncludeSnippet       bool `json:"include_snippet" default:"true"`
	ReferencesLimit      int  `json:"references_limit" default:"120" min:"0" max:"500"`
	ImplementationsLimit int  `json:"implementations_limit" default:"80" min:"0" max:"300"`
	CallMaxDepth         int  `json:"call_max_depth" default:"2" min:"0" max:"6"`
	caps
}

// bundleBreadth bounds the callers on each level of a bundle.
const bundleBreadth = 20

// symbolBundleOut is all about one symbol. A part that is missing is null, as are the callers of what cannot be called.
// The parts have the shapes of their tools; the fields here are only for the schema, which stays short.
type symbolBundleOut struct {
	Target          map[string]any `json:"target"`
	Counts          map[string]int `json:"counts"`
	Hover           map[string]any `json:"hover" nullable:"true"`
	References      []any          `json:"references" nullable:"true"`
	Implementations []any          `json:"implementations" nullable:"true"`
	CallHierarchy   map[string]any `json:"call_hierarchy" nullable:"true"`

	c     *Call
	at    spot
	parts bundle
}

// bundle are the parts as their tools make them; nil when one is missing.
type bundle struct {
	hover           *hoverOut
	references      *page
	implementations *page
	calls           *callHierarchyOut
}

var symbolBundle = define("symbol_bundle", Navigation,
	func(ctx context.Context, c *Call, in symbolBundleIn) (*symbolBundleOut, error) {
		out := &symbolBundleOut{c: c}
		err := c.at(ctx, in.Target, "", func(ctx context.Context, s *lsp.Server, at spot) error {
			out.at, out.parts = at, bundle{}
			return c.bundle(ctx, s, at, in, &out.parts)
		})
		if err != nil {
			return nil, err
		}
		out.leaves()
		return out, nil
	})

// part is one part of a bundle.
type part struct {
	name, method string
	wanted       bool
	ask          func() error
	err          error
}

// bundle asks for all parts at the same time. One that fails or is not offered is a warning; when none is left, the
// first failure is the bundle's.
func (c *Call) bundle(ctx context.Context, s *lsp.Server, at spot, in symbolBundleIn, out *bundle) error {
	window := func(limit int) pageArguments { return pageArguments{max: limit, snippet: in.IncludeSnippet} }
	parts := []*part{
		{name: "hover", method: lsp.MethodHover, wanted: true, ask: func() (err error) {
			out.hover, err = c.hover(ctx, s, at, in.IncludeSnippet)
			return err
		}},
		{name: "references", method: lsp.MethodReferences, wanted: in.ReferencesLimit > 0, ask: func() error {
			p, err := c.references(ctx, s, at, true, window(in.ReferencesLimit))
			out.references = &p
			return err
		}},
		{name: "implementations", method: lsp.MethodImplementation, wanted: in.ImplementationsLimit > 0, ask: func() error {
			p, err := c.implementations(ctx, s, at, window(in.ImplementationsLimit))
			out.implementations = &p
			return err
		}},
		{name: "call_hierarchy", method: lsp.MethodCallHierarchy, wanted: in.CallMaxDepth > 0, ask: func() error {
			found, err := c.callHierarchy(ctx, s, at, callOptions{incoming: true, depth: in.CallMaxDepth, breadth: bundleBreadth})
			if found != nil && len(found.roots) > 0 {
				out.calls = found
			}
			return err
		}},
	}
	parts = slices.DeleteFunc(parts, func(p *part) bool { return !p.wanted })
	together(len(parts), 0, func(i int) {
		p := parts[i]
		if s.Offers(p.method) {
			p.err = p.ask()
			return
		}
		p.err = contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": s.ID(), "method": p.method}, "%s does not offer %s", s.ID(), p.method)
	})
	return c.judge(parts, out)
}

// judge turns failures of parts into warnings and takes what they left away.
func (c *Call) judge(parts []*part, out *bundle) error {
	for _, p := range parts {
		// Asked for the implementations of a function gopls 0.23 refuses instead of giving none.
		if p.name == "implementations" && p.err != nil && asError(p.err).Kind == contract.KindRequestFailed &&
			out.hover != nil && !hasImplementations(out.hover.Kind) {
			p.err = contract.Errorf(contract.KindRequestUnsupported, nil, "%w", p.err)
		}
	}
	var first error
	failed := 0
	for _, p := range parts {
		if p.err == nil {
			continue
		}
		if final(p.err) {
			return p.err
		}
		failed++
		if first == nil {
			first = p.err
		}
	}
	if failed == len(parts) {
		return first
	}
	for _, p := range parts {
		switch {
		case p.err == nil:
			continue
		case unsupported(p.err):
			c.warn(contract.WarnNotOffered, contract.Facts{"part": p.name}, "no "+p.name+": "+asError(p.err).Message)
		default:
			c.warn(contract.WarnPartFailed, contract.Facts{"part": p.name, "error": asError(p.err).Kind},
				"no "+p.name+": "+asError(p.err).Message)
		}
		out.drop(p.name)
	}
	return nil
}

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

// leaves says what the limits of the parts left out.
func (o *symbolBundleOut) leaves() {
	for _, step := range o.steps(o.c, o.size()) {
		o.c.leavesOut(contract.Facts{"part": step.Tool}, step.Tool+" has more than is shown here", step)
	}
}

// steps are the tools that continue each part after n items of the bundle.
func (o *symbolBundleOut) steps(c *Call, n int) []contract.NextStep {
	less := o.parts.cut(n)
	var out []contract.NextStep
	add := func(tool string, change map[string]any) {
		arguments := map[string]any{"file_path": c.show(o.at.path), "line": o.at.at.Line, "character": o.at.at.Character}
		for k, v := range change {
			arguments[k] = v
		}
		out = append(out, contract.NextStep{Kind: contract.StepTool, Message: continueHere, Tool: tool, Arguments: arguments})
	}
	if h := less.hover; h != nil && h.size() < o.parts.hover.size() {
		add("hover", nil)
	}
	if p := less.references; p != nil && len(p.rest) > 0 {
		add("find_references", map[string]any{"offset": p.size()})
	}
	if p := less.implementations; p != nil && len(p.rest) > 0 {
		add("find_implementations", map[string]any{"offset": p.size()})
	}
	if h := less.calls; h != nil && (h.keep < h.nodes || h.cutShort) {
		add("call_hierarchy", map[string]any{"max_breadth": maxCallBreadth})
	}
	return out
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
	if p.references != nil {
		body.References = []fileReferences{}
		p.references.group(func(file string, lines []string) {
			body.References = append(body.References, fileReferences{file, len(lines), lines})
		})
	}
	if p.implementations != nil {
		body.Implementations = []fileImplementations{}
		p.implementations.group(func(file string, lines []string) {
			body.Implementations = append(body.Implementations, fileImplementations{file, len(lines), lines})
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

func (o symbolBundleOut) target() bundleTarget {
	t := bundleTarget{Symbol: o.at.name, FilePath: o.c.show(o.at.path), Line: o.at.at.Line, Character: o.at.at.Character}
	if h := o.parts.hover; h != nil && h.Symbol != "" {
		t.Symbol, t.Kind = h.Symbol, h.Kind
	}
	return t
}

// counts are the sizes of the parts that are there, what was cut included.
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
	return out
}

func (o *symbolBundleOut) Summary() string {
	counts := o.parts.counts()
	text := o.target().Symbol + ":"
	for _, name := range []string{"references", "implementations", "callers"} {
		if n, there := counts[name]; there {
			text += " " + counted(n, strings.TrimSuffix(name, "s")) + ","
		}
	}
	return text[:len(text)-1] + "."
}

func (o *symbolBundleOut) shedSnippets() bool {
	had := false
	for _, p := range []*page{o.parts.references, o.parts.implementations} {
		if p != nil {
			had = p.shedSnippets() || had
		}
	}
	if o.parts.hover != nil {
		had = o.parts.hover.shedSnippets() || had
	}
	return had
}

func (o *symbolBundleOut) size() int {
	n := 0
	for _, size := range o.parts.sizes() {
		n += size
	}
	return n
}

func (o *symbolBundleOut) cut(n int) any {
	less := *o
	less.parts = o.parts.cut(n)
	return &less
}

func (o *symbolBundleOut) tell(s *sheet) {
	t, p := o.target(), o.parts
	s.line(0, "%s:%d:%d %s", t.FilePath, t.Line, t.Character, strings.TrimSpace(string(t.Kind)+" "+t.Symbol))
	if p.hover != nil {
		p.hover.tell(s)
	}
	for _, part := range []struct {
		what string
		page *page
	}{{"Implementations", p.implementations}, {"References", p.references}} {
		if part.page != nil {
			s.line(0, "%s (%d)", part.what, part.page.Total)
			part.page.tell(s)
		}
	}
	if p.calls != nil {
		p.calls.tell(s)
	}
}

// sizes are the items of each part: lines of hover, implementations, callers, references.
func (b bundle) sizes() [4]int {
	var out [4]int
	if b.hover != nil {
		out[0] = b.hover.size()
	}
	if b.implementations != nil {
		out[1] = b.implementations.size()
	}
	if b.calls != nil {
		out[2] = b.calls.size()
	}
	if b.references != nil {
		out[3] = b.references.size()
	}
	return out
}

// shares are what each part gets before any gets more.
var shares = [4]int{30, 10, 10, 20}

// allot divides n items: first each part its share, then the rest in the order of the parts.
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

// cut is the bundle with n items.
func (b bundle) cut(n int) bundle {
	keep := allot(n, b.sizes())
	if b.hover != nil {
		h := b.hover.cut(keep[0]).(*hoverOut)
		b.hover = h
	}
	if b.implementations != nil {
		p := b.implementations.first(keep[1])
		b.implementations = &p
	}
	if b.calls != nil {
		h := b.calls.cut(keep[2]).(*callHierarchyOut)
		b.calls = h
	}
	if b.references != nil {
		p := b.references.first(keep[3])
		b.references = &p
	}
	return b
}
