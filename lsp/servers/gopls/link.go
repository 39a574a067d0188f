package gopls

import (
	"lspi/internal/lang/golang"
	"lspi/lsp/adapter"
)

// workFile joins modules.
const workFile = "go.work"

// Link is of [adapter.ProjectLinker]: each module is a view of its own; references in one do not show the uses in
// another that replaces it by a path.
func (*Adapter) Link() *adapter.Link {
	return &adapter.Link{File: "go.mod", Joined: workFile, Join: "go work init", Add: "go work use",
		Uses: golang.ReplacedFolders}
}
