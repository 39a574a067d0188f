package answer

import (
	"fmt"

	"lspi/contract"
)

// SessionCandidate is one of several sessions that a call may come from. UpdatedMS is Unix time in
// milliseconds.
type SessionCandidate struct {
	SessionID     string `json:"session_id"`
	Client        string `json:"client"`
	FirstRequest  string `json:"first_request"`
	RequestsCount int    `json:"requests_count"`
	UpdatedMS     int64  `json:"updated_ms"`
}

// ListSessionsStep leads to the sessions of this workspace.
func ListSessionsStep(message string) contract.NextStep { return ToolStep("list_sessions", message) }

// askUserForTask is the step that is left when no transcript tells the task.
const askUserForTask = "lspi reads the transcripts of Codex CLI and Claude Code only, where they are kept by default or the session's own environment says " +
	"(docs/recall.md). If none tells the task, ask the user."

// sessionSteps are the steps for a session that does not exist or has no dialog: the list of sessions,
// the calling session if the call named another one, and the user.
func sessionSteps(c *Call, _ *contract.Error) []contract.NextStep {
	out := []contract.NextStep{
		ListSessionsStep("See the sessions of this workspace; one of them can be given as session_id.")}
	if given, _ := Object(c.Request.Arguments); given["session_id"] != nil {
		out = append(out, c.Repeat("Ask about the session that calls.",
			map[string]any{"session_id": nil, "offset": nil}))
	}
	return append(out, contract.NextStep{Kind: contract.StepDoc, Message: askUserForTask})
}

// maxSessionSteps bounds the sessions that are offered as steps; the list has all.
const maxSessionSteps = 5

func sessionCandidateSteps(c *Call, e *contract.Error) []contract.NextStep {
	candidates, _ := e.Facts["candidates"].([]SessionCandidate)
	var out []contract.NextStep
	for _, s := range candidates[:min(len(candidates), maxSessionSteps)] {
		out = append(out, c.Repeat(fmt.Sprintf("If this session (%s) began with %q, with %s so far, use it.", s.Client,
			s.FirstRequest, Counted(s.RequestsCount, "request")),
			map[string]any{"session_id": s.SessionID}))
	}
	return append(out, ListSessionsStep("See all sessions of this workspace."))
}

// requestSteps follow an index that the session does not have.
func requestSteps(c *Call, e *contract.Error) []contract.NextStep {
	id, _ := e.Facts["session_id"].(string)
	if total, _ := e.Facts["total"].(int); total > 0 {
		return []contract.NextStep{c.Repeat("Read the last request.", map[string]any{"index": total, "session_id": id,
			"offset": nil})}
	}
	return []contract.NextStep{ListSessionsStep("See the sessions of this workspace that have requests."),
		{Kind: contract.StepDoc, Message: askUserForTask}}
}
