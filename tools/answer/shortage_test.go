package answer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// Whatever fails for want of something, the steps are about that, and not about the file or the server.
func TestShortageSteps(t *testing.T) {
	c := NewCall(session.Unopened(session.Settings{}, nil), anyTool{}, Request{Tool: "hover"})
	for errno, want := range map[syscall.Errno]string{syscall.EMFILE: "ulimit -n", syscall.ENFILE: "fs.file-max",
		syscall.ENOMEM: "memory", syscall.EAGAIN: "pids.max"} {
		for _, kind := range []contract.Kind{contract.KindServerStartFailed, contract.KindFileUnreadable} {
			err := contract.Errorf(kind, contract.Facts{"install": []string{"get it"}}, "reading a.go: %w",
				&fs.PathError{Op: "fork/exec", Err: errno})
			steps := c.StepsFor(err)
			if len(steps) < 2 || !strings.Contains(steps[0].Message, want) ||
				steps[len(steps)-1].Tool != "get_server_status" {
				t.Errorf("%v: %+v", err, steps)
			}
		}
	}
}

// Where the call itself bounds the time of servers, more of it is the way on, and not another configuration.
func TestStepsOfATimeOut(t *testing.T) {
	for arguments, want := range map[string]string{`{"wait_ms":100}`: "map[wait_ms:30000] get_server_status ",
		`{}`: "map[] get_server_status mcp.call_timeout_ms"} {
		c := NewCall(session.Unopened(session.Settings{}, nil), anyTool{},
			Request{Tool: "get_diagnostics", Arguments: json.RawMessage(arguments)})
		c.Tool = &Tool{Name: "get_diagnostics"}
		steps := c.StepsFor(contract.Errorf(contract.KindRequestTimeout, nil, "no answer in time"))
		got := fmt.Sprint(steps[0].Arguments, " ", steps[1].Tool, " ")
		if len(steps) > 2 && strings.Contains(steps[2].Message, "mcp.call_timeout_ms") {
			got += "mcp.call_timeout_ms"
		}
		testkit.Equal(t, got, want, arguments)
	}
}

// anyTool is a table in which every name is a tool that takes everything.
type anyTool struct{}

func (anyTool) Lookup(name string) (*Tool, error) {
	return &Tool{Name: name, Check: func(json.RawMessage) error { return nil }}, nil
}

func (anyTool) Names(*session.Settings) []string { return nil }
