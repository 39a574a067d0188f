package answer

import (
	"fmt"
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

// Inside are the hits of a search but for those in files that lspi does not read ([lsp.Place.Outside]), of which it
// warns: whoever searches has not named them, and a name may be all that such a file keeps (an included list of keys).
func (c *Call) Inside(hits []symbol.SymbolHit) []symbol.SymbolHit {
	var files []string
	inside := slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool {
		if h.Sym.Place.Outside() {
			files = append(files, c.Show(h.Sym.Place.Path))
			return true
		}
		return false
	})
	if n := len(files); n > 0 {
		slices.Sort(files)
		files = slices.Compact(files)
		facts := contract.Facts{"files": files[:min(len(files), 10)], "total": n}
		c.Warn(contract.WarnOutsideSources, facts, fmt.Sprintf(
			"matches in files outside of the workspace and of the known folders of dependencies are not shown (%d); "+
				"if the folder belongs to the project, the user may add it to workspace_folders in lspi's configuration", n))
	}
	return inside
}
