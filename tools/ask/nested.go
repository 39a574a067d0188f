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
	var folders []string
	for _, g := range all {
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
	if len(folders) == 0 {
		return
	}
	slices.Sort(folders)
	shown := folders[:min(len(folders), answer.MaxShown)]
	w.c.Warn(contract.WarnProjectsAside, contract.Facts{"folders": shown, "total": len(folders)}, fmt.Sprintf(
		"lspi did not search %d separate projects inside this workspace, such as %s; a call with a file_path in one of them does", len(folders), shown[0]))
}
