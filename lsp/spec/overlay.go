package spec

import (
	"slices"
	"strings"
)

// OverlayArgs changes the arguments of a server whose open documents count for the files that include them only when
// it is started with certain arguments. With these its answers depend on the order in which documents change; so a
// process with them is started for trials alone. It ends after a trial, unless it may stay for the next one (Reuser
// of package lsp).
type OverlayArgs struct {
	Drop []string // arguments that begin so are left out
	Add  []string
	// User is what it gets behind the user's own text of [Restriction].User, whether it is restricted or not: what
	// only costs time in a process that no other questions are put to.
	User string
}

// ForOverlay returns the spec of the process that is shown texts which are not on disk; nil when the running one can
// be.
func (s *Spec) ForOverlay() *Spec {
	args := s.Diagnostics.Overlay
	if args == nil {
		return nil
	}
	out := *s
	out.Readiness = Readiness{} // it has no index to wait for
	out.Commands = slices.Clone(s.Commands)
	for i := range out.Commands {
		c := &out.Commands[i]
		c.Args = append(slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool {
			return slices.ContainsFunc(args.Drop, func(begin string) bool { return strings.HasPrefix(a, begin) })
		}), args.Add...)
	}
	return &out
}
