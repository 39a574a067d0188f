package rust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/edits"
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
	Left   []Place
	Files  []string // that move, of the move of a module
	Beside string   // the folder of submodules that moves with the file; else ""
}

// Place is a use that a move breaks.
type Place struct {
	Path string
	Line int
	Text string
}

// The steps after a refusal.
const (
	ByEdits  = "Cut it, insert it there and change its uses by one check_edit with apply_if_clean, which tells what breaks."
	ByHand   = "Move it with your own tools, then mend what get_diagnostics names."
	AsModule = "Rename the module by its name at its mod line, which takes both along, or move both with your own tools."
)

func isSource(path string) bool { return lang.Of(path).ID == "rust" }

// placeOf is the place of an offset, with its line.
func placeOf(text *source.Text, offset int) Place {
	line := text.LineOf(offset) + 1
	return Place{text.Path, line, strings.TrimSpace(text.Line(line))}
}

// change is a replacement of bytes of a text.
type change struct {
	start, end int
	text       string
}

// applied returns a text with changes, which do not overlap.
func applied(text string, changes []change) string {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	changes = slices.Compact(changes) // a use may be found in two ways
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(text[at:c.start] + c.text)
		at = c.end
	}
	return b.String() + text[at:]
}

// texts are the texts with all changes.
func (r *rustMove) texts() map[string]string {
	out := map[string]string{}
	for path, changes := range r.changes {
		if f := r.crates.texts[path]; f != nil {
			out[path] = tidied(f.content(), applied(f.content(), changes), changes...)
		}
	}
	return out
}

// lineEndOf is the line end of the first text that has one.
func lineEndOf(texts ...string) string {
	for _, text := range texts {
		if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
			return "\r\n"
		} else if i >= 0 {
			return "\n"
		}
	}
	return "\n"
}

// withLineEnd returns a text with other line ends.
func withLineEnd(text, end string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", end)
}
