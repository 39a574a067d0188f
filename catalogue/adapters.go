package catalogue

import (
	"lspi/adapter"
	"lspi/adapter/clangd"
	"lspi/adapter/gopls"
	"lspi/adapter/pyright"
	"lspi/adapter/rustanalyzer"
	"lspi/adapter/tsserver"
	"lspi/lsp"
)

// adapters make what is particular about servers beyond the data of their rows, by the id of the row.
var adapters = map[string]func(*lsp.Server) lsp.Adapter{
	"basedpyright":               pyright.NewBased,
	"clangd":                     clangd.New,
	"gopls":                      gopls.New,
	"pyright":                    pyright.New,
	"rust-analyzer":              rustanalyzer.New,
	"typescript-language-server": tsserver.New,
}

// Adapter makes the adapter of a process ([lsp.Options].Adapter): that of the row that its spec is based on, else the plain one.
func Adapter(s *lsp.Server) lsp.Adapter {
	if of := adapters[s.Spec().Kind]; of != nil {
		return of(s)
	}
	return adapter.New(s)
}
