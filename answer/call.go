package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/pool"
	"lspi/qname"
	"lspi/router"
	"lspi/source"
	"lspi/workspace"
)

// Progress reports how far a wait has come; percent is -1 when nobody knows. It may be nil.
type Progress func(percent int, message string)

// Request is one call of a tool as it arrives.
type Request struct {
	Tool      string
	Arguments json.RawMessage
	Host      workspace.Host
	Progress  Progress
	Fault     error // what is wrong with the call itself, whatever its tool; the tool is not asked then
}

// Call is one call of a tool while it runs: what it was asked, and what is known about its answer besides the answer.
type Call struct {
	Session   *workspace.Session
	Workspace *workspace.Workspace // of Session
	Servers   *pool.Caller         // as which it uses servers; its parts, and what they try, are one caller
	Tool      *Tool
	Request   Request
	maxChars  int // 0 means the default

	Tools Tools // the tools of lspi
	// Leading drops the next steps that would fail if they were run now, and may put others in their place; nil keeps all.
	Leading func([]contract.NextStep) []contract.NextStep
	// Beside: the call asks for what another call needs to compare, and its warnings are its own. Where that other call is one of check_edit,
	// which looks itself whether the server loads anew meanwhile, this one is still asked again after such a load.
	Beside   bool
	Programs map[*spec.Spec]string // executables that were looked for; by the tools that look at lspi itself, which do one thing at a time

	Mu        sync.Mutex // guards what follows, but for Shown: parts of a bundle run at the same time
	Asking    asking
	Spent     Spent
	ServerID  string
	Warnings  []contract.Warning
	Steps     []contract.NextStep
	Truncated bool
	Claim     contract.Completeness
	Subject   Subject
	telling   []telling
	Shown     contract.Envelope // that is returned; by Run alone
	rest      *rest             // what windows left out; nil when nothing
}

// NewCall is a call that has asked nothing yet.
func NewCall(s *workspace.Session, tools Tools, r Request) *Call {
	return &Call{Session: s, Workspace: s.Workspace, Servers: s.Workspace.Pool.NewCaller(), Tools: tools, Request: r}
}

// Nested is a call that this one makes for itself: it uses servers as the same caller, and what it says of its answer is its own.
func (c *Call) Nested(tool *Tool, r Request) *Call {
	return &Call{Session: c.Session, Workspace: c.Workspace, Servers: c.Servers, Tools: c.Tools, Tool: tool, Request: r}
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

// Caps takes the common limits out of the arguments.
func (c *Call) Caps(in any) {
	if v, ok := in.(interface{ chars() int }); ok {
		c.maxChars = v.chars()
	}
}

// Warn adds a warning with its effect on completeness; an equal one is not repeated.
func (c *Call) Warn(kind contract.WarningKind, facts contract.Facts, message string) {
	c.AddWarning(contract.Warning{Kind: kind, Message: message, Facts: facts})
}

func (c *Call) AddWarning(w contract.Warning) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if slices.ContainsFunc(c.Warnings, func(have contract.Warning) bool {
		return have.Kind == w.Kind && have.Message == w.Message
	}) {
		return
	}
	c.Warnings = append(c.Warnings, w)
	c.Lower(w.Kind.Effect())
}

// Lower never raises: partial is stronger than unknown, unknown than complete. A tool that asks no server claims
// nothing. It needs mu.
func (c *Call) Lower(to contract.Completeness) {
	if c.Claim == contract.NoClaim {
		return
	}
	if to == contract.Partial || to == contract.Unknown && c.Claim != contract.Partial {
		c.Claim = to
	}
}

// Leaves says that the tool itself showed only a window of its results, and how to continue.
func (c *Call) Leaves(total, returned, more int, change map[string]any) {
	c.LeavesOut(contract.Facts{"total": total, "returned": returned}, fmt.Sprintf("%d more after these", more),
		c.Repeat(ContinueHere, change))
}

// LeavesOut is leaves with one's own words and step.
func (c *Call) LeavesOut(facts contract.Facts, message string, step contract.NextStep) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Truncated = true
	c.Lower(contract.WarnTruncated.Effect())
	if c.rest == nil {
		c.rest = &rest{}
	}
	c.rest.warnings = append(c.rest.warnings, contract.Warning{Kind: contract.WarnTruncated, Message: message, Facts: facts, Step: true})
	c.rest.steps = append(c.rest.steps, step)
}

// ContinueHere is the message of a step to the next part of a list.
const ContinueHere = "Continue where this answer stopped."

