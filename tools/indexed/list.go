package indexed

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/index"
	"lspi/tools/symbol"
)

// Outline returns the symbols that a file defines, without local ones, and its text.
func (q *Question) Outline(ctx context.Context, path string) ([]lsp.Symbol, *source.Text, error) {
	t, d, err := q.document(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	text := (*source.Text)(nil)
	if d != nil {
		text = q.diskText(t, path)
	}
	if text == nil {
		return nil, nil, notFound("", path)
	}
	q.use(t)
	type node struct {
		lsp.Symbol
		sym, parent string
	}
	infos := d.SymbolTable()
	var nodes []node
	for _, o := range d.Occurrences {
		info := infos[o.Symbol]
		if !isDefinition(o) || scip.IsLocalSymbol(o.Symbol) || info == nil {
			continue
		}
		n := index.NameOf(o.Symbol, info.DisplayName)
		if n.Bare == "" || n.IsParameter() {
			continue
		}
		// In the order of the file a name is listed once: several builds have a document each.
		if slices.ContainsFunc(nodes, func(have node) bool { return have.sym == o.Symbol }) {
			continue
		}
		places := q.placesIn(ctx, t, d, o.Symbol, func(other *scip.Occurrence) bool { return other == o }, false,
			nil)
		if len(places) == 0 || places[0].Range.Start == places[0].Range.End {
			continue
		}
		nodes = append(nodes, node{lsp.Symbol{Name: n.Bare, Kind: n.Kind(info), Range: places[0].Full,
			NameAt: places[0].Range}, o.Symbol, n.Parent})
	}
	var below func(parent string) []lsp.Symbol
	below = func(parent string) (out []lsp.Symbol) {
		for _, n := range nodes {
			top := !slices.ContainsFunc(nodes, func(p node) bool { return p.sym == n.parent && p.sym != n.sym })
			if parent == "" && top || parent != "" && n.parent == parent && n.sym != parent {
				n.Children = below(n.sym)
				out = append(out, n.Symbol)
			}
		}
		return out
	}
	return below(""), text, nil
}

// Search returns the symbols whose bare name match accepts, with where they are defined. Of many, those whose name
// holds the word and the short ones are looked at.
func (q *Question) Search(ctx context.Context, word string, match func(name string) bool) (out []symbol.SymbolHit,
	err error) {
	folded := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	far := func(name string) int {
		if strings.Contains(folded(name), folded(word)) {
			return 0
		}
		return 1
	}
	for _, t := range q.tables {
		found, err := t.Matching(ctx, match)
		if err != nil {
			return nil, err
		}
		q.use(t)
		slices.SortStableFunc(found, func(a, b index.Defined) int {
			return cmp.Or(far(a.Name)-far(b.Name), len(a.Name)-len(b.Name))
		})
		for i, f := range found {
			if i == maxFound {
				q.c.Warn(contract.WarnTruncated, contract.Facts{"total": len(found), "returned": maxFound},
					"more symbols of the index match than lspi looks at; a longer query narrows the search")
				break
			}
			s, err := q.about(ctx, t, nil, []string{f.Symbol})
			if err != nil {
				return nil, err
			}
			places, err := q.Definitions(ctx, s)
			if err != nil {
				return nil, err
			}
			for _, p := range places {
				signature, _ := Documentation(s.Information)
				parts := s.Name.Parts
				out = append(out, symbol.SymbolHit{Sym: lsp.WorkspaceSymbol{Name: s.Name.Bare, Kind: s.Kind, Place: p},
					Route: q.route(p.Path), Known: parts[max(len(parts)-2, 0):], Detail: signature})
			}
		}
	}
	return out, nil
}

// maxFound bounds the symbols of one search: each is looked up in its document.
const maxFound = 500

// route is that of a file's preferred server, whether it can run or not; of a file that none serves, one of no server.
func (q *Question) route(path string) router.Route {
	routes, err := q.c.Workspace.Table.Route(q.c.Workspace.Process.Files, path)
	if err != nil || len(routes) == 0 {
		return router.Route{Spec: &spec.Spec{}}
	}
	return routes[0]
}

// Language is LSP's language identifier of a file.
func (q *Question) Language(path string) string {
	return q.route(path).Spec.LanguageID(symbol.Base(path))
}
