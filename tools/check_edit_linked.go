package tools

import (
	"context"
	"slices"

	"lspi/lsp"
	"lspi/source"
)

// linkedToTrial warns of projects that use the edited one by path and hold names of what the edit changes, as an answer about these
// names does: the server tries the edit in one project, so that whether it breaks the others nobody has looked.
func linkedToTrial(ctx context.Context, c *Call, s *lsp.Server, roots []string, texts map[string]*editedText) {
	for _, root := range roots {
		contents := map[string]string{}
		for path, t := range texts {
			if deepest(roots, path) == root {
				contents[path] = t.after.Content()
			}
		}
		if len(contents) == 0 || s.LinkedApart(ctx, root) == nil {
			continue
		}
		about := subject{}
		about.names, about.any = lsp.ChangedForOthers(s, contents)
		if len(about.names) == 0 && !about.any {
			continue
		}
		warnLinked(ctx, c, s, root, func(ctx context.Context, files []string) []holder {
			ctx, cancel := context.WithTimeout(ctx, holdersLimit)
			defer cancel()
			return about.holders(ctx, slices.DeleteFunc(files, func(path string) bool { return texts[path] != nil }))
		})
	}
}

// deepest is the innermost of the folders that holds a path; "" when none does.
func deepest(folders []string, path string) (out string) {
	for _, folder := range folders {
		if _, ok := source.RelativeTo(folder, path); ok && len(folder) > len(out) {
			out = folder
		}
	}
	return out
}
