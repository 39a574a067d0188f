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
	"basedpyright":               hooksOnly(pyright.NewBased),
	"clangd":                     clangd.NewLauncher,
	"gopls":                      gopls.NewLauncher,
	"pyright":                    hooksOnly(pyright.New),
	"rust-analyzer":              rustanalyzer.NewLauncher,
	"typescript-language-server": hooksOnly(func(s *lsp.Server) *lsp.Hooks { return tsserver.New(s).Hooks() }),
	"typescript-native":          hooksOnly(tsnative.New),
	"vue":                        vue.NewLauncher,
}

// Launcher makes what starts the processes of a server (router.PoolOptions has it): that of the row that the spec is
// based on, else one without hooks.
func Launcher(s *spec.Spec) lsp.Launcher {
	if of := launchers[s.Kind]; of != nil {
		return of()
	}
	return lsp.NewHooks(func(*lsp.Server) *lsp.Hooks { return &lsp.Hooks{} })
}

// hooksOnly is for servers whose processes need no preparation.
func hooksOnly(hooks lsp.NewHooks) func() lsp.Launcher {
	return func() lsp.Launcher { return hooks }
}
