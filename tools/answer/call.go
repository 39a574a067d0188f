package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/symbol"
)

// Progress reports how far a wait has come; percent is -1 when nobody knows. It may be nil.
type Progress func(percent int, message string)

// Request is one call of a tool as it arrives.
type Request struct {
	Tool      string
	Arguments json.RawMessage
	Host      session.Host
	Progress  Progress
	Fault     error // what is wrong with the call itself, whatever its tool; the tool is not asked then
	// ID names the call for whoever may have to ask another process what became of its edit
	// ([lspi/lsp/edit.Writer.Outcome]); "" for none.
	ID     string
	Origin Origin
	// MCPServers is the state of the other MCP servers of the session; nil where nobody knows it.
	MCPServers func() []session.MCPServerStatus
	// Bind makes the workspace of a folder that of the host's session, and opens it; nil where hosts do not say
	// their workspace by a call.
	Bind func(ctx context.Context, cwd string) (*session.Session, error)
}

// Origin is what a host says, in _meta of a call, about the conversation that the call is part of; what it does not
// say is "".
type Origin struct {
	CodexThread   string // the thread of Codex
	ClaudeToolUse string // the call, as the transcript of Claude Code names it
}

// Call is one call of a tool while it runs: what it was asked, and what is known about its answer besides the answer.
type Call struct {
	Session   *session.Session
	Workspace *session.Workspace // of Session
	Servers   *router.Caller     // as which it uses servers; its parts, and what they try, are one caller
	Tool      *Tool
	Request   Request
	maxChars  int    // 0 means the default
	picked    string // the id of the server that alone is asked; "" for the preferred ones

	Tools Tools // the tools of lspi
	// Leading drops the next steps that would fail if they were run now, and may put others in their place; nil
	// keeps all.
	Leading func([]contract.NextStep) []contract.NextStep
	// nested: another call makes this one for itself ([Call.Nested]).
	nested bool
	// executables that were looked for; by the tools that look at lspi itself, which do one thing at a time
	Programs map[*spec.Spec]string

	mu        sync.Mutex // guards what follows: parts of a bundle, and several servers, run at the same time
	attempts  attempts
	spent     Spent
	serverID  string
	warnings  []contract.Warning
	steps     []contract.NextStep
	truncated bool
	claim     contract.Completeness
	subject   Subject
	telling   []telling
	rest      *rest // what windows left out; nil when nothing
	routed    *routed
}

// NewCall is a call that has asked nothing yet.
func NewCall(s *session.Session, tools Tools, r Request) *Call {
	return &Call{Session: s, Workspace: s.Workspace, Servers: s.Workspace.Pool.NewCaller(), Tools: tools, Request: r}
}

// Nested is a call that this one makes for itself, such as to compare diagnostics: it uses servers as the same
// caller, and what it says of its answer is its own.
func (c *Call) Nested(tool *Tool, r Request) *Call {
	return &Call{Session: c.Session, Workspace: c.Workspace, Servers: c.Servers, Tools: c.Tools, Tool: tool,
		Request: r, nested: true}
}

// rest is what follows the windows on lists. A cut by size takes its place: there is one way to continue each.
type rest struct {
	warnings []contract.Warning
	steps    []contract.NextStep
}

// Caps are the arguments that every tool of lists has.
type Caps struct {
	MaxTotalChars int `json:"max_total_chars" min:"500"`
}

func (c Caps) chars() int { return c.MaxTotalChars }

// Caps takes the common limits, and the server that is picked, out of the arguments.
func (c *Call) Caps(in any) {
	if v, ok := in.(interface{ chars() int }); ok {
		c.maxChars = v.chars()
	}
	if v, ok := in.(interface{ server() string }); ok {
		c.picked = v.server()
	}
}

// Warn adds a warning with its effect on completeness; an equal one is not repeated.
func (c *Call) Warn(kind contract.WarningKind, facts contract.Facts, message string) {
	c.AddWarning(contract.Warning{Kind: kind, Message: message, Facts: facts})
}

// AddWarning is [Call.Warn] for a warning that exists already. Equal means the same kind and message; facts are not
// compared.
func (c *Call) AddWarning(w contract.Warning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.warnings, func(have contract.Warning) bool {
		return have.Kind == w.Kind && have.Message == w.Message
	}) {
		return
	}
	c.warnings = append(c.warnings, w)
	c.lower(w.Kind.Effect())
}

// Warnings are those so far.
func (c *Call) Warnings() []contract.Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.warnings)
}

// Claim is what the answer claims so far; "" for a tool that asks no server.
func (c *Call) Claim() contract.Completeness {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claim
}

// ClaimComplete begins with the claim that the answer is complete, which warnings lower. A call that never does
// claims nothing.
func (c *Call) ClaimComplete() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claim = contract.Complete
}

// Withdraw takes back the warnings that turned out not to hold, and what they had lowered the claim to. The claim
// is computed anew from the warnings that are left; of an answer that was cut it also rests on the cut, so there
// all stays as it is.
func (c *Call) Withdraw(void func(contract.Warning) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.truncated {
		return
	}
	c.warnings = slices.DeleteFunc(c.warnings, void)
	c.claim = contract.Complete
	for _, w := range c.warnings {
		c.lower(w.Kind.Effect())
	}
}

// Truncate says that the answer does not show all of its results.
func (c *Call) Truncate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truncated = true
}

