package edit

import (
	"path/filepath"

	"lspi/internal/source"
)

// Prefix begins the names of the auxiliary files that exist beside the edited ones while a plan is applied.
const Prefix = ".lspi-edit-"

// stepKind is what a step does. Only stepSwap replaces something, by an exchange. The words are in journals on disk.
type stepKind string

const (
	stepSwap   stepKind = "swap"   // Aux and Path are exchanged: Aux holds the new text before, the old one after
	stepPlace  stepKind = "place"  // Aux is moved to Path
	stepMove   stepKind = "move"   // From is moved to Path
	stepRemove stepKind = "remove" // Path is moved to Aux
	stepMkdir  stepKind = "mkdir"  // the folder Path is made
)

// step is one change of the tree, as the journal has it. All swaps come before all other steps. Its paths are those
// at the time of the step: a later step may move a folder of them (see run.where).
type step struct {
	Kind  stepKind `json:"deed"`
	Path  string   `json:"path"`
	From  string   `json:"from,omitempty"`
	Aux   string   `json:"aux,omitempty"`
	Stage string   `json:"stage,omitempty"` // where the text of Aux is written, before all steps
	Like  string   `json:"like,omitempty"`  // place: the file whose mode the new one gets
	// Before is the digest of what is at Path (swap, remove) or From (move; "" for a folder) before the step.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"` // digest of what is written to Stage

	node *node  // what the step changes; nil once the plan is finished
	text string // written to Stage
}

// moved returns what the step moves, and where; both are "" for a swap and a new folder.
func (s *step) moved() (from, to string) {
	switch s.Kind {
	case stepMove:
		return s.From, s.Path
	case stepRemove:
		return s.Path, s.Aux
	case stepPlace:
		return s.Aux, s.Path
	default:
		return "", ""
	}
}

// carry returns where something is after the step that was at path before it.
func (s *step) carry(path string) string {
	from, to := s.moved()
	return carry(path, from, to)
}

// carryBack returns where something is after the step was undone that was at path before.
func (s *step) carryBack(path string) string {
	from, to := s.moved()
	return carry(path, to, from)
}

// carry returns where something is after a move that was at path before it; from is "" when nothing moved.
func carry(path, from, to string) string {
	if from == "" {
		return path
	}
	if rel, ok := source.RelativeTo(from, path); ok {
		return filepath.Join(to, rel)
	}
	return path
}
