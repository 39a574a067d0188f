package edit

import (
	"path/filepath"
	"strings"
)

// Prefix begins the names of the files that exist beside the edited ones while a plan is applied.
const Prefix = ".lspi-edit-"

// deed is what a step does. None replaces anything but deedSwap, which exchanges.
type deed string

const (
	deedSwap   deed = "swap"   // Aux holds the new text, then the old one
	deedPlace  deed = "place"  // Aux becomes Path
	deedMove   deed = "move"   // From becomes Path
	deedRemove deed = "remove" // Path becomes Aux
	deedMkdir  deed = "mkdir"  // Path is made
)

// step is one change of the tree, as it stands in the journal. All swaps come before all other steps. Paths are as of the
// time of the step: a folder may be moved later.
type step struct {
	Deed   deed   `json:"deed"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Aux    string `json:"aux,omitempty"`
	Stage  string `json:"stage,omitempty"`  // where Aux is written, before all steps
	Like   string `json:"like,omitempty"`   // place: the file whose mode the new one gets
	Before string `json:"before,omitempty"` // digest of what Path (swap, remove) or From (move, "" for a folder) holds
	After  string `json:"after,omitempty"`  // digest of what is written to Stage

	node *node  // what it is done to, until the plan is finished
	text string // what is written to Stage
}

// carry is where what was at path is after a move.
func carry(path, from, to string) string {
	if rest, ok := under(path, from); ok {
		return to + rest
	}
	return path
}

// under is the rest of path behind dir, "" for dir itself, and whether it is dir or in it.
func under(path, dir string) (string, bool) {
	rest, ok := strings.CutPrefix(path, dir)
	if !ok || rest == "" || strings.HasSuffix(dir, string(filepath.Separator)) {
		return rest, ok
	}
	return rest, rest[0] == filepath.Separator
}
