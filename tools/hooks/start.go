package hooks

import (
	"context"
	"path/filepath"

	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// Mark notes where the journals stand, so that what changes from now on is the session's. It waits for the first walk
// of a tree. What an event before it has noted stays.
func (st *State) Mark(ctx context.Context, c *answer.Call) error {
	release, err := st.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, tree := range c.Workspace.Trees() {
		j := c.Workspace.Pool.Journal(tree)
		if j == nil || st.marks[tree].journal == j {
			continue
		}
		mark, err := j.Barrier(ctx)
		if err != nil {
			return err
		}
		st.marks[tree] = position{j, mark}
	}
	return nil
}

// Start is [State.Mark] that also reads the texts from before the session changes anything.
func (st *State) Start(ctx context.Context, c *answer.Call) error {
	if err := st.Mark(ctx, c); err != nil {
		return err
	}
	release, err := st.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !st.before.known {
		st.before = readTexts(ctx, c)
	}
	return nil
}

// Warm asks each server that runs for the diagnostics of one source, so that the first change does not have to wait
// for what a server finds out once: gopls 0.23.0 with an empty cache analyses the standard library for some 8 s
// first.
func (st *State) Warm(ctx context.Context, c *answer.Call) {
	running := c.Workspace.Pool.Running()
	answer.Parallel(len(running), 0, func(i int) {
		for path := range running[i].Folders().Files() {
			if running[i].Spec().Serves(base(path)) {
				_, _ = diagnostics.OfChanged(ctx, c, []string{path}, false)
				return
			}
		}
	})
}

func base(path string) string { return filepath.Base(path) }
