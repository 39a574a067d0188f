package move

import (
	"context"

	"lspi/lsp"
	"lspi/tools/move/rust"
	"lspi/tools/symbol"
)

// rustSymbolRule: rust-analyzer moves no item (1.97.1).
var rustSymbolRule = symbolRule{languages: []string{"rust"}, plan: planRustSymbol}

func planRustSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	moved, err := rust.Symbol(&rust.SymbolHost{Host: rust.Host{Ctx: ctx, Call: m.c, Snapshot: m.s, Refuse: m.refuse,
		Uses:    func(at symbol.Located) ([]lsp.Place, error) { return rustUsesOf(ctx, m.c, m.s, at, m.usesOf) },
		Holding: func(words ...string) ([]string, error) { return m.holding(ctx, words...) }},
		At: m.at, To: m.to, Fresh: m.fresh, NoDeclaration: m.noDeclaration, NeedsLook: m.needsLook,
		Registered: m.registered})
	if err != nil {
		return nil, err
	}
	m.after, m.near, m.left = moved.After, moved.Near, placesOf(moved.Left)
	return nil, nil
}
