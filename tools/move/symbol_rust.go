package move

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/move/rust"
)

// rustSymbolRule: rust-analyzer moves no item (1.97.1).
var rustSymbolRule = symbolRule{languages: []string{"rust"}, plan: planRustSymbol}

func planRustSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	moved, err := rust.Symbol(&rust.SymbolHost{Host: rust.Host{Ctx: ctx, Call: m.c, Snapshot: m.s, Path: m.at.Path,
		Refuse:  m.refuse,
		Holding: func(words ...string) ([]string, error) { return m.holding(ctx, words...) }},
		Uses: m.uses(ctx), At: m.at, To: m.to, Fresh: m.fresh, NoDeclaration: m.noDeclaration,
		Registered: m.registered})
	if err != nil {
		return nil, err
	}
	m.after, m.near, m.left = moved.After, moved.Near, moved.Left
	return nil, nil
}

// uses are all uses of what moves. Who mentions its name alone goes on to do so.
func (m *symbolMove) uses(ctx context.Context) func() ([]lsp.Place, error) {
	return func() ([]lsp.Place, error) {
		places, err := m.usesOf(ctx, m.c, m.s, m.at)
		m.c.Withdraw(func(w contract.Warning) bool { return w.Kind == contract.WarnMentions })
		return places, err
	}
}
