package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// A module that is not the one in go.sum is nothing that a command puts right: go mod tidy ends with the same error (Go 1.26),
// and who takes the line out of go.sum gives up what it is for.
func TestAnotherModuleThanInGoSumIsForTheUser(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, map[string]string{
		"go.mod": "module x\n\ngo 1.24\n\nrequire github.com/google/go-cmp v0.7.0\n",
		"go.sum": "github.com/google/go-cmp v0.7.0 h1:" + strings.Repeat("A", 43) + "=\n" +
			"github.com/google/go-cmp v0.7.0/go.mod h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=\n",
		"a.go": "package x\n\nimport \"github.com/google/go-cmp/cmp\"\n\nvar a = cmp.Equal(1, 2)\n",
	}), "gopls")
	a := run(t, env, "find_references", map[string]any{"file_path": "a.go", "symbol_name": "a"})
	if !strings.Contains(fmt.Sprint(a["warnings"]), "checksum mismatch") {
		t.Fatalf("%v", a)
	}
	step := firstOf(a, "next_steps")
	if step["kind"] != "doc" || !strings.Contains(fmt.Sprint(step["message"]), "Tell the user") {
		t.Errorf("%v", step)
	}
}
