package ask

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
)

// neededServer is a server of the table that files of the workspace need.
type neededServer struct {
	Spec  *spec.Spec
	Files int  // how many of them it serves
	Asked bool // it is the one that answers for some of them: the first that is installed, or the first at all

	found *router.Survey
}

// Projects are the parts of the workspace for each of which it answers on its own.
func (n neededServer) Projects() []router.Project { return n.found.Projects(n.Spec) }

// SurveyServers returns the servers that the workspace has files for, in the order of the table. It
// asks no server, and looks no longer than [answer.ScanPatience]; a warning says when it did not see
// all files.
func SurveyServers(ctx context.Context, c *answer.Call) []neededServer {
	// The walk may be of a huge tree; what it has seen by then is still a useful list.
	patient, cancel := context.WithTimeout(ctx, answer.ScanPatience)
	defer cancel()
	found, err := router.SurveyWorkspace(patient, c.Workspace.Table, c.Workspace.Process.Files)
	if err != nil {
		c.Warn(contract.WarnSyncIncomplete, contract.Facts{"reason": "time"},
			"lspi could not search the whole workspace in time; servers that it needs may be missing here")
	}
	files, asked := map[*spec.Spec]int{}, map[*spec.Spec]bool{}
	for _, k := range found.Kinds() {
		for _, spec := range k.Candidates {
			files[spec] += k.Files
		}
		// One for each kind of files: a second server for the same files is needed only when the first is missing.
		if spec := whoAnswers(c, k.Candidates); spec != nil {
			asked[spec] = true
		}
	}
	var out []neededServer
	for i := range c.Workspace.Table.Specs {
		if spec := &c.Workspace.Table.Specs[i]; files[spec] > 0 {
			out = append(out, neededServer{spec, files[spec], asked[spec], found})
		}
	}
	return out
}

// whoAnswers returns the server to which a question about a file goes; nil when no candidate navigates.
func whoAnswers(c *answer.Call, candidates []*spec.Spec) *spec.Spec {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(s *spec.Spec) bool {
		return !s.Roles.Has(spec.RoleNavigation)
	})
	for _, spec := range candidates {
		if answer.Program(c, spec) != "" {
			return spec
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return nil
}

// The states of a server in status answers, in the order of how much can be had from it.
const (
	StateReady    = "ready"
	StateIndexing = "indexing"
	StateStarting = "starting"
	StateFailed   = "failed"   // the last start or process failed; the next call tries again
	StateDisabled = "disabled" // it failed too often and is left alone for a while
	StateStopped  = "stopped"  // a program is there and is started by the first call that needs it
	StateMissing  = "missing"  // no program is there
	StateOff      = "off"      // the configuration says enabled = false
)

// StateOf returns the state of one slot of the pool.
func StateOf(st router.ServerStatus) string {
	if st.Server == nil {
		return st.State
	}
	if st.Server.Status().Ready {
		return StateReady
	}
	return StateIndexing
}

// State returns the best state that the server has at any of its roots.
func State(c *answer.Call, spec *spec.Spec) string {
	order := []string{StateReady, StateIndexing, StateStarting, StateFailed, StateDisabled}
	best := len(order)
	for _, st := range answer.PoolStatus(c) {
		if i := slices.Index(order, StateOf(st)); st.Spec == spec && i >= 0 && i < best {
			best = i
		}
	}
	switch {
	case best < len(order):
		return order[best]
	case answer.Program(c, spec) == "":
		return StateMissing
	}
	return StateStopped
}