// AnsweredBy names the server whose answer this is; the first one stays.
func (c *Call) AnsweredBy(s *lsp.Server) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.ServerID == "" {
		c.ServerID = s.ID()
	}
}

// AnsweredByMany takes the name of the server back: several answered, or the next one that answers counts.
func (c *Call) AnsweredByMany() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.ServerID = ""
}

// Show is a path as answers have it.
func (c *Call) Show(path string) string { return c.Workspace.Show(path) }

// Stale drops places that the disk does not have any more, and says so: the server may be behind in other ways too. Of
// one that never forgets deleted files nothing else follows from it. Places in files that are not read stay, without text.
func (c *Call) Stale(places []lsp.Place) []lsp.Place {
	if !slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Gone || p.Err != nil }) {
		return places
	}
	c.warnOutside(places)
	var gone []string
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

// ProgressOf tells the host how a server is coming along.
func (c *Call) ProgressOf(s *lsp.Server) func(lsp.Status) {
	if c.Request.Progress == nil {
		return nil
	}
	return func(st lsp.Status) {
		message := s.ID() + " is loading the project"
		if st.Message != "" {
			message = s.ID() + ": " + st.Message
		}
		c.Request.Progress(st.Percent, message)
	}
}

// PointAt remembers a file outside of the workspace that the server of this call named.
func (c *Call) PointAt(s *lsp.Snapshot, p lsp.Place) {
	c.Point(p, router.Route{Spec: s.Spec(), Root: s.Root(), LanguageID: s.Spec().LanguageID(qname.Base(p.Path))})
}

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

// Spend adds to what the log says of the call.
func (c *Call) Spend(s Spent) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Spent.Waited += s.Waited
	c.Spent.Asked += s.Asked
	c.Spent.Changed += s.Changed
}

// MaxEcho is how much of the arguments an envelope repeats, in code points.
const MaxEcho = 2000

// asking counts the attempts of a call. A call may ask several servers at the same time.
type asking struct{ begun, Running int }

// notes are what a call had said of its answer when an attempt began.
type notes struct {
	attempt         int
	alone           bool
	warnings, steps int
	truncated       bool
	serverID        string
	claim           contract.Completeness
}

func (c *Call) Begin() notes {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Asking.begun++
	c.Asking.Running++
	return c.notes()
}

// notes needs mu.
func (c *Call) notes() notes {
	return notes{c.Asking.begun, c.Asking.Running == 1, len(c.Warnings), len(c.Steps), c.Truncated, c.ServerID, c.Claim}
}

// Noted is what the call has said so far.
func (c *Call) Noted() notes {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.notes()
}

// Restore takes back all that was said since, while nothing else of the call runs.
func (c *Call) Restore(n notes) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.takeBack(n)
}

// takeBack needs mu.
func (c *Call) takeBack(n notes) {
	c.Warnings, c.Steps = c.Warnings[:n.warnings], c.Steps[:n.steps]
	c.Truncated, c.ServerID, c.Claim = n.truncated, n.serverID, n.claim
}

// End takes back what a void attempt noted. Where another attempt ran at the same time its notes cannot be told apart and
// all stay: an answer may claim less than it could, never more.
func (c *Call) End(n notes, keep bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Asking.Running--
	if keep || !n.alone || c.Asking.begun != n.attempt {
		return
	}
	c.takeBack(n)
}

// ShowSome are a few paths as answers have them.
func (c *Call) ShowSome(paths []string) []string {
	out := []string{}
	for _, p := range paths[:min(len(paths), 10)] {
		out = append(out, c.Show(p))
	}
	return out
}

func (c *Call) WarningsThat(has func(contract.WarningKind) bool) []contract.Warning {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.Warnings), func(w contract.Warning) bool { return !has(w.Kind) })
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

func (c *Call) ToolName() string {
	if c.Tool == nil {
		return ""
	}
	return c.Tool.Name
}

// Subject is what an answer is about, as far as it tells which of the files that a server did not read can change it. The
// zero value tells nothing: every file can.
type Subject struct {
	Names  []string               // a file whose code holds none of these words cannot change the answer
	Any    bool                   // a use need not hold a name: an operator, a name that a macro made
	May    func(name string) bool // instead of names: whether an identifier may be in the answer
	At     []qname.Located        // the places that names stand for
	Places []lsp.Place            // of the answer
	Path   func(path string) bool // the files that were asked about; nil means all
	Shown  []string               // files whose new texts the server is shown for this answer
	Paths  bool                   // may holds for the words of a file's path, too: a scope may be named for its file
}
