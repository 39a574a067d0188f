package audit

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp"
	"lspi/tools/answer"
)

// OtherLanguages warns of files of other languages that may use what the answer is about, though the
// server does not read them: components (Vue, Svelte), whose own server is not installed, or did not
// answer because another one serves the file that was asked about.
func OtherLanguages(ctx context.Context, c *answer.Call, s *lsp.Snapshot, method string) {
	// a search asks all servers, and tells of each that is missing
	if len(s.Spec().UsedBy) == 0 || method == lsp.MethodWorkspaceSymbol {
		return
	}
	var files []string
	for path := range s.Journal().Files() {
		ext := strings.TrimPrefix(filepath.Ext(path), ".")
		if slices.Contains(s.Spec().UsedBy, ext) && !s.Spec().Serves(filepath.Base(path)) &&
			!s.Folders().Skips(s.Journal().Root(), path) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	found := Holders(ctx, c, lsp.Because(lsp.OutsideBuild, files, true))
	if len(found) > 0 && !keptByFile(ctx, s, c.Subject()) {
		tell(c, s, found, "", "they are of another language")
	}
}
