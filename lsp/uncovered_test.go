package lsp

import (
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
)

// A reason that is told by no warning, or by one that only informs, would leave an answer complete that is not.
func TestReasonsLowerCompleteness(t *testing.T) {
	for r := OutsideBuild; r <= NoCompilationDatabase; r++ {
		if kind := r.Kind(); kind == "" || kind.Effect() != contract.Partial {
			t.Errorf("reason %d: warning %q has the effect %s", r, kind, kind.Effect())
		}
	}
	testkit.Equal(t, len(kinds), int(NoCompilationDatabase)+1)
}
