package adapter

import (
	"context"
	"path/filepath"

	"lspi/lsp"
	"lspi/source"
)

// holdsSources reports whether a project has a source that the build takes in: a load that found nothing there failed. Where
// the rules of the build are not known any file of the server's languages counts.
func holdsSources(ctx context.Context, s *lsp.Server, folder string) bool {
	l := of(s).leftOut
	if l.rules == nil {
		return s.SomeFile(folder) != ""
	}
	release := l.lock(ctx)
	if release == nil {
		return true
	}
	defer release()
	if !l.refresh(ctx, s) {
		return true
	}
	for path := range s.Journal().Files() {
		if _, below := source.RelativeTo(folder, path); !below || !l.rules.source(filepath.Base(path)) {
			continue
		}
		src := l.sources[path]
		if l.projectOf(s.Journal().Root(), path) == folder && (src == nil || src.why == included) {
			return true
		}
	}
	return false
}
