//go:build linux

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

var editsKilled = sharedFault("the shared process is killed while 4 hosts edit")

// The instants at which the process is killed: at once, when an edit is about to be made, and when one is on disk.
var editInstants = []func(u *user, name string) bool{
	func(*user, string) bool { return true },
	func(u *user, _ string) bool {
		found, _ := filepath.Glob(u.path("lspi/edit/journals/*"))
		return len(found) > 0
	},
	func(u *user, name string) bool { return u.count(u.project.home, name) > 0 },
}

// An edit that was in flight is made once or not at all, as its answer says. Two hosts edit one file, two others
// another.
func TestSharedKilledWhileEditing(t *testing.T) {
	atBoth(t, editsKilled, func(c *cell, p *project) {
		u := p.user(c)
		hosts, _ := u.together(hostsTogether)
		other := filepath.Join(filepath.Dir(p.home), "other"+filepath.Ext(p.home))
		testkit.Write(c, filepath.Join(u.dir, other), strings.ReplaceAll(p.files[p.home], symbol, "Other"))
		files := []string{p.home, other}
		c.again()
		for round, now := range editInstants {
			daemon := u.sharedBy(hosts)
			var calls []*pending
			name := func(i int) string { return fmt.Sprintf("Extra%d%d", round, i) }
			for i, h := range hosts {
				calls = append(calls, h.start("edit_symbol", u.insertion(files[i%2], name(i))))
			}
			testkit.Wait(c, "the instant", func() bool {
				return now(u, name(0)) || now(u, name(2)) || calls[0].Answered()
			})
			daemon.Kill()
			for i, call := range calls {
				a := call.envelope(c)
				made := u.count(files[i%2], name(i))
				t.Logf("round %d, host %d: %s, made %d times", round, i, a.shape(), made)
				u.inTime(a, callTime)
				told := map[bool]int{true: 1}[a.OK]
				if made != told {
					c.breaks("host %d was told %s, and it is on disk %d times: %s", i, a.shape(), made, a.raw)
				}
				if why := a.Reason(); !a.OK && why != "call_interrupted" && why != "file_changed" {
					c.breaks("host %d: %s: %s", i, a.shape(), a.Error.Message)
				}
			}
			u.truth = p.truth(c, u.dir)
			u.soonRight(hosts)
		}
		c.measured()
		c.says("each is on disk once or not at all, as its answer says")
		left, _ := filepath.Glob(u.path("lspi/edit/journals/*"))
		for _, path := range left {
			// One without a whole line, its header, is of an edit that had not begun; lspi takes it away in an
			// hour, when nobody can be about to write it.
			text, _ := os.ReadFile(path)
			t.Logf("left: %d bytes of a journal", len(text))
			if strings.Contains(string(text), "\n") {
				c.breaks("a journal is left: %s", text)
			}
		}
		u.oneAgain(hosts)
	})
}

// soonRight asks hosts until they are answered the whole truth. Until then an answer may be partial, and never
// wrong: a server that started while a file was put back may have read the text before, which its answers then say
// (stale_dropped).
func (u *user) soonRight(hosts []*host) {
	u.Helper()
	for _, h := range hosts {
		wrong := ""
		err := testkit.Eventually(testkit.Patience/4, func() bool {
			a := h.call("find_references", u.project.question())
			if lie := a.lies(u.truth); lie != "" {
				u.breaks("a lie: %s", lie)
			}
			wrong = a.wrong(u.truth)
			return wrong == ""
		})
		if err != nil {
			u.breaks("%s", wrong)
		}
	}
}

// insertion is a call that puts a declaration behind that of a file's function, at once.
func (u *user) insertion(file, name string) map[string]any {
	symbolName := symbol
	if file != u.project.home {
		symbolName = "Other"
	}
	text := strings.ReplaceAll(u.project.files[u.project.home], symbol, name)
	if _, body, ok := strings.Cut(text, "\n\n"); ok { // behind the name of the package
		text = body
	}
	return map[string]any{"file_path": file, "symbol_name": symbolName, "operation": "insert_after", "new_text": text,
		"apply": "if_safe"}
}

// count is how often a declaration is in a file.
func (u *user) count(file, name string) int {
	raw, err := os.ReadFile(filepath.Join(u.dir, file))
	testkit.Must(u, err)
	return len(strings.Split(string(raw), name)) - 1
}
