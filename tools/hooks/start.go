package hooks

import (
	"context"
	"path/filepath"

	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// Start notes where the journals stand and which texts there are before the session changes anything. What an event
// before it has noted stays.
func (st *State) Start(ctx context.Context, c *answer.Call) error {
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
	if !st.before.known {
		st.before = readTexts(ctx, c)
	}
	return nil
}

// Warm asks each server that runs for the diagnostics of one source, so that the first change does not have to wait for
// what a server finds out once: gopls 0.23.0 with an empty cache analyses the standard library for some 8 s first.
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
