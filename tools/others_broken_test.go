package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/tools/answer"
)

// A configuration that cannot be read may have the other MCP server of a name: the mistake is told, and not that
// there is no such tool.
func TestOthersToolWithoutConfiguration(t *testing.T) {
	t.Parallel()
	broken := contract.Errorf(contract.KindConfigInvalid, nil, "line 7")
	for _, c := range []struct {
		tool, want string
		broken     error
	}{
		{"files__read", "config_invalid", broken},
		{"files:read", "config_invalid", broken},
		{"find_refs", "unknown_tool", broken},
		{"files__read", "unknown_tool", contract.Errorf(contract.KindWorkspaceNotSet, nil, "no workspace")},
		{"files__read", "unknown_tool", nil},
	} {
		r := Run(t.Context(), nil, c.broken, answer.Request{Tool: c.tool, Arguments: json.RawMessage(`{}`)})
		if first, _, _ := strings.Cut(r.Text, "\n"); r.OK || !strings.Contains(first, "("+c.want+")") {
			t.Errorf("%s, %v: %s", c.tool, c.broken, r.Text)
		}
	}
}
