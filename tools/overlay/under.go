package overlay

import (
	"context"

	"lspi/lsp"
)

// Under asks for the diagnostics of files while the server has other texts than those on disk, given by path. The
// caller has synchronised and has the server alone; the texts on disk are shown again as after [Compare], with the
// same error.
func Under(ctx context.Context, s *lsp.Snapshot, texts map[string]string, paths []string) (d *lsp.Diagnosis,
	err error) {
	c := newCheck(s, texts)
	err = c.shown(ctx, func() error {
		var alone bool
		if d, alone, err = s.Diagnostics().FirstOfTexts(ctx, paths, nil); err != nil || alone {
			return err
		}
		d, err = c.diagnose(ctx, paths)
		return err
	})
	return d, err
}
