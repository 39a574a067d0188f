package tools

import (
	"slices"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/source"
)

// reach are the files of the project, made at the first need.
type reach struct {
	once sync.Once
	of   *source.Reach
}

// text is the text of a file of the project as it is on disk. What lies elsewhere is read by the server's leave alone.
func (e *Env) text(path string) (*source.Text, error) {
	e.reach.once.Do(func() { e.reach.of = source.NewReach(append([]string{e.Settings.Workspace}, e.Settings.Roots...)...) })
	return e.Texts.Load(path, e.reach.of)
}

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
