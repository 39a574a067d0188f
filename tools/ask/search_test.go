package ask

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/symbol"
)

// A package that a server writes before a name is the container, and only once.
func TestNamesOfPackages(t *testing.T) {
	for _, c := range []struct{ name, container, bare, qualified string }{
		{"Load", "golang.org/x/tools/go/packages", "Load", "packages.Load"},
		{"packages.Load", "golang.org/x/tools/go/packages", "Load", "packages.Load"},
		{"golang.org/x/tools/go/packages.Config.Mode", "golang.org/x/tools/go/packages", "Config.Mode", "Config.Mode"},
		{"Load", "example.com/m/v2", "Load", "Load"},
		{"Widget.draw", "Widget", "Widget.draw", "Widget.draw"},
		{"draw", "ui::Widget", "draw", "ui.Widget.draw"},
	} {
		bare := WithoutPackage(c.name, c.container)
		h := symbol.SymbolHit{Sym: lsp.WorkspaceSymbol{Name: bare, Container: c.container},
			Route: router.Route{Spec: &spec.Spec{}}}
		testkit.Diff(t, [2]string{bare, h.Qualified()}, [2]string{c.bare, c.qualified}, c.name)
		if !h.Means(symbol.Components(c.qualified)) {
			t.Errorf("%s does not mean itself", c.qualified)
		}
	}
}
