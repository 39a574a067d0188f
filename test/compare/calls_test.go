package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// rawItem is a CallHierarchyItem.
type rawItem struct {
	Name           string
	Kind           int
	URI            string
	SelectionRange rawRange `json:"selectionRange"`

	whole json.RawMessage
}

func (i *rawItem) UnmarshalJSON(raw []byte) error {
	type plain rawItem
	i.whole = slices.Clone(raw)
	return json.Unmarshal(raw, (*plain)(i))
}

// symbolKinds are the names of LSP's SymbolKind, from 1.
var symbolKinds = []string{"file", "module", "namespace", "package", "class", "method", "property", "field",
	"constructor",
	"enum", "interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key",
	"null",
	"enum_member", "struct", "event", "operator", "type_parameter"}

// calls are both directions of the call hierarchy, one level deep: roots, callers, callees.
func (k *asker) calls(s spot) ([]string, error) {
	roots, err := k.roots(s)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range roots {
		out = append(out, "root "+k.item(r))
	}
	// The roots share one list of callers; callees are listed root by root, because their lines are in its file.
	var outgoing []string
	var callers []call
	var more int
	for _, r := range roots {
		found, err := k.related("callHierarchy/incomingCalls", r)
		if err != nil {
			return nil, err
		}
		callers = append(callers, found...)
		if found, err = k.related("callHierarchy/outgoingCalls", r); err != nil {
			return nil, err
		}
		lines, left := k.group("out", found, s.path)
		outgoing, more = append(outgoing, lines...), more+left
	}
	incoming, left := k.group("in", callers, s.path)
	return slices.Concat(out, incoming, leftOut("in", left), outgoing, leftOut("out", more)), nil
}

// leftOut is the line of an answer that max_breadth cut.
func leftOut(name string, n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s %d", cut, name, n)}
}

// cut marks an answer that has to be partial.
const cut = "left out:"

// maxBreadth is the most that one level shows.
const maxBreadth = 80

// roots are the items at a position, or at its definition where the server has none at a use.
func (k *asker) roots(s spot) ([]rawItem, error) {
	var items []rawItem
	prepared := k.r.call("textDocument/prepareCallHierarchy", k.position(s), &items)
	if refused := (*rawError)(nil); prepared != nil && !errors.As(prepared, &refused) {
		return nil, prepared
	}
	if len(items) > 0 {
		return k.distinct(items), nil
	}
	defined, err := k.places("textDocument/definition", s, nil)
	if err != nil {
		return nil, err
	}
	for _, d := range defined {
		if d.path == s.path && d.line == s.line && d.column <= s.column && s.column <= d.column+len([]rune(s.word)) {
			continue // it was asked
		}
		var more []rawItem
		if k.r.call("textDocument/prepareCallHierarchy",
			k.position(spot{path: d.path, line: d.line, column: d.column}), &more) == nil {
			items = append(items, more...)
		}
	}
	return k.distinct(items), nil
}

func (k *asker) distinct(items []rawItem) []rawItem {
	var out []rawItem
	seen := map[string]bool{}
	for _, i := range items {
		p := k.place(i.URI, i.SelectionRange)
		id := fmt.Sprint(i.Name, p.path, p.line, p.column)
		if !seen[id] {
			seen[id] = true
			out = append(out, i)
		}
	}
	return out
}

// item is a symbol of the hierarchy in one line.
func (k *asker) item(i rawItem) string {
	p := k.place(i.URI, i.SelectionRange)
	kind, name := symbolKinds[i.Kind-1], bare(i.Name)
	// gopls: the initializer of a package variable, which lspi shows by its name
	if kind == "variable" && name == "init" {
		name = wordIn(p)
	}
	return fmt.Sprintf("%s %s %s:%d", kind, name, k.show(p.path), p.line)
}

// wordIn is the identifier that stands at a place in the file; "" when it cannot be read.
func wordIn(p place) string {
	text, err := os.ReadFile(p.path)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	return identifier.FindString(string([]rune(lines[p.line-1])[p.column-1:]))
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)

// bare is a name without the types around it, which lspi adds where the server leaves them out.
func bare(name string) string {
	if scope, operator, ok := strings.Cut(name, "operator"); ok && (scope == "" || strings.HasSuffix(scope, "::")) {
		return "operator" + operator
	}
	return name[strings.LastIndexAny(name, ".:")+1:]
}

type call struct {
	item rawItem
	at   place
	from []int // lines of the calls
}

func (k *asker) related(method string, root rawItem) ([]call, error) {
	var found []struct {
		From, To   rawItem
		FromRanges []rawRange `json:"fromRanges"`
	}
	if err := k.r.call(method, map[string]any{"item": root.whole}, &found); err != nil {
		return nil, err
	}
	var out []call
	for _, f := range found {
		c := call{item: f.From}
		if method == "callHierarchy/outgoingCalls" {
			c.item = f.To
		}
		c.at = k.place(c.item.URI, c.item.SelectionRange)
		for _, r := range f.FromRanges {
			c.from = append(c.from, r.Start.Line+1)
		}
		out = append(out, c)
	}
	return out, nil
}

// group makes one line of each symbol, in the order of the contract, and counts those that max_breadth leaves out.
func (k *asker) group(name string, found []call, asked string) (out []string, left int) {
	type id struct {
		name, path   string
		line, column int
	}
	by := map[id]*call{}
	var order []id
	for _, c := range found {
		key := id{c.item.Name, c.at.path, c.at.line, c.at.column}
		if by[key] == nil {
			by[key] = &call{item: c.item, at: c.at}
			order = append(order, key)
		}
		by[key].from = append(by[key].from, c.from...)
	}
	slices.SortStableFunc(order, func(a, b id) int {
		return cmp.Or(first(a.path, b.path, asked), cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line),
			cmp.Compare(a.column, b.column))
	})
	left = max(0, len(order)-maxBreadth)
	for _, key := range order[:len(order)-left] {
		c := by[key]
		slices.Sort(c.from)
		out = append(out, fmt.Sprintf("%s %s %v", name, k.item(c.item), slices.Compact(c.from)))
	}
	return out, left
}

// calls is the answer of call_hierarchy.
func calls(t testing.TB, e envelope) []string {
	var body struct {
		Root               *string
		OtherRoots         []string `json:"other_roots"`
		Incoming, Outgoing []string
		MoreIncoming       int `json:"more_incoming"`
		MoreOutgoing       int `json:"more_outgoing"`
	}
	e.decode(t, &body)
	write := func(n testkit.Node) string { return fmt.Sprintf("%s %s %s:%d", n.Kind, bare(n.Symbol), n.Path, n.Line) }
	if body.Root != nil {
		body.OtherRoots = append([]string{*body.Root}, body.OtherRoots...)
	}
	var out []string
	for _, n := range testkit.Nodes(t, body.OtherRoots) {
		out = append(out, "root "+write(n))
	}
	for _, n := range testkit.Nodes(t, body.Incoming) {
		out = append(out, fmt.Sprintf("in %s %v", write(n), n.Calls))
	}
	out = append(out, leftOut("in", body.MoreIncoming)...)
	for _, n := range testkit.Nodes(t, body.Outgoing) {
		out = append(out, fmt.Sprintf("out %s %v", write(n), n.Calls))
	}
	return append(out, leftOut("out", body.MoreOutgoing)...)
}
