package edit

import (
	"path/filepath"

	"lspi/internal/source"
)

// Prefix begins the names of the files that exist beside the edited ones while a plan is applied.
const Prefix = ".lspi-edit-"

// stepKind is what a step does. None replaces anything but stepSwap, which exchanges. The words are those of
// journals on disk.
type stepKind string

const (
	stepSwap   stepKind = "swap"   // Aux holds the new text, then the old one
	stepPlace  stepKind = "place"  // Aux becomes Path
	stepMove   stepKind = "move"   // From becomes Path
	stepRemove stepKind = "remove" // Path becomes Aux
	stepMkdir  stepKind = "mkdir"  // Path is made
)

// step is one change of the tree, as it stands in the journal. All swaps come before all other steps. Paths are as
// of the time of the step: a folder may be moved later.
type step struct {
	Kind  stepKind `json:"deed"`
	Path  string   `json:"path"`
	From  string   `json:"from,omitempty"`
	Aux   string   `json:"aux,omitempty"`
	Stage string   `json:"stage,omitempty"` // where Aux is written, before all steps
	Like  string   `json:"like,omitempty"`  // place: the file whose mode the new one gets
	// digest of what Path (swap, remove) or From (move, "" for a folder) holds
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"` // digest of what is written to Stage

	node *node  // what it is done to, until the plan is finished
	text string // what is written to Stage
}

// moved is what the step gives another path, and that path; both are "" for a swap and a new folder.
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

// carry is where what was at path is after the step.
func (s *step) carry(path string) string {
	from, to := s.moved()
	return carry(path, from, to)
}

// carryBack is where what was at path is after the step was undone.
func (s *step) carryBack(path string) string {
	from, to := s.moved()
	return carry(path, to, from)
}

// carry is where what was at path is after a move; from may be "" when nothing moved.
func carry(path, from, to string) string {
	if from == "" {
		return path
	}
	if rel, ok := source.RelativeTo(from, path); ok {
		return filepath.Join(to, rel)
	}
	return path
}
