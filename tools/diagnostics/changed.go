package diagnostics

import (
	"context"

	"lspi/lsp"
	"lspi/tools/answer"
)

// Changed is what servers say of files that have just changed, for a caller who cannot wait and may come again.
type Changed struct {
	Findings []lsp.Finding // of all severities, each once
	Pending  []Pending     // what goes on behind the answer

	reported, silent map[string]bool
}

// Reported reports whether some server has said something of the text of a file that is on disk.
func (f *Changed) Reported(path string) bool { return f.reported[path] }

// Whole reports whether the servers of a file have said everything of it: nothing besides the findings is wrong.
func (f *Changed) Whole(path string) bool { return f.reported[path] && !f.silent[path] }

// OfChanged is get_diagnostics of files as data. With all it waits for what else the change may have broken, else
// that stays pending. What is not there when ctx ends is missing, which is no error.
func OfChanged(ctx context.Context, c *answer.Call, paths []string, all bool) (*Changed, error) {
	d := gathered{call: context.WithoutCancel(ctx), bounded: true}
	if err := diagnoseFiles(ctx, c, paths, all, &d); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Changed{Findings: Distinct(d.findings, ""), Pending: d.pending, reported: d.reported, silent: d.silent}, nil
}
