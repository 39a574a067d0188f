package gopls

import (
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// modFile makes its folder a module, workFile joins modules.
const (
	modFile  = "go.mod"
	workFile = "go.work"
)

// link: each module is a view of its own; references in one do not show the uses in
// another that replaces it by a path.
var link = &lsp.Link{File: modFile, Joined: workFile, Join: "go work init", Add: "go work use",
	Uses: replaced}

// replaced are the folders by which the module of a folder replaces others.
func replaced(folder string) []string {
	if golang.Vendored(source.OS{}, folder) {
		return nil
	}
	return golang.ReplacedFolders(folder)
}
