package edits

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/audit"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// warnInactive says which edits change code that a server does not build: the server reports nothing there, so that
// finding no new error proves nothing. Such an edit is neither recommended nor applied, because the answer is
// partial ([difference.whyNot]).
func warnInactive(c *answer.Call, spec *spec.Spec, lines []overlay.InactiveLine) {
	if len(lines) == 0 {
		return
	}
	found := make([]lsp.Uncovered, len(lines))
	for i, l := range lines {
		found[i] = lsp.Uncovered{Path: l.Path, Line: l.Line, Reason: lsp.ConditionFalse}
	}
	where := loaded.Show(c, found[0])
	if len(found) > 1 {
		where = fmt.Sprintf("%d files, the first place at %s", len(found), where)
	}
	loaded.Warn(c, contract.Facts{"server_id": spec.ID}, found, fmt.Sprintf(
		"the edit changes code that %s does not build, in %s; it reports no errors there, whatever the edit breaks",
		spec.ID, where))
}

// warnExcludedUsers warns of sources that the server does not read and that hold names of what an edit changes.
// Nobody has checked whether the edit breaks them.
func warnExcludedUsers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, texts map[string]*EditedText) {
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.After.Content()
	}
	ctx, cancel := context.WithTimeout(ctx, loaded.ExclusionTime(ctx))
	defer cancel()
	found, names := lsp.ExcludedUsers(ctx, s.Server, contents)
	loaded.WarnExcluded(c, s, found, names...)
}

// compilerOnly warns of what an edit changes that the server leaves to the compiler of the language: the edit is
// neither recommended nor applied, because no diagnostic tells what it breaks ([difference.whyNot]).
func compilerOnly(c *answer.Call, s *lsp.Snapshot, lines []lsp.CompilerLine) {
	var inactive []overlay.InactiveLine
	var found []lsp.Uncovered
	what, by := "", ""
	// A line without a description is of code that is not built, which has a warning of its own.
	for _, l := range lines {
		if l.What == "" {
			inactive = append(inactive, overlay.InactiveLine{Path: l.Path, Line: l.Line})
			continue
		}
		what, by, found = cmp.Or(what, l.What), cmp.Or(by, l.By),
			append(found, lsp.Uncovered{Path: l.Path, Line: l.Line, Reason: lsp.CompilerOnly})
	}
	warnInactive(c, s.Spec(), inactive)
	if len(found) == 0 {
		return
	}
	what += " (" + loaded.Show(c, found[0]) + ")"
	if len(found) > 1 {
		what += fmt.Sprintf(", and more in %s", answer.Counted(len(found)-1, "other file"))
	}
	loaded.Warn(c, contract.Facts{"server_id": s.ID()}, found, fmt.Sprintf(
		"the edit changes %s; %s does not check that, and only %s tell whether it breaks anything", what, s.ID(), by))
}

// compilerLines are what changes leave to the compiler of the language. The server is not asked for it.
func compilerLines(ctx context.Context, s *lsp.Snapshot, changes []lsp.SourceChange) []lsp.CompilerLine {
	ctx, cancel := context.WithTimeout(ctx, loaded.ExclusionTime(ctx))
	defer cancel()
	return lsp.OnlyCompiler(ctx, s.Server, changes)
}

// compilerLinesOfTexts is compilerLines of texts that an edit makes.
func compilerLinesOfTexts(ctx context.Context, s *lsp.Snapshot, plan *editPlan,
	texts map[string]*EditedText) []lsp.CompilerLine {
	var changes []lsp.SourceChange
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		one := lsp.SourceChange{From: path, Path: path, Before: texts[path].Before.Content(),
			After: texts[path].After.Content()}
		if plan.fresh[path] {
			one.From = ""
		}
		changes = append(changes, one)
	}
	return compilerLines(ctx, s, changes)
}

// CompilerOnlyOfPlan is compilerOnly of the plan of a server's own edit.
func CompilerOnlyOfPlan(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p *lsp.Planned) {
	var changes []lsp.SourceChange
	for i := range p.Files {
		f := &p.Files[i]
		if f.Folder || f.Binary {
			continue
		}
		one := lsp.SourceChange{From: cmp.Or(f.From, f.Path), Path: f.Path, Before: f.Old, After: f.New}
		// A created file has nothing before and a deleted one nothing after. A file that only moves has no texts in
		// the plan: both sides get the text on disk.
		switch text, err := source.Read(one.From); {
		case f.Kind == edit.Create:
			one.From = ""
		case f.Kind == edit.Delete:
			one.Path = ""
		// Its folder decides about its package, so that a move alone may break the build.
		case f.Old == "" && f.New == "" && err == nil: // it only moves
			one.Before, one.After = text.Content(), text.Content()
		}
		changes = append(changes, one)
	}
	compilerOnly(c, s, compilerLines(ctx, s, changes))
}

// inactiveUsers warns of code that is not built and holds names of what an edit changes: nobody has checked whether
// the edit breaks it. A file whose inactive code the edit itself changes is left out, because warnInactive names it
// already.
func inactiveUsers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, texts map[string]*EditedText,
	told []overlay.InactiveLine) {
	if s.Hooks().Linker != nil || s.Hooks().Conditions == nil {
		return // what changes for the linker tells of it, too
	}
	contents := map[string]string{}
	for path, t := range texts {
		contents[path] = t.After.Content()
	}
	names, known := overlay.ChangedSymbols(ctx, s, contents, nil)
	// Nothing changes that other code could use by a name.
	if known && len(names) == 0 {
		return
	}
	var found []lsp.Place
	if known {
		found, known = between(ctx, c, s, names)
		found = slices.DeleteFunc(found, func(p lsp.Place) bool {
			return slices.ContainsFunc(told, func(l overlay.InactiveLine) bool { return l.Path == p.Path })
		})
	}
	warnNotBuilt(ctx, c, s, found, known, names)
}

