//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// While the index that knows who uses a header is being built, "introduces nothing" says little: the answer says so and how to
// have more, and does not offer to make the edit all the same instead.
func TestCheckEditWhileTheIndexIsBuilt(t *testing.T) {
	needServer(t, "clangd")
	env := sessions.Real(t, testkit.Corpus(t, "leveldb"), "clangd")
	env.Settings.CallTimeout = 12 * time.Second // the index of leveldb takes 20 s and more
	a := tryEdits(t, env, "include/leveldb/slice.h", "bool empty() const", "bool emptyx() const")
	if a["completeness"] != "partial" {
		t.Fatalf("%.3000v", a)
	}
	if w := warningAbout(a, "indexing"); !strings.Contains(w, "clangd") {
		t.Errorf("no warning says that the index is being built: %v", a["warnings"])
	}
	steps := fmt.Sprint(a["next_steps"])
	if first := a["next_steps"].([]any); len(first) == 0 || first[0].(map[string]any)["tool"] != "check_edit" || strings.Contains(steps, "anyway") {
		t.Errorf("%s", steps)
	}
}
