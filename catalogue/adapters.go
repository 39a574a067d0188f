package catalogue

import (
	"lspi/adapter"
	"lspi/adapter/clangd"
	"lspi/adapter/gopls"
	"lspi/adapter/pyright"
	"lspi/adapter/rustanalyzer"
	"lspi/adapter/tsserver"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// adapters make what is particular about servers beyond the data of their rows, by the id of the row.
var adapters = map[string]lsp.NewAdapter{
	"basedpyright":               pyright.NewBased,
	"clangd":                     clangd.New,
	"gopls":                      gopls.New,
	"pyright":                    pyright.New,
	"rust-analyzer":              rustanalyzer.New,
	"typescript-language-server": tsserver.New,
}

// Launcher makes what starts the processes of a server (pool.Options has it): that of the row that the spec is based on, else one with
// the plain adapter.
func Launcher(s *spec.Spec) lsp.Launcher {
	if of := adapters[s.Kind]; of != nil {
		return of
	}
	return lsp.NewAdapter(adapter.New)
}
