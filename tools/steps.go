package tools

import (
	"encoding/json"
	"reflect"
	"slices"

	"lspi/contract"
)

// A host may run a tool step without looking, so none of them writes. The one exception is the step that applies what a
// preview has just shown: [Call.offer] takes it, [Call.step] refuses it, and an error never carries it.

// agreed are the arguments by which a change of files is agreed to. A step that calls again shows the change instead: it
// may be another one.
var agreed = []string{"dry_run", "expected_before_sha256", "apply_if_clean"}

// agrees reports whether a step, run as it is, may change files.
func agrees(s contract.NextStep) bool {
	says := func(argument, value string) bool {
		v, given := s.Arguments[argument]
		raw, err := json.Marshal(v)
		return given && (err != nil || string(raw) == value)
	}
	return s.Kind == contract.StepTool && (says("dry_run", "false") || says("apply_if_clean", "true"))
}

// step offers a next step that only looks, right behind the warning that it is for; an equal one is not repeated.
func (c *Call) step(s contract.NextStep) {
	mustf(!agrees(s), "a next step of %s would write: %s %v", c.request.Tool, s.Tool, s.Arguments)
	c.addStep(s)
}

// offer adds the step that applies what this call has previewed.
func (c *Call) offer(s contract.NextStep) { c.addStep(s) }

func (c *Call) addStep(s contract.NextStep) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.warnings); n > 0 { // so that a warning about which something can be done is shown before others
		c.warnings[n-1].Step = true
	}
	if !slices.ContainsFunc(c.steps, func(have contract.NextStep) bool { return reflect.DeepEqual(have, s) }) {
		c.steps = append(c.steps, s)
	}
}

// hasSteps reports whether there is a way on already.
func (c *Call) hasSteps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.steps) > 0
}

// repeat is the step that calls the same tool again with some arguments changed.
func (c *Call) repeat(message string, change map[string]any) contract.NextStep {
	arguments := map[string]any{}
	given, _ := object(c.request.Arguments)
	for k, v := range given {
		if string(v) != "null" && !slices.Contains(agreed, k) {
			arguments[k] = v
		}
	}
	for k, v := range change {
		if v == nil {
			delete(arguments, k)
			continue
		}
		arguments[k] = v
	}
	return contract.NextStep{Kind: contract.StepTool, Message: message, Tool: c.tool.Name, Arguments: arguments}
}
