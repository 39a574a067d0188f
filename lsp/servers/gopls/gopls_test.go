package gopls

import (
	"context"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/launch"
)

// A process that is started behind one that lacked unreadable sources goes without the cache of folders, and so
// does each later one.
func TestProcessesWithoutTheIndex(t *testing.T) {
	l := &Launcher{}
	started := func(environ ...string) string {
		p := &launch.Plan{Environment: environ}
		l.Prepare(context.Background(), p)
		return strings.Join(p.Environment, " ")
	}
	testkit.Equal(t, started("A=1"), "A=1", "the first")
	lacking := false
	l.lacks = func() bool { return lacking }
	testkit.Equal(t, started("A=1"), "A=1", "nothing was unreadable")
	lacking = true
	testkit.Equal(t, started("A=1"), "A=1 GODEBUG=goindex=0", "something was")
	lacking = false
	testkit.Equal(t, started("GODEBUG=a=1"), "GODEBUG=a=1 GODEBUG=a=1,goindex=0", "later")
}
