package loaded

import (
	"context"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// Sources returns the files of a folder that a server serves, as far as they are in the allowed roots. They come from
// the journal, in no particular order: sort them where the order can be seen, or a bound cuts them.
func Sources(c *answer.Call, s *lsp.Snapshot, folder string) (out []string) {
	journal := c.Workspace.Pool.Journal(folder)
	if journal == nil { // such as the folder that holds a module of the workspace and one that it replaces outside
		for _, root := range c.Workspace.Table.Allowed() {
			if _, inside := source.RelativeTo(folder, root); inside {
				out = append(out, Sources(c, s, root)...)
			}
		}
		return out
	}
	type key struct {
		spec   *spec.Spec
		folder string
	}
	// The chosen ones are shared, until a file comes or goes.
	return slices.Clone(journal.Choose(key{s.Spec(), folder}, func(path string) bool {
		_, ok := source.RelativeTo(folder, path)
		return ok && s.Spec().Serves(symbol.Base(path))
	}))
}

// GeneratorStep returns the step that has a project file of a folder made. It is a command only where
// that can succeed as it stands; else it says in words what comes first.
func GeneratorStep(c *answer.Call, m *spec.Generator, folder string) contract.NextStep {
	where := "in " + c.Folder(folder) + ", then repeat the call."
	// A command is offered only when it can succeed as it stands; else the step says in words what comes first.
	missing := m.Missing(launch.ThisSystem(c.Workspace.Table.Environ).Look)
	switch {
	case m.Command == "":
		return contract.NextStep{Kind: contract.StepConfig, Message: m.Note}
	case m.Note != "":
		return contract.NextStep{Kind: contract.StepConfig, Message: m.Note + " Then run " + m.Command + " " + where}
	case missing != "":
		return contract.NextStep{Kind: contract.StepDoc, Message: "Install " + missing + " first, then run " +
			m.Command + " " + where}
	}
	return contract.NextStep{Kind: contract.StepCommand, Command: m.Command, Message: "Run it " + where}
}

// HoldersLimit bounds the look into the files that a server does not read. It is enough for some 10,000
// files in the page cache; what was not read in time counts as holding the name.
const HoldersLimit = time.Second

// unresolvedLimit bounds the search for the reason of an empty answer.
const unresolvedLimit = 5 * time.Second

// declarationOf returns where what is at a place is declared; ok is false where that is not one place.
// A hook may know without a request that the place itself is the declaration; see
// [lsp.Declared].
func declarationOf(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) (lsp.Place, bool) {
	if declared, ok := lsp.Declared(s.Server, at.Path, at.At); ok {
		return declared, true
	}
	places, err := s.Recalling().Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) != 1 || places[0].Err != nil {
		return lsp.Place{}, false
	}
	return places[0], true
}

// InPlaces returns whether a file is among those of places.
func InPlaces(places []lsp.Place) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Path == path })
	}
}

// within bounds what is done behind an answer: by a limit, and by a part of the time that the call has left.
func within(ctx context.Context, limit time.Duration, part float64) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Duration(part*float64(time.Until(deadline))))
	}
	return context.WithTimeout(ctx, limit)
}

// ExclusionTime returns how long a call that ends with ctx may look at what a build leaves out: half of
// what it has left, within the bounds, and the long bound where ctx has no end.
func ExclusionTime(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return exclusionLongLimit
	}
	return min(exclusionLongLimit, max(exclusionLimit, time.Until(deadline)/2))
}

// givenAway reports whether a file in which a symbol stands may give it to others under another name
// (an export as), so that these need not hold the known names. A file that cannot be read may.
func givenAway(s *lsp.Snapshot, places []lsp.Place, names []string) bool {
	p := s.Spec().Project
	if p == nil || p.Renames == nil {
		return false
	}
	seen := map[string]bool{}
	return slices.ContainsFunc(places, func(at lsp.Place) bool {
		if seen[at.Path] {
			return false
		}
		seen[at.Path] = true
		text, err := s.Documents().Text(at.Path)
		return err != nil || p.Renames(text.Content(), names)
	})
}
