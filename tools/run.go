package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/session"
)

// Result is a finished call: the envelope as JSON, and the text beside it.
type Result struct {
	Structured json.RawMessage
	Text       string
	OK         bool
	Spent      answer.Spent

	shown contract.Envelope
}

// Run runs one tool from its arguments to its envelope. It never fails and never panics: whatever goes
// wrong is an envelope with next steps. s is nil when opening the session failed, for the reason
// broken; tools that look at lspi itself still answer then, when broken is a [*session.SessionError].
func Run(ctx context.Context, s *session.Session, broken error, r answer.Request) Result {
	// A stand-in, so that nothing below has to ask whether there is a session.
	if s == nil {
		s = unopened(broken)
		if broken == nil {
			broken = errors.New("the session was not opened")
		}
	}
	// The arguments are made valid before anything else sees them: the envelope and the steps repeat them.
	r.Arguments = withoutHosts(bytes.ToValidUTF8(r.Arguments, []byte("\ufffd"))) // what is repeated of them has to be
	var notes []string
	called := r.Tool
	if r.Tool, r.Arguments, notes = today(r.Tool, r.Arguments); r.Tool != called {
		r.Called = called
	}
	r.Arguments = withDefaults(&s.Settings, r.Tool, r.Arguments)
	c := answer.NewCall(s, known{}, r)
	if notes != nil {
		c.Warn(contract.WarnOldName, contract.Facts{"tool": r.Tool}, strings.Join(notes, "; "))
	}
	answer.ReadArguments(c)
	// The limit has a cause of its own, so that its end can be told from a host that cancels the call.
	limit := s.Settings.CallTimeout
	if limit <= 0 {
		limit = session.DefaultCallTimeout
	}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: the call's limit of %v is over",
		context.DeadlineExceeded, limit))
	// It also ends what the call started and nobody waits for any more.
	defer cancel()
	ctx, stop := answer.ReportProgress(ctx, r)
	defer stop()
	c.FilterSteps = probe{c, ctx}.filter
	body, err := runTool(ctx, c, broken)
	// caller, and not ctx: a call whose own limit is over still returns its answer to a host that waits for it.
	result := finish(c, body, err)
	answer.CountTold(caller, &s.Told, c, result.shown)
	result.Spent = c.Spent()
	return result
}

// runTool is the part of a call that may fail or panic. Its steps go from what needs nothing to what
// needs most: the call's own fault, the tool, the session, what the configuration allows, and only then
// what may start a server.
func runTool(ctx context.Context, c *answer.Call, broken error) (body any, err error) {
	defer func() {
		// A panic that reached the SDK would kill the process, and with it every server and every other call
		// (go-sdk v1.8.0).
		if p := recover(); p != nil {
			err = panicked(c, p)
		}
	}()
	tool, err := Lookup(c.Request.Tool)
	// From here on warnings and steps may ask the call for its tool; before, c.Tool is nil.
	c.Tool = tool
	// What a preset leaves out is not there, whatever else is wrong with the call.
	if err == nil {
		if refused := answer.Refuses(&c.Session.Settings, tool); isByPreset(refused) {
			return nil, refused
		}
	}
	// Arguments that are no JSON object: known since the request was read, and the envelope says it as any other error.
	if c.Request.Fault != nil {
		return nil, c.Request.Fault
	}
	if err != nil {
		// A configuration that cannot be read may well have the other MCP server.
		if _, _, others := session.ServerOf(c.Request.Tool); others && broken != nil &&
			answer.AsError(broken).Kind == contract.KindConfigInvalid {
			return nil, broken
		}
		return nil, unknown(&c.Session.Settings, c.Request.Tool, err)
	}
	// Without a session only tools that look at lspi itself can answer, and only where the table of servers could
	// be read: they are how a host finds out what is wrong. Those that read transcripts need no more than the
	// workspace, which the table says.
	if tool.Class == answer.Binding { // it is what there is to do about that
		broken = nil
	}
	if broken != nil && !((tool.Class == answer.Status || tool.Class == answer.Recall) && c.Workspace.Table != nil) {
		return nil, broken
	}
	// After Lookup, so that a name that does not exist is not told as a tool that is switched off.
	if err := answer.Refuses(&c.Session.Settings, tool); err != nil {
		return nil, err
	}
	for _, w := range configWarnings(c, broken) {
		c.AddWarning(w)
	}
	// A change of files that was interrupted is put right first: an answer given before that would be about files
	// that are half changed.
	if tool.Asks {
		c.ClaimComplete()
		if err := edits.Recover(ctx, c); err != nil {
			return nil, err
		}
	}
	// What the files are is found out while the arguments are read. Behind Recover, which may change files.
	if pool := c.Workspace.Pool; tool.Class == answer.Navigation && pool != nil {
		if j := pool.Journal(c.Workspace.Root); j != nil {
			ctx = j.Early(ctx)
		}
	}
	return tool.Run(ctx, c, answer.UnescapeNames(c.Request.Arguments))
}

// Failed returns the answer to a call that cannot be made, such as one of another MCP server's tool,
// for the reason err.
func Failed(s *session.Settings, r answer.Request, err error) Result {
	return errorResult(answer.NewCall(session.Unopened(*s, nil), known{}, r), err)
}

