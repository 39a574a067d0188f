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

// Progress reports to the host how far a wait has come. percent is from 0 to 100, or -1 when the server
// does not tell; message is one line. A Progress may be nil: the host asked for none (MCP,
// progressToken).
type Progress func(percent int, message string)

// Request is one call of a tool as it arrives.
type Request struct {
	Tool      string
	Called    string // the name by which the tool was called, where that is an old one; else ""
	Arguments json.RawMessage
	Host      session.Host
	Progress  Progress
	Fault     error // what is wrong with the call itself, before its tool matters; the tool does not run then
	// ID names the call in the journal of edits ([lspi/lsp/edit.Writer.Outcome]), so that a process which takes over
	// a host's session can find out whether the edit of an unanswered call was made. "" when nobody will ask.
	ID     string
	Origin Origin
	// MCPServers is the state of the other MCP servers of the session; nil where nobody knows it.
	MCPServers func() []session.MCPServerStatus
	// Bind gives the host's session the workspace that the folder cwd belongs to, and opens it. nil except over HTTP:
	// on stdio the host starts lspi in its workspace, over HTTP it names the workspace by a call (bind_workspace).
	Bind func(ctx context.Context, cwd string) (*session.Session, error)
}

// Origin is what a host says in _meta of a call about the conversation that the call is part of; fields
// that it does not send are "". The tools of recall find the calling session by it.
type Origin struct {
	CodexThread   string // the thread of Codex
	ClaudeToolUse string // the call, as the transcript of Claude Code names it
	// VSCodeConversation is the chat, as VS Code names it with a call.
	VSCodeConversation string
}

// Call is one call of a tool while it runs: what was asked, and what is known about the answer besides
// the answer itself. All methods may be called from several goroutines, unless their comment says
// otherwise: the parts of a symbol_bundle run at the same time, and so do the servers of a search by
// name.
type Call struct {
	Session   *session.Session
	Workspace *session.Workspace // of Session
	Servers   *router.Caller     // the caller as which it uses servers; its parts and nested calls are the same one
	Tool      *Tool
	Request   Request
	maxChars  int    // from max_total_chars; 0 means the default
	picked    string // server_id of the arguments; "" lets routing choose

	Tools Tools // to look up the tools that next steps name
	// FilterSteps drops the next steps that would fail if they were run now, and may put others in their place. It is
	// a function of package tools, because only a tool knows how to try its own call; nil keeps all steps.
	FilterSteps func([]contract.NextStep) []contract.NextStep
	nested      bool // another call made this one for itself ([Call.Nested])
	// Programs are the executables of servers that this call has looked for. It has no lock: only tools that look at
	// lspi itself use it, and these run in one goroutine.
	Programs map[*spec.Spec]string

	mu        sync.Mutex // guards all fields below; never held during a request
	attempts  attempts
	spent     Spent
	serverID  string
	warnings  []contract.Warning
	steps     []contract.NextStep
	truncated bool
	claim     contract.Completeness // only lowered, but for ClaimComplete and Withdraw
	subject   Subject
	notices   []notice
	rest      *rest   // what windows left out; nil when nothing
	routed    *routed // set by Path, taken by the next Routes
}

// NewCall returns the call of a request that has just arrived. Tool is set once the tool is known.
func NewCall(s *session.Session, tools Tools, r Request) *Call {
	return &Call{Session: s, Workspace: s.Workspace, Servers: s.Workspace.Pool.NewCaller(), Tools: tools, Request: r}
}

// Nested returns a call that this one makes for itself, such as check_edit for the diagnostics before
// and after. It uses servers as the same caller. Its warnings and steps are its own: the caller takes
// over those that matter with [Adopt].
func (c *Call) Nested(tool *Tool, r Request) *Call {
	return &Call{Session: c.Session, Workspace: c.Workspace, Servers: c.Servers, Tools: c.Tools, Tool: tool,
		Request: r, nested: true}
}

// rest is what the windows on lists left out (max_results, offset), with the steps that continue there.
// It is kept apart from the other warnings and steps, because a cut by size ([Call.Fit]) begins earlier
// in the same list and brings its own step: an answer that offered both would have two ways on, one of
// which skips items.
type rest struct {
	warnings []contract.Warning
	steps    []contract.NextStep
}

// Caps is embedded by the arguments of every tool whose answer may be long. max_total_chars counts code
// points of what the host shows.
type Caps struct {
	MaxTotalChars int `json:"max_total_chars" min:"500"`
}

func (c Caps) chars() int { return c.MaxTotalChars }

// Caps reads the arguments that every tool may have, the cap on the size and the picked server, out of
// the decoded arguments in. It has to run before the tool: windows and steps depend on the cap.
func (c *Call) Caps(in any) {
	if v, ok := in.(interface{ chars() int }); ok {
		c.maxChars = v.chars()
	}
	if v, ok := in.(interface{ server() string }); ok {
		c.picked = v.server()
	}
}

// Warn adds a warning and lowers the claim of completeness as the kind says
// ([contract.WarningKind.Effect]). A warning of the same kind and message is added once.
func (c *Call) Warn(kind contract.WarningKind, facts contract.Facts, message string) {
	c.AddWarning(contract.Warning{Kind: kind, Message: message, Facts: facts})
}

// AddWarning is [Call.Warn] for a warning that exists already, such as one of a nested call. Facts are
// not compared: two warnings that read the same would tell the reader nothing more.
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

// Warnings returns a copy of the warnings so far.
func (c *Call) Warnings() []contract.Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.warnings)
}

// Claim returns what the answer claims so far; "" for a tool that asks no server, whose answer claims
// nothing.
func (c *Call) Claim() contract.Completeness {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claim
}

