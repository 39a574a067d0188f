package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp/watch"
	"lspi/source"
)

// walkPatience is how long a start waits for the first walk of the tree, which looks for special files.
const walkPatience = 5 * time.Second

// SpecialFile is an error that names a pipe, socket or device, or a link to one, that the server of this row would read as a source
// or project file of the root: it would wait for ever or read without end (a link to /dev/random had go list take 3.5 GB).
func (s *Spec) SpecialFile(j *watch.Journal, root string) error {
	if j == nil {
		return nil
	}
	reads := func(path string) bool {
		base := baseName(path)
		_, in := source.RelativeTo(root, path)
		return in && (s.SourceID(base) || s.IsProjectFile(base) || slices.Contains(s.Freshness.RestartOn, base))
	}
	for _, path := range j.Special(reads) {
		return contract.Errorf(contract.KindSpecialFile, contract.Facts{"server_id": s.ID, "file_path": path},
			"%s is a pipe, a socket or a device, or a link to one, and %s would read it as a source of the project without end", path, s.ID)
	}
	return nil
}

// lookForSpecial is SpecialFile once the tree was walked.
func lookForSpecial(ctx context.Context, o Options) error {
	if o.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, walkPatience, fmt.Errorf("walking the tree took longer than %v", walkPatience))
	defer cancel()
	if _, err := o.Journal.Barrier(ctx); err != nil {
		o.Log.Info("special files are not looked for", "root", o.Root, "error", err)
		return nil
	}
	return o.Spec.SpecialFile(o.Journal, o.Root)
}

// SourceID reports whether a file of this name is a source of the server's languages, and no file that only stands beside
// them. Editors keep locks and copies beside a file by names that begin with a dot.
func (s *Spec) SourceID(base string) bool {
	return s.Serves(base) && filepath.Ext(base) != "" && base[0] != '.'
}
