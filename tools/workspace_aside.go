package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
)

// testData are folders whose projects are what tests read.
var testData = []string{"testdata", "test-data", "test_data", "fixtures", "fixture", "__fixtures__"}

// leaveAside tells of projects that were not asked about. Where the answer is about names, those whose files hold one of
// them make it partial.
func (w *workspaceWalk) leaveAside(ctx context.Context, all []*ground) {
	var folders []string
	for _, g := range all {
		found := w.c.holders(ctx, g.files)
		if len(found) == 0 {
			continue
		}
		folder := w.c.show(g.route.Root)
		if found[0].line == 0 {
			folders = append(folders, folder)
			continue
		}
		w.c.warnHolders(contract.WarnUnlistedSources, contract.Facts{"server_id": g.route.Spec.ID, "folder": folder}, found,
			fmt.Sprintf("%s not searched: %s is a project of its own; a file_path in it asks there", w.c.such(found), folder))
	}
	if len(folders) == 0 {
		return
	}
	slices.Sort(folders)
	shown := folders[:min(len(folders), maxLeftOutShown)]
	w.c.warn(contract.WarnProjectsAside, contract.Facts{"folders": shown, "total": len(folders)}, fmt.Sprintf(
		"%d projects of their own inside this workspace were not asked about, such as %s; a file_path in one asks there", len(folders), shown[0]))
}
