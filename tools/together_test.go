package tools

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTogetherRunsAllWithinTheLimit(t *testing.T) {
	var running, most, done atomic.Int32
	together(20, 3, func(int) {
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
	broken := &Tool{Name: "broken", check: func(json.RawMessage) error { return nil },
		run: func(context.Context, *Call, json.RawMessage) (any, error) {
			together(3, 0, func(i int) {
				if i == 1 {
					panic("by mistake")
				}
			})
			return nil, nil
		}}
	table = append(table, broken)
	defer func() { table = table[:len(table)-1] }()
	r := Run(t.Context(), &Env{}, nil, Request{Tool: "broken"})
	if r.OK || !strings.Contains(r.Text, "internal_error (panic)") || strings.Contains(string(r.Structured), "goroutine") {
		t.Errorf("%s", r.Structured)
	}
}
