package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/disk"
	"lspi/router"
)

// Result is a finished call: the envelope as JSON, and the text beside it.
type Result struct {
	Structured json.RawMessage
	Text       string
	OK         bool
	Spent      Spent
}

// Run runs one tool from its arguments to its envelope. It never fails and never panics: whatever goes wrong is an
// envelope with next steps. env may be nil when opening the session failed, with broken as the reason; the tools that
// look at lspi itself then still answer when that is a [*SessionError].
func Run(ctx context.Context, env *Env, broken error, r Request) Result {
	if env == nil {
		env = unopened(broken)
		if broken == nil {
			broken = errors.New("the session was not opened")
		}
	}
	r.Arguments = withoutHosts(bytes.ToValidUTF8(r.Arguments, []byte("\ufffd"))) // what is repeated of them has to be
	c := &Call{env: env, request: r, tools: registry{}}
	limit := env.Settings.CallTimeout
	if limit <= 0 {
		limit = DefaultCallTimeout
	}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: the call's %v are over", context.DeadlineExceeded, limit))
	defer cancel()
	ctx = router.Holding(ctx)
	c.leading = probe{c, ctx}.leading
	body, err := c.run(ctx, broken)
	result := c.finish(body, err)
	env.told.returned(caller, c, c.shown)
	result.Spent = c.spent
	return result
}

// run is the part of a call that may fail or panic.
func (c *Call) run(ctx context.Context, broken error) (body any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.panicked(p)
		}
	}()
	if c.request.Fault != nil {
		return nil, c.request.Fault
	}
	tool, err := Lookup(c.request.Tool)
	if err != nil {
		return nil, err
	}
	c.tool = tool
	if broken != nil && !(tool.Class == Status && c.env.Table != nil) {
		return nil, broken
	}
	if err := c.env.Settings.refuses(tool); err != nil {
		return nil, err
	}
	c.warnings = append(c.warnings, c.configWarnings(broken)...)
	if tool.asks {
		c.claim = contract.Complete
		if err := c.recover(ctx); err != nil {
			return nil, err
		}
	}
	return tool.run(ctx, c, givenBack(c.request.Arguments))
}

// unopened is what the calls of a session share that could not be opened: nothing that watches or runs.
func unopened(broken error) *Env {
	var e *SessionError
	if errors.As(broken, &e) {
		return &Env{Settings: e.Settings, Table: e.Table, Files: disk.OS{}}
	}
	return &Env{}
}

// configWarnings are what is wrong with the configuration: all of it on the tools that look at lspi itself, and once in
// a session on whatever tool comes first.
func (c *Call) configWarnings(broken error) []contract.Warning {
	first := firstTold(c, "configuration")
	tells(c, "configuration", string(contract.WarnConfig), "")
	var out []contract.Warning
	if broken != nil {
		e := asError(broken)
		out = append(out, contract.Warning{Kind: contract.WarnConfig, Facts: e.Facts,
			Message: "every tool that asks a language server refuses until this is fixed: " + e.Message})
	}
	if first || c.tool.Class == Status {
		out = append(out, c.env.Settings.Warnings...)
	}
	return out
}

// panicked is the error of a mistake in lspi; the log has all of it.
func (c *Call) panicked(p any) error {
	if c.env.Log != nil {
		c.env.Log.Error("panic in a tool", "tool", c.request.Tool, "panic", p, "stack", string(debug.Stack()))
	}
	return contract.Errorf(contract.KindPanic, contract.Facts{"tool": c.request.Tool},
		"%s failed by a mistake in lspi: %s", c.request.Tool, firstLine(fmt.Sprint(p)))
}

// firstLine is a panic without the stack that [together] put behind it; the stack is in the log.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// finish makes the envelope within its cap.
func (c *Call) finish(body any, err error) (r Result) {
	if err != nil {
		return c.failed(err)
	}
	defer func() {
		if p := recover(); p != nil {
			r = c.failed(c.panicked(p))
		}
	}()
	limit := c.limit()
	shown, err := c.present(c.envelope(body))
	if err == nil && shown.size > limit {
		shown, err = c.fit(body, limit)
	}
	if err != nil {
		return c.failed(err)
	}
	c.shown = shown.envelope
	return Result{Structured: shown.raw, Text: shown.text, OK: true}
}

// failed is the error form.
func (c *Call) failed(err error) Result {
	e := asError(err)
	if c.env.Settings.Workspace != "" {
		e = c.relative(e)
	}
	steps := c.stepsFor(e) // with the facts as they are
	for i, step := range steps {
		steps[i] = short(step)
	}
	e = bounded(e)
	envelope := contract.Envelope{Tool: cutText(c.request.Tool, maxFact), ServerID: c.serverID, Input: c.echo(), Warnings: contract.Shown(c.warnings),
		Error: e, NextSteps: steps}
	if id, ok := e.Facts["server_id"].(string); ok && envelope.ServerID == "" {
		envelope.ServerID = id
	}
	shown, merr := c.presentError(envelope)
	if merr != nil {
		e = contract.Errorf(contract.KindPanic, contract.Facts{"tool": c.request.Tool}, "writing the error %v: %w", err, merr)
		envelope.Error, envelope.Input = e, nil
		shown, _ = c.presentError(envelope)
	}
	c.shown = shown.envelope
	return Result{Structured: shown.raw, Text: shown.text}
}

// The bounds of an error, in code points: what a host gave without bound does not come back without bound.

// bounded is the error with its message and its facts cut.
func bounded(e *contract.Error) *contract.Error {
	copied := *e
	copied.Message = cutText(e.Message, maxErrorText)
	copied.Facts = contract.Facts{}
	for k, v := range e.Facts {
		if text, ok := v.(string); ok {
			v = cutText(text, maxFact)
		}
		copied.Facts[k] = v
	}
	return &copied
}

// short is a step of bounded length: one that would carry arguments as long as those that were wrong keeps its advice.
func short(s contract.NextStep) contract.NextStep {
	if raw, err := contract.Marshal(s); err == nil && utf8.RuneCount(raw) <= maxEcho+maxErrorText {
		return s
	}
	return contract.NextStep{Kind: contract.StepDoc, Message: cutText(s.Message, maxErrorText)}
}

// relative shows paths of the workspace as the rest of the answers does.
func (c *Call) relative(e *contract.Error) *contract.Error {
	copied := *e
	prefix := c.env.Settings.Workspace + "/"
	copied.Message = strings.ReplaceAll(copied.Message, prefix, "")
	copied.Facts = maps.Clone(e.Facts)
	if path, ok := e.Facts["file_path"].(string); ok {
		copied.Facts["file_path"] = c.show(path)
	}
	if paths, ok := e.Facts["file_paths"].([]string); ok {
		copied.Facts["file_paths"] = c.showSome(paths)
	}
	return &copied
}
