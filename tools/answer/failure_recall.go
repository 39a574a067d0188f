package answer

import (
	"fmt"
	"strings"

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

// LookedAt is where the transcripts of a client were looked for. Folders are those that exist.
type LookedAt struct {
	Client  string   `json:"client"`
	Title   string   `json:"title"`
	Folders []string `json:"folders"`
}

// askUserForTask is the step that is left when no transcript tells the task.
const askUserForTask = "docs/recall.md says which clients' transcripts lspi reads, and where. If none tells the task, ask the user."

// lookedWords says in a sentence where an error without a dialog was looked for; "" for other errors.
func lookedWords(e *contract.Error) string {
	all, is := e.Facts["looked_at"].([]LookedAt)
	if is && len(all) == 0 {
		return "lspi does not know the transcripts of this host. "
	}
	var there, gone []string
	for _, l := range all {
		if len(l.Folders) == 0 {
			gone = append(gone, l.Title)
		} else {
			there = append(there, l.Title+" ("+strings.Join(l.Folders, ", ")+")")
		}
	}
	words := ""
	if len(there) > 0 {
		words += "No session of this workspace is in the transcripts of " + strings.Join(there, ", ") + ". "
	}
	if len(gone) > 0 {
		words += "There are no transcripts of " + strings.Join(gone, ", ") + ". "
	}
	return words
}

// sessionSteps are the steps for a session that does not exist or has no dialog: the list of sessions,
// the calling session if the call named another one, and the user.
func sessionSteps(c *Call, e *contract.Error) []contract.NextStep {
	out := []contract.NextStep{
		ListSessionsStep("See the sessions of this workspace; one of them can be given as session_id.")}
	if given, _ := Object(c.Request.Arguments); given["session_id"] != nil {
		out = append(out, c.Repeat("Ask about the session that calls.",
			map[string]any{"session_id": nil, "offset": nil}))
	}
	return append(out, contract.NextStep{Kind: contract.StepDoc, Message: lookedWords(e) + askUserForTask})
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
