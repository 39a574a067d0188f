package servers

import (
	"lspi/lsp"
	"lspi/lsp/servers/clangd"
	"lspi/lsp/servers/gopls"
	"lspi/lsp/servers/pyright"
	"lspi/lsp/servers/rustanalyzer"
	"lspi/lsp/servers/tsnative"
	"lspi/lsp/servers/tsserver"
	"lspi/lsp/servers/vue"
	"lspi/lsp/spec"
)

// launchers make what is particular about servers beyond the data of their rows, by the id of the row.
var launchers = map[string]func() lsp.Launcher{
	"basedpyright":               adapterOnly(pyright.NewBased),
	"clangd":                     clangd.NewLauncher,
	"gopls":                      gopls.NewLauncher,
	"pyright":                    adapterOnly(pyright.New),
	"rust-analyzer":              rustanalyzer.NewLauncher,
	"typescript-language-server": adapterOnly(func(s *lsp.Server) lsp.Adapter { return tsserver.New(s) }),
	"typescript-native":          adapterOnly(tsnative.New),
	"vue":                        vue.NewLauncher,
}

// Launcher makes what starts the processes of a server (pool.PoolOptions has it): that of the row that the spec is
// based on, else one with the plain adapter.
func Launcher(s *spec.Spec) lsp.Launcher {
	if of := launchers[s.Kind]; of != nil {
		return of()
	}
	return lsp.NewAdapter(lsp.New)
}

// adapterOnly is for servers whose processes need no preparation.
func adapterOnly(adapter lsp.NewAdapter) func() lsp.Launcher {
	return func() lsp.Launcher { return adapter }
}
