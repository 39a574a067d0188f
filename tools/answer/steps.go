package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
)

// A host may run a tool step without looking, so none of them writes. The one exception is the step that applies what a
// preview has just shown: [Call.Offer] takes it, [Call.Step] refuses it, and an error never carries it.

// agreed are the arguments by which a change of files is agreed to. A step that repeats the call leaves them out,
// so it shows the change and does not make it: by then it may be another change than the one that was agreed to.
var agreed = []string{"apply", "dry_run", "preview_id", "expected_before_sha256", "apply_if_clean"}

// agrees reports whether a step, run as it is, may change files.
func agrees(s contract.NextStep) bool {
	says := func(argument, value string) bool {
		v, given := s.Arguments[argument]
		raw, err := json.Marshal(v)
		// What cannot be written as JSON is taken for an agreement, to be on the safe side.
		return given && (err != nil || string(raw) == value)
	}
	return s.Kind == contract.StepTool && (says("dry_run", "false") || says("apply_if_clean", "true") ||
		says("apply", `"if_safe"`))
}

// Step offers a next step that only looks, right behind the warning that it is for; one that calls the same is not
// repeated.
func (c *Call) Step(s contract.NextStep) {
	Mustf(!agrees(s), "a next step of %s would write: %s %v", c.Request.Tool, s.Tool, s.Arguments)
	c.addStep(s)
}

// Adopt adds to a call what one that it made for itself ([Call.Nested]) said of its answer. What it spent is part
// of what this one does.
func Adopt(c, nested *Call) {
	for _, w := range nested.Warnings() {
		c.AddWarning(w)
	}
	nested.mu.Lock()
	steps := slices.Clone(nested.steps)
	nested.mu.Unlock()
	for _, s := range steps {
		c.addStep(s)
	}
	nested.mu.Lock()
	told := slices.Clone(nested.telling)
	nested.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.telling = append(c.telling, told...)
}

// AdoptWindows adds to a call what the windows of one that it made for itself left out, where its answer, about a
// symbol, is part of this one's.
func AdoptWindows(c, nested *Call, symbol string) {
	nested.mu.Lock()
	left := nested.rest
	nested.mu.Unlock()
	if left == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truncated = true
	c.lower(contract.WarnTruncated.Effect())
	if c.rest == nil {
		c.rest = &rest{}
	}
	for _, w := range left.warnings {
		w.Message = symbol + ": " + w.Message
		c.rest.warnings = append(c.rest.warnings, w)
	}
	c.rest.steps = append(c.rest.steps, left.steps...)
}

// Offer adds the step that applies what this call has previewed.
func (c *Call) Offer(s contract.NextStep) { c.addStep(s) }

func (c *Call) addStep(s contract.NextStep) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.warnings); n > 0 { // so that a warning about which something can be done is shown before others
		c.warnings[n-1].Step = true
	}
	if !slices.ContainsFunc(c.steps, func(have contract.NextStep) bool {
		return reflect.DeepEqual(have, s) || s.Kind == contract.StepTool && have.Tool == s.Tool &&
			reflect.DeepEqual(have.Arguments, s.Arguments)
	}) {
		c.steps = append(c.steps, s)
	}
}

// HasSteps reports whether there is a way on already.
func (c *Call) HasSteps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.steps) > 0
}

// LongWait is the time, in milliseconds, that a step gives servers which did not answer in that of the call.
const LongWait = 30_000

// Repeat is the step that calls the same tool again with some arguments changed; nil takes one out. Arguments as
// long as an answer are not said again: the texts of an edit would leave no room for what the answer is about. A
// tool that is none of lspi's own is told in words, too: what it would do a second time is not known.
func (c *Call) Repeat(message string, change map[string]any) contract.NextStep {
	if c.Tool == nil || utf8.RuneCount(c.Request.Arguments) > MaxEcho {
		return c.RepeatInWords(message, change)
	}
	arguments := map[string]any{}
	// Arguments that are no object are an error of the call; its steps then have only the changes.
	given, _ := Object(c.Request.Arguments)
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
	return contract.NextStep{Kind: contract.StepTool, Message: message, Tool: c.Tool.Name, Arguments: arguments}
}

// RepeatInWords is [Call.Repeat] without the arguments that stay as they are.
func (c *Call) RepeatInWords(message string, change map[string]any) contract.NextStep {
	return contract.NextStep{Kind: contract.StepDoc, Message: message + c.changesInWords(change)}
}

// changesInWords says how the arguments of a call differ in the one that repeats it; "" when they do not.
func (c *Call) changesInWords(change map[string]any) string {
	given, _ := Object(c.Request.Arguments)
	var with, without []string
	for _, k := range slices.Sorted(maps.Keys(change)) {
		if v := change[k]; v == nil {
			without = append(without, k)
		} else if raw, err := contract.Marshal(v); err == nil {
			with = append(with, k+" "+string(raw))
		}
	}
	for _, k := range agreed {
		if change[k] == nil && !slices.Contains(without, k) {
			without = append(without, k)
		}
	}
	without = slices.DeleteFunc(without, func(k string) bool { return given[k] == nil })
	switch {
	case len(with) == 0 && len(without) == 0:
		return ""
	case len(with) == 0:
		return " Leave out " + strings.Join(without, " and ") + "; its other arguments stay."
	}
	text := " For that repeat the call with " + strings.Join(with, " and ")
	if len(without) > 0 {
		text += ", without " + strings.Join(without, " and ")
	}
	return text + "; its other arguments stay."
}

// Mustf panics where ok is false: with a mistake of lspi, which becomes an internal_error of the call.
func Mustf(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}

// TargetArguments are the arguments of the call that address a symbol, at the server that it picks.
func (c *Call) TargetArguments() map[string]any {
	arguments := map[string]any{}
	given, _ := Object(c.Request.Arguments)
	for _, name := range TargetNames {
		if v, ok := given[name]; ok && string(v) != "null" {
			arguments[name] = v
		}
	}
	if c.picked != "" {
		arguments["server_id"] = c.picked
	}
	return arguments
}

// Instead offers another tool for the same symbol.
func (c *Call) Instead(tool, message string) {
	steps := []contract.NextStep{{Kind: contract.StepTool, Message: message, Tool: tool,
		Arguments: c.TargetArguments()}}
	for _, s := range c.leadingSteps(steps) {
		c.Step(s)
	}
}

// PreviewStep shows the change again, as it would be now.
func (c *Call) PreviewStep(message string) contract.NextStep {
	return c.Repeat(message, map[string]any{"offset": nil})
}

// TargetNames are the arguments of every tool that address a symbol ([Target]).
var TargetNames = []string{"file_path", "line", "character", "symbol_name", "symbol_kind"}

// leadingSteps are steps without those that would fail if they were run now.
func (c *Call) leadingSteps(steps []contract.NextStep) []contract.NextStep {
	if c.Leading == nil {
		return steps
	}
	return c.Leading(steps)
}

// SeesReloads reports whether the call looks itself whether the server loads anew while it answers, as a dry run
// does. Others are asked again after such a load, the calls that a dry run makes for itself too.
func (c *Call) SeesReloads() bool { return c.Tool != nil && c.Tool.Class == DryRun && !c.nested }