// lower never raises: partial is stronger than unknown, unknown than complete. A tool that asks no server claims
// nothing. It needs mu.
func (c *Call) lower(to contract.Completeness) {
	if c.claim == contract.NoClaim {
		return
	}
	if to == contract.Partial || to == contract.Unknown && c.claim != contract.Partial {
		c.claim = to
	}
}

// Leaves says that the tool itself showed only a window of its results, and how to continue.
func (c *Call) Leaves(total, returned, more int, change map[string]any) {
	c.LeavesOut(contract.Facts{"total": total, "returned": returned}, fmt.Sprintf("%d more after these", more),
		c.Repeat(ContinueHere, change))
}

// LeavesOut is [Call.Leaves] with one's own words and step. Both are kept apart from other warnings and steps
// (rest), since a cut by size has a way to continue of its own, which replaces this one.
func (c *Call) LeavesOut(facts contract.Facts, message string, step contract.NextStep) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truncated = true
	c.lower(contract.WarnTruncated.Effect())
	if c.rest == nil {
		c.rest = &rest{}
	}
	c.rest.warnings = append(c.rest.warnings, contract.Warning{Kind: contract.WarnTruncated, Message: message,
		Facts: facts, Step: true})
	c.rest.steps = append(c.rest.steps, step)
}

// ContinueHere is the message of a step to the next part of a list.
const ContinueHere = "Continue where this answer stopped."

// AnsweredBy names the server whose answer this is; the first one stays.
func (c *Call) AnsweredBy(serverID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serverID == "" {
		c.serverID = serverID
	}
}

// ServerID is the server whose answer this is; "" when none has answered, or several have.
func (c *Call) ServerID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serverID
}

// AnsweredByMany takes the name of the server back: several answered, or the next one that answers counts.
func (c *Call) AnsweredByMany() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serverID = ""
}

// Show is a path as answers have it.
func (c *Call) Show(path string) string { return c.Workspace.Show(path) }

// Stale drops places that the disk does not have any more, and says so: the server may be behind in other ways too. Of
// one that never forgets deleted files nothing else follows from it. Places in files that are not read stay,
// without text.
func (c *Call) Stale(places []lsp.Place) []lsp.Place {
	if !slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Gone || p.Err != nil }) {
		return places
	}
	c.warnOutside(places)
	var gone []string
	// Capacity 0, so that appending does not write into the caller's list.
	kept := places[:0:0]
	for _, p := range places {
		if p.Gone {
			continue
		}
		if p.Err != nil && !p.Outside() {
			gone = append(gone, c.Show(p.Path))
			continue
		}
		kept = append(kept, p)
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		gone = slices.Compact(gone)
		c.Warn(contract.WarnStaleDropped, contract.Facts{"files": gone[:min(len(gone), 10)]},
			"lspi left out places in files that are gone or cannot be read")
	}
	return kept
}

// PointAt remembers a file outside of the workspace that the server of this call named.
func (c *Call) PointAt(s *lsp.Snapshot, p lsp.Place) {
	r := c.Workspace.Pool.RouteTo(s.Server)
	r.LanguageID = r.Spec.LanguageID(symbol.Base(p.Path))
	c.Point(p, r)
}

// PointAll is [Call.PointAt] for each file among places.
func (c *Call) PointAll(s *lsp.Snapshot, places []lsp.Place) {
	last := ""
	for _, p := range places { // of one file in turn, mostly
		if p.Path != last {
			c.PointAt(s, p)
		}
		last = p.Path
	}
}

// Spent is where the time of a call went, for the log.
type Spent struct {
	Waited  time.Duration // for servers to start, to load, and to see what changed
	Asked   time.Duration // for their answers, and for what was made of them
	Changed int           // files that the servers were told of
}

// Spend adds to where the time of the call went.
func (c *Call) Spend(s Spent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent.Waited += s.Waited
	c.spent.Asked += s.Asked
	c.spent.Changed += s.Changed
}

// Spent is where the time of the call went so far.
func (c *Call) Spent() Spent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

// MaxEcho is how much of the arguments an envelope repeats, in code points.
const MaxEcho = 2000

// ShowSome are a few paths as answers have them.
func (c *Call) ShowSome(paths []string) []string {
	out := []string{}
	for _, p := range paths[:min(len(paths), 10)] {
		out = append(out, c.Show(p))
	}
	return out
}

// HasWarned reports whether the call has a warning of a kind.
func (c *Call) HasWarned(kind contract.WarningKind) bool {
	return len(c.WarningsThat(func(k contract.WarningKind) bool { return k == kind })) > 0
}

// WarningsThat are the warnings so far of certain kinds.
func (c *Call) WarningsThat(has func(contract.WarningKind) bool) []contract.Warning {
	return slices.DeleteFunc(c.Warnings(), func(w contract.Warning) bool { return !has(w.Kind) })
}

// Point remembers a file outside of the workspace that a server named.
func (c *Call) Point(p lsp.Place, r router.Route) {
	if p.Err != nil || p.Path == "" {
		return
	}
	if _, inside := source.RelativeTo(c.Workspace.Root, p.Path); !inside {
		c.Workspace.Pointed.Add(p.Path, r)
	}
}

// Diagnoses reports whether the tool that runs says itself what is wrong with project files ([Tool]).
func (c *Call) Diagnoses() bool { return c.Tool != nil && c.Tool.Diagnoses }

// IsOfWholeProject reports whether the answer of the tool that runs speaks of all files of a project ([Tool]).
func (c *Call) IsOfWholeProject() bool { return c.Tool != nil && c.Tool.WholeProject }
