package answer

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// A host looks at the state of its own MCP servers; a shell has none that go on, and looks at them by lspi doctor.
func TestStateOfOtherServers(t *testing.T) {
	for _, kind := range []contract.Kind{contract.KindMCPServerUnavailable, contract.KindMCPServerTimeout,
		contract.KindMCPServerRefused, contract.KindUnknownTool} {
		for host, want := range map[session.Host]string{{Name: "claude-code"}: "get_server_status",
			session.CallHost(): "lspi doctor"} {
			c := NewCall(session.Unopened(session.Settings{}, nil), anyTool{}, Request{Tool: "one__echo", Host: host})
			steps := c.StepsFor(contract.Errorf(kind, contract.Facts{"tool": "one__echo", "mcp_server": "one"},
				"it did not answer"))
			testkit.Equal(t, steps[0].Tool+steps[0].Command, want, string(kind)+" "+host.Name)
		}
	}
}

// A call whose answer cannot be read is not to be corrected: the server has not said what is wrong with it.
func TestStepBehindAnUnreadableAnswer(t *testing.T) {
	for reason, want := range map[string]bool{"refused": true, "bad_answer": false} {
		c := NewCall(session.Unopened(session.Settings{}, nil), anyTool{}, Request{Tool: "one__echo"})
		steps := c.StepsFor(contract.Errorf(contract.KindMCPServerRefused,
			contract.Facts{"mcp_server": "one", "reason": reason}, "it said so"))
		last := steps[len(steps)-1].Message
		testkit.Equal(t, strings.HasPrefix(last, "Correct the call"), want, reason+": "+last)
	}
}
