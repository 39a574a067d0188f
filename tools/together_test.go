package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lspi/answer"
	"lspi/internal/testkit"
	"lspi/workspace"
)

func TestTogetherRunsAllWithinTheLimit(t *testing.T) {
	var running, most, done atomic.Int32
	answer.Parallel(20, 3, func(int) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		done.Add(1)
		running.Add(-1)
	})
	if done.Load() != 20 || most.Load() > 3 {
		t.Errorf("%d done, %d at a time", done.Load(), most.Load())
	}
}

func TestAPanicInAJobIsAnEnvelope(t *testing.T) {
	broken := &answer.Tool{Name: "broken", Check: func(json.RawMessage) error { return nil },
		Run: func(context.Context, *answer.Call, json.RawMessage) (any, error) {
			answer.Parallel(3, 0, func(i int) {
				if i == 1 {
					panic("by mistake")
				}
			})
			return nil, nil
		}}
	table = append(table, broken)
	defer func() { table = table[:len(table)-1] }()
	r := Run(t.Context(), workspace.Unopened(workspace.Settings{}, nil), nil, answer.Request{Tool: "broken"})
	if r.OK || !strings.Contains(r.Text, "internal_error (panic)") || strings.Contains(string(r.Structured), "goroutine") {
		t.Errorf("%s", r.Structured)
	}
}

// A panic in any other goroutine would end the process with the session of its host.
func TestToolsStartGoroutinesOnlyTogether(t *testing.T) {
	files, err := filepath.Glob("*.go")
	testkit.Must(t, err)
	own := []string{"together.go", "mcp.go", "mcp_warmup.go"} // the last two guard theirs
	for _, file := range files {
		raw, err := os.ReadFile(file)
		testkit.Must(t, err)
		for _, start := range []string{"go func(", ".Go("} {
			if strings.Contains(string(raw), start) && !slices.Contains(own, file) && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s has %q; use together", file, start)
			}
		}
	}
}
