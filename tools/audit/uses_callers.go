package audit

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// UsesOfCalled is [Uses] for each item whose callers were asked for. What the server knows of an item are its
// references and not its callers: a function that is passed as a value is known, and is no call. In a file without a
// caller references prove nothing: typescript-language-server (6.0.2) has those in open files that no project takes in,
// and no callers there. A use that the server does not list, though it leads to the item, may be a call; it is told.
//
// Of the first roots of the items the calls among those are given back instead, where values may have no type.
func UsesOfCalled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked []lsp.HierarchyItem, roots int,
	callers []lsp.Place) (calls []lsp.Call) {
	called := loaded.InPlaces(callers)
	if !s.Offers(lsp.MethodReferences) {
		return nil
	}
	for i, item := range asked {
		at := symbol.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: symbol.LastComponent(item.Name)}
		references := func() ([]lsp.Place, error) {
			places, err := s.References(ctx, at.Path, at.At, true)
			if err == nil {
				places, err = lsp.ReferencesInStub(ctx, s, at.Path, at.At, true, places)
			}
			return places, err
		}
		more, err := newVerdict(c, s, at, whatCounts{calls: true}).uses(ctx, func() ([]lsp.Place, error) {
			places, err := references()
			return slices.DeleteFunc(withoutUnbuilt(ctx, s, at.Name, places, callers), func(p lsp.Place) bool {
				return p.Path != at.Path && !called(p.Path) && !declares(ctx, s, p)
			}), err
		})
		var places []lsp.Place
		if err == nil && s.Hooks().AliasUses != nil {
			places, err = references()
		}
		if err != nil {
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": "names", "server_id": s.ID()}, fmt.Sprintf(
				"lspi could not look for callers of %s by its name alone: %s", at.Name, answer.AsError(err).Message))
			return calls
		}
		if i < roots && s.Spec().Dynamic != nil {
			calls, more = addCalls(ctx, s, calls, more)
		}
		if tellUnlisted(c, s, at.Name, more) {
			c.Instead("find_references", "Find all uses.")
		}
		callersByAlias(ctx, c, s, at.Name, places)
	}
	return calls
}

// ofOtherProjects adds the callers in other projects at a server whose references are of all projects that it has
// loaded, and whose callers are of one.
func ofOtherProjects(ctx context.Context, s *lsp.Snapshot, item lsp.HierarchyItem, calls []lsp.Call) ([]lsp.Call,
	error) {
	others, _ := lsp.ProjectsImporting(ctx, s.Server, item.Place.Path)
	var files []string
	for _, o := range others {
		files = append(files, o.Files...)
	}
	if len(files) == 0 || item.Place.Err != nil {
		return calls, nil
	}
	uses, err := s.References(ctx, item.Place.Path, item.Place.Range.Start, false)
	if err != nil {
		if lsp.FatalAnswer(err) {
			return nil, err
		}
		return calls, nil // [UsesOfCalled] tells it
	}
	calls, _ = addCalls(ctx, s, calls, slices.DeleteFunc(uses, func(p lsp.Place) bool {
		return p.Err != nil || !slices.Contains(files, p.Path) || slices.ContainsFunc(calls, func(call lsp.Call) bool {
			return call.Item.Place.Path == p.Path && slices.ContainsFunc(call.From, func(r contract.Range) bool {
				return r.Contains(p.Range.Start)
			})
		})
	}))
	return calls, nil
}

// addCalls adds the uses that are calls to those of their callers; left are the others.
func addCalls(ctx context.Context, s *lsp.Snapshot, calls []lsp.Call, uses []lsp.Place) (all []lsp.Call,
	left []lsp.Place) {
	for _, p := range uses {
		text, err := s.Documents().Text(p.Path)
		if err != nil || !isCalled(text, p) || declares(ctx, s, p) {
			left = append(left, p)
			continue
		}
		caller := callerAt(ctx, s, text, p.Range.Start)
		i := slices.IndexFunc(calls, func(call lsp.Call) bool {
			return call.Item.Place.Path == p.Path && call.Item.Place.Range.Start == caller.Place.Range.Start
		})
		if i < 0 {
			i, calls = len(calls), append(calls, lsp.Call{Item: caller})
		}
		calls[i].From = append(calls[i].From, p.Range)
	}
	return calls, left
}

// isCalled reports whether a use is a call: arguments, or a template, follow, or it is a decorator or an element.
func isCalled(text *source.Text, p lsp.Place) bool {
	from, err := text.Offset(p.Range.Start)
	to, endErr := text.Offset(p.Range.End)
	return err == nil && endErr == nil && called(lang.Of(text.Path), text.Content(), from, to)
}

// callerAt is the innermost item around a place that the server takes for a caller; the file at its top level.
func callerAt(ctx context.Context, s *lsp.Snapshot, text *source.Text, at contract.Position) lsp.HierarchyItem {
	symbols, _, _ := s.DocumentSymbols(ctx, text.Path)
	for _, sym := range slices.Backward(symbol.Enclosing(symbols, at)) {
		items, _ := s.PrepareHierarchy(ctx, lsp.MethodCallHierarchy, text.Path, sym.NameAt.Start)
		for _, item := range items {
			if item.Place.Path == text.Path && item.Place.Full.Contains(at) {
				return item
			}
		}
	}
	return lsp.FileItem(text)
}

