package diagnostics

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/tools/answer"
	"lspi/tools/git"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
)

// sweep asks a server that looks at open files only about all sources that it serves. What time does not suffice for
// is told, and the next call goes on with it.
func sweep(ctx context.Context, c *answer.Call, s *lsp.Snapshot, t target, all bool) (*lsp.Diagnosis, error) {
	if needs := s.Spec().Diagnostics.Needs; needs != "" && launch.LookPath(s.Spec(), needs) == "" {
		return &lsp.Diagnosis{}, nil // it says nothing of any file ([LacksChecker])
	}
	files, unbuilt := sources(ctx, s, t)
	checking, found, rest, err := s.Diagnostics().Sweep(ctx, files)
	if err != nil {
		return nil, err
	}
	defer checking.Close()
	left, err := checking.Check(ctx, changedFirst(ctx, c, s, checking, t, rest), found)
	if err != nil {
		return nil, err
	}
	found.Unchecked = unbuilt
	unresolving(c, s, files)
	otherBuilds(ctx, c, s, files)
	if err := asIncluded(ctx, c, s, t.route, false, found); err != nil {
		return nil, err
	}
	if len(left) > 0 {
		warnLeft(c, s, len(files), left)
	} else if err := templatesOfAll(ctx, c, s, t.route, files, all, found); err != nil {
		return nil, err
	}
	c.Session.Errors.Tell(s.Server, found.Reports)
	return found, nil
}

// sources returns the files of a target to open, sorted, and those that no build takes in.
func sources(ctx context.Context, s *lsp.Snapshot, t target) (files, unbuilt []string) {
	for _, root := range t.roots {
		var below []string
		for _, path := range t.files {
			if s.Folders().Skips(root, path) || loaded.Deepest(t.roots, path) != root {
				continue
			}
			below = append(below, path)
		}
		if checks := s.Hooks().Checks; checks != nil {
			opened, out := checks(ctx, root, below)
			files, unbuilt = append(files, opened...), append(unbuilt, out...)
			continue
		}
		files = append(files, below...)
	}
	slices.Sort(files)
	return slices.Compact(files), unbuilt
}

// gitTime bounds the question what changed since the last commit, which decides about nothing but an order.
const gitTime = 2 * time.Second

// changedFirst returns files in the order in which they are checked: what changed since the last commit, what uses
// that, then the others, each with what was written last before the rest.
func changedFirst(ctx context.Context, c *answer.Call, s *lsp.Snapshot, checking *lsp.Sweep, t target,
	files []string) []string {
	if len(files) < 2 {
		return files
	}
	var changed []string
	within, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	for _, root := range t.roots {
		if diff, err := git.Read(within, root, "HEAD", c.Workspace.Table.Environ); err == nil {
			for _, f := range diff.Files {
				changed = append(changed, f.Path)
			}
		}
	}
	rank := map[string]int{}
	includes := s.Hooks().Includes
	for _, path := range files {
		if includes != nil && !includes.IsSource(path) {
			rank[path] = 1 // most of its errors show in the sources that include it
		}
	}
	if len(changed) > 0 {
		users := checking.Users(changed)
		if includes != nil {
			users = map[string]bool{}
			for _, path := range overlay.MaySee(s, files, changed) {
				users[path] = true
			}
		}
		for path := range users {
			rank[path] = -1
		}
		for _, path := range changed {
			rank[path] = -2
		}
	}
	written := map[string]time.Time{}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			written[path] = info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), written[b].Compare(written[a]), strings.Compare(a, b))
	})
	return files
}

// warnLeft tells which files a server did not come to, and how to go on.
func warnLeft(c *answer.Call, s *lsp.Snapshot, all int, left []string) {
	c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "total": len(left),
		"files": c.ShowSome(left)}, fmt.Sprintf(
		"%s has checked %d of %s, those that changed last first; left: %d, the next %s", s.ID(), all-len(left),
		answer.Counted(all, "file"), len(left), c.Show(left[0])))
	var change map[string]any
	if len(left) == all {
		change = map[string]any{"wait_ms": nil} // the time that was given did not suffice for one
	}
	c.Step(c.Repeat("Check the files that are left; those that were checked are remembered.", change))
}
