package launch

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// walkPatience is how long a start waits for the journal's first walk of the tree, which finds special files.
const walkPatience = 5 * time.Second

// SpecialFile returns an error that names a pipe, socket or device, or a link to one, which the server would read as
// a source or project file of the root: it would block for ever or read without end (a link to /dev/random made go
// list take 3.5 GB).
func SpecialFile(s *spec.Spec, j *watch.Journal, root string) error {
	if j == nil {
		return nil
	}
	reads := func(path string) bool {
		base := filepath.Base(path)
		_, in := source.RelativeTo(root, path)
		return in && (s.SourceID(base) || s.IsProjectFile(base) || slices.Contains(s.Freshness.RestartOn, base))
	}
	for _, path := range j.Special(reads) {
		return contract.Errorf(contract.KindSpecialFile, contract.Facts{"server_id": s.ID, "file_path": path},
			"%s is a pipe, a socket or a device, or a link to one, and %s would read it as a source of the project without end", path, s.ID)
	}
	return nil
}

// AwaitSpecial is [SpecialFile] after the journal's first walk, for which it waits at most walkPatience; after that
// the start goes on without the look.
func AwaitSpecial(ctx context.Context, spec *spec.Spec, j *watch.Journal, root string, log *slog.Logger) error {
	if j == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, walkPatience, fmt.Errorf("walking the tree took longer than %v",
		walkPatience))
	defer cancel()
	if _, err := j.Barrier(ctx); err != nil {
		log.Info("special files are not looked for", "root", root, "error", err)
		return nil
	}
	return SpecialFile(spec, j, root)
}
