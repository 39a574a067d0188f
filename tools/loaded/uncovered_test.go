package loaded

import (
	"testing"

	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// Whatever the reason, a source that an answer does not cover is told.
func TestEveryReasonIsTold(t *testing.T) {
	for reason := lsp.OutsideBuild; reason <= lsp.NoCompilationDatabase; reason++ {
		c := answer.NewCall(session.Unopened(session.Settings{}, nil), nil, answer.Request{})
		tell(c, "x", lsp.Because(reason, []string{"/p/a.x"}, true), "why")
		if w := c.Warnings(); len(w) != 1 || w[0].Kind != reason.Kind() {
			t.Errorf("reason %d: %v", reason, w)
		}
	}
}
