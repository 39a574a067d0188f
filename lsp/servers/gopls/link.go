package gopls

import (
	"lspi/internal/lang/golang"
	"lspi/lsp"
)

// workFile joins modules.
const workFile = "go.work"

// link: each module is a view of its own; references in one do not show the uses in
// another that replaces it by a path.
var link = &lsp.Link{File: "go.mod", Joined: workFile, Join: "go work init", Add: "go work use",
	Uses: golang.ReplacedFolders}