// withoutUnbuilt leaves out of references the places in code that is not built: where the references have these, no
// caller is in them, unless the answer has one that is.
func withoutUnbuilt(ctx context.Context, s *lsp.Snapshot, name string, references, callers []lsp.Place) []lsp.Place {
	conditions := s.Hooks().Conditions
	if conditions == nil || !conditions.RefersToInactive {
		return references
	}
	var whole, between []lsp.Place
	for _, p := range callers {
		whole = append(whole, lsp.Place{Path: p.Path, Range: p.Full})
	}
	covered := symbol.CoveredBy(whole)
	for _, p := range references {
		text, err := s.Documents().Text(p.Path)
		if err != nil || covered(p.Path, p.Range.Start) {
			continue
		}
		if from, err := text.Offset(p.Range.Start); err == nil &&
			slices.Contains(conditions.Conditional(text.Content(), []string{name}), from) {
			between = append(between, p)
		}
	}
	left, unknown := loaded.NotBuilt(ctx, s, between)
	unbuilt := symbol.CoveredBy(append(left, unknown...))
	return slices.DeleteFunc(references, func(p lsp.Place) bool { return unbuilt(p.Path, p.Range.Start) })
}

// declares reports whether a place is the name of what its file declares there.
func declares(ctx context.Context, s *lsp.Snapshot, p lsp.Place) bool {
	symbols, _, err := s.DocumentSymbols(ctx, p.Path)
	return err == nil && symbol.NameAt(symbols, p.Range.Start) != nil
}

// tellUnlisted warns of uses that [Uses] found and the server does not list, for an answer in which they have no place.
// It reports whether there are any.
func tellUnlisted(c *answer.Call, s *lsp.Snapshot, name string, uses []lsp.Place) bool {
	var left []occurrence
	for _, p := range uses {
		left = append(left, occurrence{path: p.Path, at: p.Range.Start, name: name, reason: reasonNotListed})
	}
	if len(left) == 0 {
		return false
	}
	c.Warn(contract.WarnUnexplained, factsOf(c, name, left), fmt.Sprintf(
		"%s does not list %s of %s, the first at %s; this answer lacks what is there", s.ID(),
		answer.Counted(len(left), "use"), name, loaded.Show(c, lsp.Uncovered{Path: left[0].path, Line: left[0].at.Line})))
	return true
}

// Unchecked warns of uses of what an edit takes away in files in which the server reports no error for that.
func (e Edit) Unchecked(name string, uses []lsp.Place) {
	c, s := e.Call, e.Snapshot
	left := notChecked(name, uses)
	if len(left) == 0 {
		return
	}
	c.Warn(contract.WarnUnexplained, factsOf(c, name, left), fmt.Sprintf(
		"the edit takes %s away, and %s does not check the code of %s, the first at %s", name, s.ID(),
		answer.Counted(len(left), "use"), loaded.Show(c, lsp.Uncovered{Path: left[0].path, Line: left[0].at.Line})))
}

// CheckedByBuild warns of uses that the server checks against what a build made of a source before the edit.
func (e Edit) CheckedByBuild(name, built, src string, uses []lsp.Place) {
	left := notChecked(name, uses)
	if len(left) == 0 {
		return
	}
	c, first := e.Call, loaded.Show(e.Call, lsp.Uncovered{Path: left[0].path, Line: left[0].at.Line})
	c.Warn(contract.WarnUnexplained, factsOf(c, name, left), fmt.Sprintf(
		"%s checks %s of %s, the first at %s, against %s, which was built before the edit", e.Snapshot.ID(),
		answer.Counted(len(left), "use"), name, first, c.Show(built)))
	c.Step(AfterBuild(c, built, src, left[0].path))
}

// AfterBuild is the step for errors of a file that is checked against what a build made of a source.
func AfterBuild(c *answer.Call, built, src, path string) contract.NextStep {
	return contract.NextStep{Kind: contract.StepDoc, Message: fmt.Sprintf(
		"After the edit, build %s anew from %s; only then get_diagnostics of %s tells what the edit does to it.",
		c.Show(built), c.Show(src), c.Show(path))}
}

// notChecked are uses that count against an edit, each once.
func notChecked(name string, uses []lsp.Place) (left []occurrence) {
	for _, p := range uses {
		one := occurrence{path: p.Path, at: p.Range.Start, name: name, reason: reasonNotChecked}
		if !slices.Contains(left, one) {
			left = append(left, one)
		}
	}
	return left
}

// callersByAlias warns of uses by the other name of an import: a server that does not list these has no callers by it.
func callersByAlias(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, references []lsp.Place) {
	// Three outcomes: there are none; nobody knows; there are some, and then whether these are all makes no
	// difference to the warning.
	uses, all := lsp.UsesByAlias(ctx, s, references)
	// The audit looks at all uses by the name itself.
	uses = slices.DeleteFunc(uses, func(u lsp.Place) bool { return u.Err != nil || u.Gone || spelled(u) == name })
	if len(uses) == 0 && all {
		return
	}
	if len(uses) == 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "aliases", "server_id": s.ID()},
			"lspi could not look for all callers that use other names given by imports")
		return
	}
	first := uses[0]
	c.Warn(contract.WarnUnresolved, contract.Facts{"name": name, "file_path": c.Show(first.Path),
		"line": first.Range.Start.Line}, fmt.Sprintf(
		"%s lists no callers of %s that use another name given by an import or an export; %s by such names, the first at %s:%d",
		s.ID(), name,
		map[bool]string{true: "there is 1 use", false: fmt.Sprintf("there are %d uses", len(uses))}[len(uses) == 1],
		c.Show(first.Path), first.Range.Start.Line))
	c.Instead("find_references", "Find the uses by every name.")
}