// Limit returns how much of an answer a host is shown, in the units that it counts
// ([answer.ShownSize]).
func Limit(s *session.Settings, host session.Host) int {
	return answer.NewCall(session.Unopened(*s, nil), known{}, answer.Request{Host: host}).Limit()
}

// isByPreset reports whether an error says that the preset leaves the tool out.
func isByPreset(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Kind == contract.KindNotAllowedByPreset
}

// unopened returns a stand-in for a session that could not be opened: nothing in it watches or runs.
func unopened(broken error) *session.Session {
	var e *session.SessionError
	if errors.As(broken, &e) {
		return session.Unopened(e.Settings, e.Table)
	}
	return session.Unopened(session.Settings{}, nil)
}

// configWarnings returns what is wrong with the configuration: all of it on the tools that look at lspi
// itself, and once in a session on whatever tool comes first.
func configWarnings(c *answer.Call, broken error) []contract.Warning {
	first := answer.NotYetTold(c, "configuration")
	answer.WillTell(c, "configuration", string(contract.WarnConfig), "")
	var out []contract.Warning
	if broken != nil {
		e := answer.AsError(broken)
		out = append(out, contract.Warning{Kind: contract.WarnConfig, Facts: e.Facts,
			Message: "every tool that asks a language server refuses until this is fixed: " + e.Message})
	}
	// Once: repeated on every call, they would be paid for in every answer and read in none.
	if first || c.Tool.Class == answer.Status {
		out = append(out, c.Session.Settings.Warnings...)
	}
	return out
}

// panicked is the error of a defect in lspi; the log has all of it.
func panicked(c *answer.Call, p any) error {
	if c.Workspace.Process.Log != nil {
		c.Workspace.Process.Log.Error("panic in a tool", "tool", c.Request.Tool, "panic", p, "stack",
			string(debug.Stack()))
	}
	return contract.Errorf(contract.KindPanic, contract.Facts{"tool": c.Request.Tool},
		"%s failed because of a bug in lspi: %s", c.Request.Tool, firstLine(fmt.Sprint(p)))
}

// firstLine returns a panic without the stack that [answer.Parallel] puts behind it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// finish makes the envelope within its cap. Bodies have methods that write them, so it may panic like
// the tool, and recovers by itself.
func finish(c *answer.Call, body any, err error) (r Result) {
	if err != nil {
		return errorResult(c, err)
	}
	defer func() {
		if p := recover(); p != nil {
			r = errorResult(c, panicked(c, p))
		}
	}()
	// First written in full: most answers fit, and cutting costs several writings.
	limit := c.Limit()
	shown, err := c.Present(c.Envelope(body))
	if err == nil && shown.Size > limit {
		shown, err = c.Fit(body, limit)
	}
	if err != nil {
		return errorResult(c, err)
	}
	return Result{Structured: shown.Raw, Text: shown.Text, OK: true, shown: shown.Envelope}
}

// errorResult returns the envelope of an error. The order matters: steps are chosen by the facts in
// full length, and only then are the facts cut. It cannot fail: an error that cannot be written is
// replaced by one that can.
func errorResult(c *answer.Call, err error) Result {
	e := answer.Relative(c, answer.AsError(err))
	steps := c.StepsFor(e) // with the facts as they are
	for i, step := range steps {
		steps[i] = short(step)
	}
	e = bounded(e)
	// The name of the tool is what the host sent, and may be anything.
	envelope := contract.Envelope{Tool: answer.CutText(c.Request.Tool, answer.MaxFact), ServerID: c.ServerID(),
		Input: c.Echo(true), Warnings: contract.Shown(c.Warnings()),
		Error: e, NextSteps: steps}
	// An error often knows its server before the call has settled on one.
	if id, ok := e.Facts["server_id"].(string); ok && envelope.ServerID == "" {
		envelope.ServerID = id
	}
	// Facts may hold a value that JSON cannot write.
	shown, merr := c.PresentError(envelope)
	if merr != nil {
		e = contract.Errorf(contract.KindPanic, contract.Facts{"tool": c.Request.Tool}, "writing the error %v: %w",
			err, merr)
		envelope.Error, envelope.Input = e, nil
		shown, _ = c.PresentError(envelope)
	}
	return Result{Structured: shown.Raw, Text: shown.Text, shown: shown.Envelope}
}

// bounded returns a copy of an error with its message and its facts cut, in code points: an argument
// that a host gave without bound does not come back without bound.
func bounded(e *contract.Error) *contract.Error {
	copied := *e
	copied.Message = answer.CutText(e.Message, answer.MaxErrorText)
	copied.Facts = contract.Facts{}
	for k, v := range e.Facts {
		if text, ok := v.(string); ok {
			v = answer.CutText(text, answer.MaxFact)
		}
		copied.Facts[k] = v
	}
	return &copied
}

// short returns a step of bounded length: one whose arguments would be as long as those that were wrong
// keeps its advice in words.
func short(s contract.NextStep) contract.NextStep {
	if raw, err := contract.Marshal(s); err == nil && utf8.RuneCount(raw) <= answer.MaxEcho+answer.MaxErrorText {
		return s
	}
	return contract.NextStep{Kind: contract.StepDoc, Message: answer.CutText(s.Message, answer.MaxErrorText)}
}
