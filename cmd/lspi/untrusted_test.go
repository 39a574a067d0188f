package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools"
)

const disguise = "\u202e\u200b\x1b[31m\u009b31m\u2028\U000e0041"

// The log keeps a text as it is, in a form that a terminal does not obey.
func TestLogHoldsNoControls(t *testing.T) {
	var b bytes.Buffer
	newLogs(&b).log.Warn("skipped", "text", disguise)
	var line struct{ Text string }
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line.Text != disguise {
		t.Errorf("%q, %v", line.Text, err)
	}
	if strings.ContainsAny(b.String(), "\u202e\u200b\x1b\u009b\u2028\U000e0041") {
		t.Errorf("raw characters in %q", b.String())
	}
}

// What stands in an envelope exactly is printed without its controls.
func TestCallPrintsNoControls(t *testing.T) {
	raw, err := contract.Marshal(contract.Envelope{Tool: "check_edit", NextSteps: []contract.NextStep{{Kind: contract.StepTool,
		Message: "Apply.", Tool: "check_edit", Arguments: map[string]any{"new_text": disguise}}}, Body: map[string]string{"symbol": disguise}})
	testkit.Must(t, err)
	for _, asJSON := range []bool{true, false} {
		var out bytes.Buffer
		testkit.Must(t, tell(&out, &out, tools.Result{OK: true, Structured: raw}, asJSON))
		if at := strings.IndexAny(out.String(), "\u202e\u200b\x1b\u009b\u2028\U000e0041"); at >= 0 {
			t.Errorf("raw characters at %d of %q", at, out.String())
		}
	}
}