// The bounds of the search for uses by its name of what an edit changes.
const (
	maxHeadsSearched = 30
	headsLimit       = 8 * time.Second
)

// dynamicUsesOfEdit warns of places that may use by its name what an edit takes away, or changes for callers, where
// the server does not know what the name belongs to: it reports no error there, whatever the edit breaks.
func dynamicUsesOfEdit(ctx context.Context, c *answer.Call, s *lsp.Snapshot, tried *overlay.Comparison,
	texts map[string]*EditedText) {
	ctx, cancel := context.WithTimeout(ctx, headsLimit)
	defer cancel()
	// The first name that was not looked for stands for the rest in one warning.
	lacking := ""
	if !tried.HeadsKnown && s.Spec().Dynamic != nil { // elsewhere the server reports most of what breaks
		lacking = "what the edit changes for others"
	}
	for i, d := range tried.Heads {
		if i == maxHeadsSearched || ctx.Err() != nil {
			lacking = d.Name
			break
		}
		// What the server knows as uses it checks itself; only further places with the name are told.
		// In the files that were compared the server has reported what breaks.
		more, err := audit.Edit{Call: c, Snapshot: s}.Uses(ctx, symbol.Located{Path: d.Path, At: d.At, Name: d.Name}, false,
			func() ([]lsp.Place, error) {
				found, err := lsp.ReferencesAndFields(ctx, s, d.Path, d.At, true)
				return append(found, editedUses(d, texts)...), err
			}, func(p lsp.Place) bool {
				return texts[p.Path] != nil || slices.Contains(tried.Looked, p.Path) || reportedAt(tried, p)
			})
		if err != nil {
			lacking = d.Name
			continue
		}
		uncheckedUses(ctx, c, s, d, texts, more)
		builtUses(ctx, c, s, symbol.Located{Path: d.Path, At: d.At, Name: d.Name}, texts, more)
	}
	if lacking != "" {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "uses by name", "server_id": s.ID()}, fmt.Sprintf(
			"lspi did not look for all places that use %s by name and whose type %s does not know; the edit may break them", lacking, s.ID()))
	}
}

// uncheckedUses warns of uses of what an edit takes away in files in which the server reports no error for that; more
// are those that it does not list.
func uncheckedUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, d overlay.ChangedHead,
	texts map[string]*EditedText, more []lsp.Place) {
	unchecked := s.Hooks().Unchecked
	if unchecked == nil || !d.Less {
		return
	}
	found, err := lsp.ReferencesAndFields(ctx, s, d.Path, d.At, true)
	aliased, _ := lsp.UsesByAlias(ctx, s, found)
	if err != nil {
		return // [audit.Edit] tells it
	}
	edited := editedUses(d, texts)
	all := slices.Concat(found, aliased, more)
	audit.Edit{Call: c, Snapshot: s}.Unchecked(d.Name, slices.DeleteFunc(all, func(p lsp.Place) bool {
		text, err := s.Documents().Text(p.Path)
		return p.Path == d.Path && p.Range.Start == d.At || slices.ContainsFunc(edited, func(e lsp.Place) bool {
			return e.Path == p.Path && e.Range.Start == p.Range.Start
		}) || err == nil && !unchecked(text)
	}))
}

// builtUses warns of uses of what an edit changes that the server checks against what a build made before the edit;
// more are those that it does not list.
func builtUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, d symbol.Located,
	texts map[string]*EditedText, more []lsp.Place) {
	if s.Hooks().Projects == nil {
		return
	}
	found, err := lsp.ReferencesAndFields(ctx, s, d.Path, d.At, false)
	if err != nil {
		return // [audit.Edit] tells it
	}
	built, by := map[string]string{}, "" // by file
	var uses []lsp.Place
	for _, p := range slices.Concat(found, more) {
		if texts[p.Path] != nil {
			continue
		}
		made, asked := built[p.Path]
		if !asked {
			made = lsp.ReadsBuilt(ctx, s.Server, p.Path, d.Path)
			built[p.Path] = made
		}
		if made != "" {
			uses, by = append(uses, p), cmp.Or(by, made)
		}
	}
	audit.Edit{Call: c, Snapshot: s}.CheckedByBuild(d.Name, by, d.Path, uses)
}

// reportedAt reports whether the server has an error with the edit on the line of a place.
func reportedAt(tried *overlay.Comparison, p lsp.Place) bool {
	return slices.ContainsFunc(tried.After.Findings(), func(f lsp.Finding) bool {
		return f.Path == p.Path && f.Severity == "error" && f.Range.Start.Line == p.Range.Start.Line
	})
}

// editedUses are the places that hold the name of what an edit changes on lines that the edit changes, too: who
// made it has seen them. Where the name goes and a new line holds it yet, it does not count.
func editedUses(d overlay.ChangedHead, texts map[string]*EditedText) (out []lsp.Place) {
	for path, t := range texts {
		old, now := overlay.DifferingLines(t.Before, t.After)
		kept := false
		for _, n := range now {
			// The name is gone as a declaration, and the edit itself writes it anew: whoever made it may have
			// missed that.
			kept = kept || d.Gone && len(source.Occurrences(t.After.Line(n), d.Name)) > 0
		}
		for _, n := range old {
			for _, i := range source.Occurrences(t.Before.Line(n), d.Name) {
				at := t.Before.PositionAt(t.Before.LineStart(n) + i)
				if !kept || path == d.Path && at == d.At {
					out = append(out, lsp.Place{Path: path, Range: contract.Range{Start: at, End: at}})
				}
			}
		}
	}
	return out
}
