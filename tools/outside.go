package tools

import (
	"slices"

	"lspi/contract"
	"lspi/lsp"
)

// outside warns of places in files that are not read.
func (c *Call) outside(places []lsp.Place) {
	var files []string
	for _, p := range places {
		if p.Outside() {
			files = append(files, c.show(p.Path))
		}
	}
	if len(files) == 0 {
		return
	}
	slices.Sort(files)
	files = slices.Compact(files)
	c.warn(contract.WarnOutsideSources, contract.Facts{"files": files[:min(len(files), 10)]}, "the server points outside of the workspace "+
		"and of the known folders of dependencies: these places have no text, and their characters are as the server counts; "+
		"if the folder belongs to the project, the user may add it to workspace_folders in lspi's configuration")
}

// outsideHits is outside of a search.
func (c *Call) outsideHits(hits []hit) {
	var places []lsp.Place
	for _, h := range hits {
		places = append(places, h.sym.Place)
	}
	c.outside(places)
}
