package lsp

import (
	"context"

	"lspi/contract"
)

// ConditionReader is the adapter of a server that tells which code a condition of the language leaves out of its build.
type ConditionReader interface {
	// Conditional is where the code of a text holds one of names (nil: any word) in what a condition may leave out,
	// as offsets.
	Conditional(content string, names []string) []int
	// ConditionSign is what conditions are written with, for people.
	ConditionSign() string
	// RefersToInactive reports whether references have the uses in code that is left out; callers and
	// implementations have none there.
	RefersToInactive() bool
	// MayImplement reports whether a line of such code may make something an implementation of what has a name.
	MayImplement(line, name string) bool
	// InactiveIn opens sources and gives, by path, the stretches that the server's builds leave out, for those of
	// which it tells before ctx ends.
	InactiveIn(ctx context.Context, files []string) map[string][]contract.Range
	// KnowsInactive reports whether InactiveIn costs little for a file, since the server has it open or has told.
	KnowsInactive(path string) bool
}

// Conditions is how a server tells which code a condition leaves out; nil when it does not.
func Conditions(s *Server) ConditionReader {
	r, _ := s.Adapter().(ConditionReader)
	return r
}
