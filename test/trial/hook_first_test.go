//go:build linux || darwin

package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// An error that comes in when little is known yet is told by one of the next events, and once: it is not taken for one
// that was there before.
func TestHookFirstErrors(t *testing.T) {
	testkit.OwnServer(t)
	testkit.Need(t, "gopls", "git")
	broken := "package use\n\nfunc Run() int { return nowhere }\n"
	for _, c := range []struct {
		name  string
		begin bool // the session begins, and lspi is ready, before the change
		play  func(tr *trial) (told string)
		want  string
	}{
		{"no process runs", false, func(tr *trial) (told string) {
			testkit.Write(t, filepath.Join(tr.Dir, "use/use.go"), broken)
			told, _ = tr.event("PostToolUse", "Edit", "use/use.go")
			return told
		}, "undefined: nowhere"},
		{"right behind the start", false, func(tr *trial) (told string) {
			tr.event("SessionStart", "")
			testkit.Write(t, filepath.Join(tr.Dir, "use/use.go"), broken)
			told, _ = tr.event("PostToolUse", "Edit", "use/use.go")
			return told
		}, "undefined: nowhere"},
		{"a package is removed", true, func(tr *trial) (told string) {
			testkit.Must(t, os.RemoveAll(filepath.Join(tr.Dir, "base")))
			return ""
		}, "base"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrial(t, languageGo)
			if c.begin {
				tr.event("SessionStart", "")
				testkit.Wait(t, "the server", func() bool {
					return strings.Contains(tr.Run(tr.lspi, "status", "--json"), `"ready": true`)
				})
			}
			told := c.play(tr) // which tells it already where lspi is quick
			testkit.Wait(t, "the error", func() bool {
				text, _ := tr.event("PostToolUse", "Bash")
				told += text
				return strings.Contains(told, c.want)
			})
			for range 2 {
				text, _ := tr.event("PostToolUse", "Bash")
				told += text
			}
			if strings.Count(told, "use/use.go (") != 1 || strings.Contains(told, "old/old.go") {
				t.Errorf("once, and nothing of before: %s", told)
			}
		})
	}
}
