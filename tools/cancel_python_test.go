package tools

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"lspi/answer"
	"lspi/internal/testkit/sessions"
)

// References that somebody gave up leave pyright and basedpyright as they were.
func TestPyrightAfterCancelledReferences(t *testing.T) {
	for _, c := range []struct{ server, program string }{{"pyright", "pyright-langserver"}, {"basedpyright", "basedpyright-langserver"}} {
		t.Run(c.server, func(t *testing.T) {
			needServer(t, c.program)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			env := sessions.Real(t, project(t, map[string]string{"pyproject.toml": "", "a.py": "def aim():\n    pass\naim()\n", "b.py": "import a\na.aim()\n"}), c.server)
			aim := func(ctx context.Context) Result {
				return Run(ctx, env, nil, answer.Request{Tool: "find_references", Arguments: json.RawMessage(`{"file_path":"a.py","line":1,"character":5}`)})
			}
			aim(ctx)
			for n := range 30 {
				short, giveUp := context.WithTimeout(ctx, time.Duration(n)*100*time.Microsecond)
				aim(short)
				giveUp()
			}
			if r := aim(ctx); !r.OK {
				t.Errorf("%s", r.Structured)
			}
		})
	}
}
