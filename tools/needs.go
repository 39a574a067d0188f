package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
)

// need is a server of the table that the workspace has files for.
type need struct {
	spec  *lsp.Spec
	files int  // that it serves
	asked bool // for some of them it is who answers: the first for navigation that is installed, or the first at all
}

// needs lists the servers that the workspace has files of its own for, in the order of the table. It asks no server.
func (c *Call) needs(ctx context.Context) []need {
	patient, cancel := context.WithTimeout(ctx, scanPatience)
	defer cancel()
	census, err := router.Survey(patient, c.env.Table, c.env.Files)
	if err != nil {
		c.warn(contract.WarnSyncIncomplete, contract.Facts{"reason": "time"},
			"the workspace could not be searched within the time for it; servers that it needs may be missing here")
	}
	files, asked := map[*lsp.Spec]int{}, map[*lsp.Spec]bool{}
	for _, k := range census.Kinds() {
		for _, spec := range k.Candidates {
			files[spec] += k.Files
		}
		if spec := c.whoAnswers(k.Candidates); spec != nil {
			asked[spec] = true
		}
	}
	var out []need
	for i := range c.env.Table.Specs {
		if spec := &c.env.Table.Specs[i]; files[spec] > 0 {
			out = append(out, need{spec, files[spec], asked[spec]})
		}
	}
	return out
}

// whoAnswers is the server that a question about a file goes to; nil when none navigates.
func (c *Call) whoAnswers(candidates []*lsp.Spec) *lsp.Spec {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(s *lsp.Spec) bool { return !s.Roles.Has(lsp.RoleNavigation) })
	for _, spec := range candidates {
		if c.program(spec) != "" {
			return spec
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return nil
}

// The states of a server, in the order of how much can be had from it.
const (
	stateReady    = "ready"
	stateIndexing = "indexing"
	stateStarting = "starting"
	stateFailed   = "failed"   // the last start or process failed; the next call tries again
	stateDisabled = "disabled" // it failed too often and is left alone for a while
	stateStopped  = "stopped"  // a program is there and is started by the first call that needs it
	stateMissing  = "missing"  // no program is there
	stateOff      = "off"      // the configuration says enabled = false
)

// stateOf is the state of one slot of the pool.
func stateOf(st router.ServerStatus) string {
	if st.Server == nil {
		return st.State
	}
	if st.Server.Status().Ready {
		return stateReady
	}
	return stateIndexing
}

// state is the best state that the server has on any of its roots.
func (c *Call) state(spec *lsp.Spec) string {
	order := []string{stateReady, stateIndexing, stateStarting, stateFailed, stateDisabled}
	best := len(order)
	for _, st := range c.status() {
		if i := slices.Index(order, stateOf(st)); st.Spec == spec && i >= 0 && i < best {
			best = i
		}
	}
	switch {
	case best < len(order):
		return order[best]
	case c.program(spec) == "":
		return stateMissing
	}
	return stateStopped
}
