package lsp

import (
	"context"

	"lspi/contract"
)

// ConditionHooks tell which code a condition of the language (#if, #[cfg]) leaves out of the server's build. All
// are there.
type ConditionHooks struct {
	// Conditional is where the code of a text holds one of names (nil: any word) in what a condition may leave out,
	// as offsets.
	Conditional func(content string, names []string) []int
	// ConditionSign is what conditions are written with, for people.
	ConditionSign string
	// RefersToInactive reports whether references have the uses in code that is left out; callers and
	// implementations have none there.
	RefersToInactive bool
	// InactiveIn opens sources and gives, by path, the stretches that the server's builds leave out, for those of
	// which it tells before ctx ends.
	InactiveIn func(ctx context.Context, files []string) map[string][]contract.Range
	// KnowsInactive reports whether InactiveIn costs little for a file, since the server has it open or has told.
	KnowsInactive func(path string) bool
}
