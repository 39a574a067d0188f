package diagnostics

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// exclusions warns of files that were asked about and that the server does not check: no report about
// them proves nothing. Files with the same reason and remedy share one warning; the order is that of
// the files.
func exclusions(c *answer.Call, spec *spec.Spec, files []lsp.Exclusion) {
	type reason struct{ why, remedy string }
	var order []reason
	by := map[reason][]lsp.Exclusion{}
	for _, u := range files {
		r := reason{u.Why, u.Remedy}
		if by[r] == nil {
			order = append(order, r)
		}
		by[r] = append(by[r], u)
	}
	for _, r := range order {
		same := by[r]
		facts := contract.Facts{}
		if len(same[0].Tags) > 0 {
			facts["tags"] = same[0].Tags
		}
		var found []lsp.Uncovered
		for _, u := range same {
			found = append(found, lsp.Uncovered{Path: u.Path, Reason: lsp.OutsideBuild})
		}
		what := loaded.Show(c, found[0])
		if len(same) > 1 {
			what = fmt.Sprintf("%d files, among them %s", len(same), what)
		}
		loaded.Warn(c, facts, found, fmt.Sprintf("%s does not check %s: %s", spec.ID, what, same[0].Why))
		ask.StepToInclude(c, spec.ID, &same[0])
	}
}

// unchecked warns of sources that diagnostics of the whole workspace left out.
func unchecked(c *answer.Call, spec *spec.Spec, d *lsp.Diagnosis) {
	// Which sources are left out may be unknown, and some of them known all the same; each has its warning.
	if d.Unknown {
		c.Warn(contract.WarnUnlistedSources, contract.Facts{"server_id": spec.ID},
			spec.ID+" does not check every source file, and lspi could not find out in time which ones it leaves out")
	}
	if len(d.Unchecked) == 0 {
		return
	}
	why, then := "", " then checks those of other systems; for the others the answer says what they need."
	if spec.Build != nil {
		why = spec.Build.Why
	} else {
		why, then = spec.Project.Files[0]+" lists neither them nor a source that includes them", " then guesses how they are compiled."
	}
	facts := contract.Facts{}
	loaded.Warn(c, facts, lsp.Because(lsp.OutsideBuild, d.Unchecked, true), fmt.Sprintf(
		"%s did not check %s, because %s", spec.ID, answer.Counted(len(d.Unchecked), "source file"), why))
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
		Arguments: map[string]any{"file_paths": facts["files"]},
		Message:   "Ask about these files by name: " + spec.ID + then})
}

// otherBuilds warns of files of which another build of the project has other code.
func otherBuilds(ctx context.Context, c *answer.Call, s *lsp.Snapshot, files []string) {
	built := s.Hooks().OtherBuilt
	if built == nil {
		return
	}
	found := built(ctx, files)
	if len(found) == 0 {
		return
	}
	var left []lsp.Uncovered
	for _, o := range found {
		left = append(left, lsp.Uncovered{Path: o.Path, Line: o.Line, Reason: lsp.ConditionFalse})
		if o.File != o.Path {
			left[len(left)-1].Line = 0
		}
	}
	first, more := found[0], ""
	if len(found) > 1 {
		more = fmt.Sprintf(", and of %s", answer.Counted(len(found)-1, "further file"))
	}
	loaded.Warn(c, contract.Facts{"server_id": s.ID()}, left, fmt.Sprintf(
		"%s checks one build; %s sets %s otherwise, on which %s:%d depends: errors that %s has there alone are missing"+
			"%s",
		s.ID(), c.Show(first.By), first.Name, c.Show(first.File), first.Line, c.Show(first.Path), more))
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: "Build with " + c.Show(filepath.Dir(first.By)) +
		" to see the errors of that build."})
}

// unresolving warns where the server reports no name that is not there in any of the sources. Where it checks others, a
// project leaves scripts to themselves, as those that configure tools.
func unresolving(c *answer.Call, s *lsp.Snapshot, files []string) {
	is := s.Hooks().Unchecked
	if is == nil {
		return
	}
	var found []string
	for _, path := range files {
		if text, err := s.Documents().Text(path); err == nil && is(text) {
			found = append(found, path)
		}
	}
	if len(found) == 0 || len(found) < len(files) {
		return
	}
	c.Warn(contract.WarnServerOmits, contract.Facts{"server_id": s.ID(), "files": c.ShowSome(found), "total": len(found)},
		fmt.Sprintf("%s reports errors of syntax alone in %s, the first %s; names that are not there it reports where checkJs or @ts-check asks for it",
			s.ID(), answer.Counted(len(found), "script"), c.Show(found[0])))
}

// UncheckedProjects warns that the server checked no source of a root whose project file it cannot
// read: it reports nothing on them then. asked are the files in question, empty for all; shown is what
// the answer tells, so that what it shows is not offered as a step. Project files among those asked
// about do not count as sources: their own errors are the answer.
func UncheckedProjects(ctx context.Context, c *answer.Call, s *lsp.Snapshot, roots, asked []string,
	shown *lsp.Diagnosis) {
	sources := slices.DeleteFunc(slices.Clone(asked), func(path string) bool {
		return s.Spec().IsProjectFile(symbol.Base(path))
	})
	if len(asked) > 0 && len(sources) == 0 {
		return
	}
	for _, root := range roots {
		file, words := lsp.Broken(s.Server, root)
		// A broken file that was asked about shows its errors in the answer itself.
		if file == "" || slices.Contains(asked, file) {
			continue
		}
		c.Warn(contract.WarnProjectBroken, contract.Facts{"server_id": s.ID(), "file_path": c.Show(file)},
			fmt.Sprintf("%s checks no source of the project because of %s: %s", s.ID(), c.Show(file), words))
		if !slices.ContainsFunc(shown.Reports, func(r lsp.Report) bool { return r.Path == file }) {
			c.Step(answer.DiagnosticsStep(c.Show(file)))
		}
	}
}
