package answer

import (
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/symbol"
)

// warnOutside warns of places in files that lspi does not read, because they lie outside of the
// workspace and of the known folders of dependencies: what is only asked about must not show files from
// anywhere on the machine.
func (c *Call) warnOutside(places []lsp.Place) {
	var files []string
	for _, p := range places {
		if p.Outside() {
			files = append(files, c.Show(p.Path))
		}
	}
	if len(files) == 0 {
		return
	}
	slices.Sort(files)
	files = slices.Compact(files)
	c.Warn(contract.WarnOutsideSources, contract.Facts{"files": files[:min(len(files), 10)]},
		"the server points outside the workspace "+
			"and the known folders of dependencies; these places have no text, and their columns are as the server counts them; "+
			"if the folder belongs to the project, the user may add it to workspace_folders in lspi's configuration")
}

// WarnOutsideHits is warnOutside for the hits of a search.
func (c *Call) WarnOutsideHits(hits []symbol.SymbolHit) {
	var places []lsp.Place
	for _, h := range hits {
		places = append(places, h.Sym.Place)
	}
	c.warnOutside(places)
}
