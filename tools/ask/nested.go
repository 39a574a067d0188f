package ask

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
)

// testData are the names of folders whose projects are data of tests.
var testData = []string{"testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__"}

// warnNested warns of nested projects that were not asked about. Where the answer is about names, only
// those whose files hold one of them matter, and these make it partial.
func (w *WorkspaceWalk) warnNested(ctx context.Context, all []*RootFiles) {
	var folders, unchecked []string
	for _, g := range all {
		// Whether such a project builds depends on those around it. What is data of tests may be wrong on purpose.
		if w.method == lsp.MethodPublishDiag && !w.isTestData(g) {
			unchecked = append(unchecked, w.c.Show(g.Route.Root))
			continue
		}
		found := loaded.Holders(ctx, w.c, lsp.Because(lsp.SeparateProject, g.Files, true))
		if len(found) == 0 {
			continue
		}
		folder := w.c.Show(g.Route.Root)
		// No line: the answer is not about names, and a project aside is no gap in it.
		if found[0].Line == 0 {
			folders = append(folders, folder)
			continue
		}
		loaded.Warn(w.c, contract.Facts{"server_id": g.Route.Spec.ID, "folder": folder}, found,
			fmt.Sprintf("%s not searched: %s is a separate project; a call with a file_path in it searches there",
				loaded.FilesWere(w.c, found), folder))
	}
	if len(unchecked) > 0 {
		slices.Sort(unchecked)
		shown := unchecked[:min(len(unchecked), answer.MaxShown)]
		facts := contract.Facts{"folders": shown, "total": len(unchecked)}
		w.c.Warn(contract.WarnCoverageOpenFilesOnly, facts, fmt.Sprintf(
			"%s inside this workspace, such as %s, belong to no project around them and were not checked",
			answer.Counted(len(unchecked), "project"), shown[0]))
		w.c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "Check these projects.",
			Arguments: map[string]any{"file_paths": shown}})
	}
	if len(folders) == 0 {
		return
	}
	slices.Sort(folders)
	shown := folders[:min(len(folders), answer.MaxShown)]
	w.c.Warn(contract.WarnProjectsAside, contract.Facts{"folders": shown, "total": len(folders)}, fmt.Sprintf(
		"lspi did not search %d separate projects inside this workspace, such as %s; a call with a file_path in one of them does", len(folders), shown[0]))
}
