package hooks

import (
	"context"
	"path/filepath"

	"lspi/tools/answer"
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

func base(path string) string { return filepath.Base(path) }
