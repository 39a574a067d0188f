//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// An answer for which the time was too short says that the same call goes on where it ended, and it does: each module
// that uses the name has to be loaded by the server first.
func TestAskAgain(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "gopls")
	const modules = 200
	files := map[string]string{"zero/go.mod": "module ex.com/zero\n\ngo 1.22\n",
		"zero/lib/lib.go": "package lib\n\nfunc Do() {}\n"}
	for i := range modules {
		name := fmt.Sprintf("m%03d", i)
		files[name+"/go.mod"] = "module ex.com/" + name +
			"\n\ngo 1.22\n\nrequire ex.com/zero v0.0.0\n\nreplace ex.com/zero => ../zero\n"
		files[name+"/main.go"] = "package main\n\nimport \"ex.com/zero/lib\"\n\nfunc main() { lib.Do() }\n"
	}
	session := toolstest.Real(t, project(t, files), "gopls")
	session.Settings.CallTimeout = 20 * time.Second // of which the questions about places have three
	question := map[string]any{"file_path": "zero/lib/lib.go", "symbol_name": "Do", "include_snippet": false,
		"max_results": 300}
	partial := 0
	for calls := 0; ; calls++ {
		a := run(t, session, "find_references", question)
		if a["completeness"] == "complete" {
			testkit.Equal(t, fmt.Sprint(a["total"]), fmt.Sprint(modules+1), "references")
			break
		}
		partial++
		raw, _ := json.Marshal(a["next_steps"])
		if !strings.Contains(string(raw), "Ask again") || !strings.Contains(string(raw), `"tool":"find_references"`) {
			t.Fatalf("no step to ask again: %s", raw)
		}
		if calls == modules {
			t.Fatalf("still partial: %v", a["warnings"])
		}
	}
	if partial == 0 {
		t.Error("the first answer was whole: the test needs more modules")
	}
}
