package rust

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/move/splice"
	"lspi/tools/symbol"
)

// Host is the call that plans a move.
type Host struct {
	Ctx      context.Context
	Call     *answer.Call
	Snapshot *lsp.Snapshot
	Path     string // of what moves
	// Holding are the files of the workspace that hold one of words.
	Holding func(words ...string) ([]string, error)
	// Refuse is the error for a move that is not made; next says how to go on.
	Refuse func(reason, next, format string, args ...any) error
}

// needsLook warns of what cargo check does not show.
func (h *Host) needsLook(label, format string, args ...any) {
	h.Call.Warn(contract.WarnNeedsConfirmation, contract.Facts{"label": label, "files": h.Call.ShowSome([]string{h.Path})},
		fmt.Sprintf(format, args...))
}

// SymbolHost is the call that plans the move of an item.
type SymbolHost struct {
	Host
	Uses          func() ([]lsp.Place, error) // of the item; it warns of what may be missing
	At            symbol.Located
	To            string
	Fresh         bool // the target is made
	NoDeclaration func() error
	Registered    func(d *edits.Declaration, uses []lsp.Place)
}

// FileHost is the call that plans the move of a module.
type FileHost struct {
	Host
	To     string
	Folder bool
	Files  []string // that move
	Listed func(dir string) ([]string, error)
}

// Moved is what a move changes.
type Moved struct {
	After  map[string]string // the new texts, by the paths before
	Near   []string          // files with uses
	Left   []splice.Place
	Files  []string // that move, of the move of a module
	Beside string   // the folder of submodules that moves with the file; else ""
}

// The steps after a refusal.
const (
	ByEdits  = "Cut it, insert it there and change its uses by one check_edit with apply_if_clean, which tells what breaks."
	ByHand   = "Move it with your own tools, then mend what get_diagnostics names."
	AsModule = "Rename the module by its name at its mod line, which takes both along, or move both with your own tools."
)

func isSource(path string) bool { return lang.Of(path).ID == "rust" }

// texts are the texts with all changes.
func (r *rustMove) texts() map[string]string {
	out := map[string]string{}
	for path, changes := range r.changes {
		if f := r.crates.texts[path]; f != nil {
			out[path] = tidied(f.content(), splice.Apply(f.content(), changes), changes...)
		}
	}
	return out
}
