package answer

import (
	"encoding/json"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"lspi/contract"
	"lspi/workspace"
)

// Whatever fails for want of something, the steps are about that, and not about the file or the server.
func TestShortageSteps(t *testing.T) {
	c := NewCall(workspace.Unopened(workspace.Settings{}, nil), anyTool{}, Request{Tool: "hover"})
	for errno, want := range map[syscall.Errno]string{syscall.EMFILE: "ulimit -n", syscall.ENFILE: "fs.file-max", syscall.ENOMEM: "memory", syscall.EAGAIN: "pids.max"} {
		for _, kind := range []contract.Kind{contract.KindServerStartFailed, contract.KindFileUnreadable} {
			err := contract.Errorf(kind, contract.Facts{"install": []string{"get it"}}, "reading a.go: %w", &fs.PathError{Op: "fork/exec", Err: errno})
			steps := c.StepsFor(err)
			if len(steps) < 2 || !strings.Contains(steps[0].Message, want) || steps[len(steps)-1].Tool != "get_server_status" {
				t.Errorf("%v: %+v", err, steps)
			}
		}
	}
}

// anyTool is a table in which every name is a tool that takes everything.
type anyTool struct{}

func (anyTool) Lookup(name string) (*Tool, error) {
	return &Tool{Name: name, Check: func(json.RawMessage) error { return nil }}, nil
}

func (anyTool) Names(*workspace.Settings) []string { return nil }