// ClaimComplete makes the claim "complete", which warnings lower from then on. A call that never does
// this claims nothing, whatever its warnings say.
func (c *Call) ClaimComplete() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claim = contract.Complete
}

// Withdraw removes the warnings for which void is true and computes the claim anew from those that are
// left. It is for warnings that a later step of the call shows not to hold. It does nothing to an answer that
// was cut: there the claim rests on the cut as well, which no warning in the list need show.
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

// Truncate says that the answer does not show all of its results. It does not lower the claim; the
// warning that comes with it does.
func (c *Call) Truncate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truncated = true
}

// lower lowers the claim, never raises it: partial (something is known to be missing) is stronger than
// unknown (something may be), and unknown than complete. A tool that asks no server claims nothing, and
// stays so. The caller holds c.mu.
func (c *Call) lower(to contract.Completeness) {
	if c.claim == contract.NoClaim {
		return
	}
	if to == contract.Partial || to == contract.Unknown && c.claim != contract.Partial {
		c.claim = to
	}
}

// Leaves says that the tool showed only a window of its results: returned of total items, with more
// behind the window. change are the arguments that continue there.
func (c *Call) Leaves(total, returned, more int, change map[string]any) {
	c.LeavesOut(contract.Facts{"total": total, "returned": returned}, fmt.Sprintf("%d more after these", more),
		c.Repeat(ContinueHere, change))
}

// LeavesOut is [Call.Leaves] with words and a step of the caller's own. Both go to c.rest and not among
// the other warnings and steps; see there why.
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

// AnsweredBy sets the server_id of the envelope. The first server that is named stays.
func (c *Call) AnsweredBy(serverID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serverID == "" {
		c.serverID = serverID
	}
}

// ServerID returns the server whose answer this is; "" when none has answered yet, or several have.
func (c *Call) ServerID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serverID
}

// AnsweredByMany clears the server_id: several servers answered, or the answer so far is void and the
// next server to answer counts.
func (c *Call) AnsweredByMany() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serverID = ""
}

// Show returns a path as answers have it ([session.Workspace.Show]).
func (c *Call) Show(path string) string { return c.Workspace.Show(path) }

// DropStale returns places without those whose file is gone or cannot be read, and warns when there were
// such: a server that names a deleted file may be behind in other ways too, so the answer becomes
// partial. Places that are Gone are dropped silently: their server is known never to forget deleted
// files, so nothing else follows. Places in files outside of what lspi reads stay, without their text.
func (c *Call) DropStale(places []lsp.Place) []lsp.Place {
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

// RememberNamedBy remembers a file outside of the workspace that the server of this call named, so that a later
// call may ask about it: lspi answers about a dependency's source only once an answer has named it. The
// file is remembered with this server, because no route of the table leads to it.
func (c *Call) RememberNamedBy(s *lsp.Snapshot, p lsp.Place) {
	r := c.Workspace.Pool.RouteTo(s.Server)
	r.LanguageID = r.Spec.LanguageID(symbol.Base(p.Path))
	c.RememberNamed(p, r)
}

// RememberAllNamedBy is [Call.RememberNamedBy] for each file among places.
func (c *Call) RememberAllNamedBy(s *lsp.Snapshot, places []lsp.Place) {
	last := ""
	// Places come sorted by file, so comparing with the last one is enough to do each file once.
	for _, p := range places { // of one file in turn, mostly
		if p.Path != last {
			c.RememberNamedBy(s, p)
		}
		last = p.Path
	}
}

// Spent is where the time of a call went, for the log. Waited and
// Asked may overlap where several servers are asked at the same time.
type Spent struct {
	Waited  time.Duration // for servers to start, to load, and to see what changed
	Asked   time.Duration // for their answers, and for what was made of them
	Changed int           // files that the servers were told of
}

// Spend adds to the times of the call.
func (c *Call) Spend(s Spent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent.Waited += s.Waited
	c.spent.Asked += s.Asked
	c.spent.Changed += s.Changed
}

// Spent returns where the time went so far.
func (c *Call) Spent() Spent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

// MaxEcho is how much of the arguments an envelope repeats, in code points. Longer arguments (the text
// of an edit) are not repeated in next steps either: they would leave no room for the answer.
const MaxEcho = 2000

// ShowSome returns the first ten paths as answers have them; never nil, so that JSON has an array.
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

// WarningsThat returns the warnings so far whose kind has accepts.
func (c *Call) WarningsThat(has func(contract.WarningKind) bool) []contract.Warning {
	return slices.DeleteFunc(c.Warnings(), func(w contract.Warning) bool { return !has(w.Kind) })
}

// RememberNamed is [Call.RememberNamedBy] with the route by which later calls ask about the file. A place that could
// not be read, or lies inside the workspace, is not remembered: the table of routes has the latter.
func (c *Call) RememberNamed(p lsp.Place, r router.Route) {
	if p.Err != nil || p.Path == "" {
		return
	}
	if _, inside := source.RelativeTo(c.Workspace.Root, p.Path); !inside {
		c.Workspace.Named.Add(p.Path, r)
	}
}

// Diagnoses reports whether the tool itself tells what is wrong with project files ([Tool].Diagnoses),
// so that no warning has to. False while no tool is known.
func (c *Call) Diagnoses() bool { return c.Tool != nil && c.Tool.Diagnoses }

// IsOfWholeProject reports whether the tool's answer speaks of all files of a project
// ([Tool].WholeProject).
func (c *Call) IsOfWholeProject() bool { return c.Tool != nil && c.Tool.WholeProject }
