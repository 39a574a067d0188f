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

// A host may run a tool step without looking at it, so no step writes. The one exception is the step that applies what
// a preview has just shown: [Call.Offer] takes it, [Call.Step] panics on it, and an error never carries it.

// consentArguments are the arguments by which a caller consents to a change of files. A step that repeats the call
// leaves them out, so it previews the change: by then it may be another change than the one that the caller
// consented to.
var consentArguments = []string{"apply", "dry_run", "preview_id", "expected_before_sha256", "apply_if_clean"}

// writes reports whether a step, run as it is, may change files.
func writes(s contract.NextStep) bool {
	says := func(argument, value string) bool {
		v, given := s.Arguments[argument]
		raw, err := json.Marshal(v)
		// What cannot be written as JSON is taken for an agreement, to be on the safe side.
		return given && (err != nil || string(raw) == value)
	}
	return s.Kind == contract.StepTool && (says("dry_run", "false") || says("apply_if_clean", "true") ||
		says("apply", `"if_safe"`))
}

// Step offers a next step that only reads. Call it right behind the warning that it cures: it marks
// that warning as one with a step, which is shown before others. A step that makes the same call as an
// earlier one is dropped. A step that writes is a defect of lspi and panics.
func (c *Call) Step(s contract.NextStep) {
	Mustf(!writes(s), "a next step of %s would write: %s %v", c.Request.Tool, s.Tool, s.Arguments)
	c.addStep(s)
}

// Adopt adds to c the warnings, steps and once-only notices of a call that c made for itself
// ([Call.Nested]). The time that it spent is not added: it is part of the time of c.
// The two locks are never held together, so calls may adopt each other's parts in any order.
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
	told := slices.Clone(nested.notices)
	nested.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notices = append(c.notices, told...)
}

// AdoptWindows adds to c what the windows of a nested call left out, where the nested answer, about
// symbol, is part of c's own. The message gets the symbol in front, because an answer about several has
// several windows; with "" it does not.
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
		if symbol != "" {
			w.Message = symbol + ": " + w.Message
		}
		c.rest.warnings = append(c.rest.warnings, w)
	}
	c.rest.steps = append(c.rest.steps, left.steps...)
}

// Offer adds the step that applies what this call has previewed, the only step that may write.
func (c *Call) Offer(s contract.NextStep) { c.addStep(s) }

// addStep adds a step unless an equal one is there. Steps are equal when they make the same call,
// whatever their message.
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

// HasSteps reports whether some step has been offered already.
func (c *Call) HasSteps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.steps) > 0
}

// LongWait is the wait_ms, in milliseconds, that a step offers when servers did not answer within that
// of the call.
const LongWait = 30_000

// Repeat returns the step that calls the same tool again with some arguments changed; a nil value takes
// the argument out. The step is in words instead of runnable in two cases: arguments as long as an
// answer (the texts of an edit) would leave no room for what the answer is about; and nobody knows what
// a tool of another MCP server would do a second time.
func (c *Call) Repeat(message string, change map[string]any) contract.NextStep {
	if c.Tool == nil || utf8.RuneCount(c.Request.Arguments) > MaxEcho {
		return c.RepeatInWords(message, change)
	}
	arguments := map[string]any{}
	// Arguments that are no object are an error of the call; its steps then have only the changes.
	given, _ := Object(c.Request.Arguments)
	for k, v := range given {
		if string(v) != "null" && !slices.Contains(consentArguments, k) {
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

// Repeats reports whether a step is the call itself.
func Repeats(c *Call, s contract.NextStep) bool {
	given, _ := Object(c.Request.Arguments)
	given = maps.Clone(given)
	maps.DeleteFunc(given, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return s.Kind == contract.StepTool && s.Tool == c.Request.Tool && len(given) == len(s.Arguments) &&
		maps.EqualFunc(given, s.Arguments, func(raw json.RawMessage, v any) bool {
			have, err := contract.Marshal(v)
			was, given := contract.Marshal(raw)
			return err == nil && given == nil && string(have) == string(was)
		})
}

// RepeatInWords is [Call.Repeat] as a sentence, which names only the arguments that change.
func (c *Call) RepeatInWords(message string, change map[string]any) contract.NextStep {
	return contract.NextStep{Kind: contract.StepDoc, Message: message + c.changesInWords(change)}
}

// changesInWords says how the repeated call differs from this one; "" when it does not.
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
	for _, k := range consentArguments {
		if change[k] == nil && !slices.Contains(without, k) {
			without = append(without, k)
		}
	}
	// Only what the call really gave has to be left out.
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

// Mustf panics when ok is false. It is for defects of lspi, which the call's recover turns into an
// internal_error.
func Mustf(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}

// TargetArguments returns the arguments of the call that address a symbol, with the server that it
// picked, for a step that asks another tool about the same symbol. Empty when the call addresses none.
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
	for _, s := range c.withoutFailing(steps) {
		c.Step(s)
	}
}

// PreviewStep returns the step that previews the change again, from its first page.
func (c *Call) PreviewStep(message string) contract.NextStep {
	return c.Repeat(message, map[string]any{"offset": nil})
}

// TargetNames are the arguments of every tool that address a symbol ([lspi/tools/resolve.Target]).
var TargetNames = []string{"file_path", "line", "character", "symbol_name", "symbol_kind"}

// withoutFailing returns steps without those that would fail if they were run now.
func (c *Call) withoutFailing(steps []contract.NextStep) []contract.NextStep {
	if c.FilterSteps == nil {
		return steps
	}
	return c.FilterSteps(steps)
}

// SeesReloads reports whether the tool itself watches for reloads of the server while it answers, as a
// dry run does: it compares two states of the server, and a reload between them makes the comparison
// void. Other calls are simply asked again after a reload, nested calls of a dry run too.
func (c *Call) SeesReloads() bool { return c.Tool != nil && c.Tool.Class == DryRun && !c.nested }
