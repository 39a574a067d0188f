package tools

import (
	"encoding/json"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// A call of another MCP server's tool can end with any error: each has its steps, though the call has no tool of
// lspi. A panic there would end the process, and with it the sessions of all hosts.
func TestFailedHasStepsForEveryKind(t *testing.T) {
	for _, kind := range contract.ErrorKinds() {
		r := answer.Request{Tool: "fake__any", Arguments: json.RawMessage(`{"a":1}`)}
		got := Failed(&session.Settings{}, r, contract.Errorf(kind.Kind, nil, "it failed"))
		var envelope struct {
			NextSteps []contract.NextStep `json:"next_steps"`
		}
		testkit.Must(t, json.Unmarshal(got.Structured, &envelope))
		if len(envelope.NextSteps) == 0 {
			t.Errorf("%v has no next step", kind.Kind)
		}
		for _, step := range envelope.NextSteps {
			if step.Tool == r.Tool {
				t.Errorf("%v offers to repeat a call that may have had an effect: %+v", kind.Kind, step)
			}
		}
	}
}
