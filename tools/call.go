package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// Progress reports how far a wait has come; percent is -1 when nobody knows. It may be nil.
type Progress func(percent int, message string)

// Request is one call of a tool as it arrives.
type Request struct {
	Tool      string
	Arguments json.RawMessage
	Host      Host
	Progress  Progress
	Fault     error // what is wrong with the call itself, whatever its tool; the tool is not asked then
}

// Call is one call of a tool while it runs: what it was asked, and what is known about its answer besides the answer.
type Call struct {
	env      *Env
	tool     *Tool
	request  Request
	maxChars int // 0 means the default

	tools Tools // the tools of lspi
	// leading drops the next steps that would fail if they were run now, and may put others in their place; nil keeps all.
	leading  func([]contract.NextStep) []contract.NextStep
	beside   bool                 // it asks besides the call of a trial, and looks itself whether the server loads anew meanwhile
	programs map[*lsp.Spec]string // executables that were looked for; by the tools that look at lspi itself, which do one thing at a time

	mu        sync.Mutex // parts of a bundle run concurrently
	asking    asking
	spent     Spent
	serverID  string
	warnings  []contract.Warning
	steps     []contract.NextStep
	truncated bool
	claim     contract.Completeness
	subject   subject
	telling   []telling
	shown     contract.Envelope // that is returned; by Run alone
	rest      *rest             // what windows left out; nil when nothing
}

// rest is what follows the windows on lists. A cut by size takes its place: there is one way to continue each.
type rest struct {
	warnings []contract.Warning
	steps    []contract.NextStep
}

// caps are the arguments that every tool of lists has.
type caps struct {
	MaxTotalChars int `json:"max_total_chars" min:"500"`
}

func (c caps) chars() int { return c.MaxTotalChars }

// caps takes the common limits out of the arguments.
func (c *Call) caps(in any) {
	if v, ok := in.(interface{ chars() int }); ok {
		c.maxChars = v.chars()
	}
}

// warn adds a warning with its effect on completeness; an equal one is not repeated.
func (c *Call) warn(kind contract.WarningKind, facts contract.Facts, message string) {
	c.addWarning(contract.Warning{Kind: kind, Message: message, Facts: facts})
}

func (c *Call) addWarning(w contract.Warning) {
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

// leaves says that the tool itself showed only a window of its results, and how to continue.
func (c *Call) leaves(total, returned, more int, change map[string]any) {
	c.leavesOut(contract.Facts{"total": total, "returned": returned}, fmt.Sprintf("%d more after these", more),
		c.repeat(continueHere, change))
}

// leavesOut is leaves with one's own words and step.
func (c *Call) leavesOut(facts contract.Facts, message string, step contract.NextStep) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truncated = true
	c.lower(contract.WarnTruncated.Effect())
	if c.rest == nil {
		c.rest = &rest{}
	}
	c.rest.warnings = append(c.rest.warnings, contract.Warning{Kind: contract.WarnTruncated, Message: message, Facts: facts, Step: true})
	c.rest.steps = append(c.rest.steps, step)
}

// continueHere is the message of a step to the next part of a list.
const continueHere = "Continue where this answer stopped."

// answeredBy names the server whose answer this is; the first one stays.
func (c *Call) answeredBy(s *lsp.Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serverID == "" {
		c.serverID = s.ID()
	}
}

// answeredByMany takes the name of the server back: several answered, or the next one that answers counts.
func (c *Call) answeredByMany() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serverID = ""
}

// show is a path as answers have it.
func (c *Call) show(path string) string { return c.env.show(path) }

// stale drops places that the disk does not have any more, and says so: the server may be behind in other ways too. Of
// one that never forgets deleted files nothing else follows from it. Places in files that are not read stay, without text.
func (c *Call) stale(places []lsp.Place) []lsp.Place {
	if !slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Gone || p.Err != nil }) {
		return places
	}
	c.outside(places)
	var gone []string
	kept := places[:0:0]
	for _, p := range places {
		if p.Gone {
			continue
		}
		if p.Err != nil && !p.Outside() {
			gone = append(gone, c.show(p.Path))
			continue
		}
		kept = append(kept, p)
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		gone = slices.Compact(gone)
		c.warn(contract.WarnStaleDropped, contract.Facts{"files": gone[:min(len(gone), 10)]},
			"places in files that are gone, or could not be read, were left out")
	}
	return kept
}

// progressOf tells the host how a server is coming along.
func (c *Call) progressOf(s *lsp.Server) func(lsp.Status) {
	if c.request.Progress == nil {
		return nil
	}
	return func(st lsp.Status) {
		message := s.ID() + " is loading the project"
		if st.Message != "" {
			message = s.ID() + ": " + st.Message
		}
		c.request.Progress(st.Percent, message)
	}
}

// pointAt remembers a file outside of the workspace that the server of this call named.
func (c *Call) pointAt(s *lsp.Server, p lsp.Place) {
	c.point(p, router.Route{Spec: s.Spec(), Root: s.Root(), LanguageID: s.Spec().LanguageID(base(p.Path))})
}

func (c *Call) pointAll(s *lsp.Server, places []lsp.Place) {
	last := ""
	for _, p := range places { // of one file in turn, mostly
		if p.Path != last {
			c.pointAt(s, p)
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

// spend adds to what the log says of the call.
func (c *Call) spend(s Spent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent.Waited += s.Waited
	c.spent.Asked += s.Asked
	c.spent.Changed += s.Changed
}

// maxEcho is how much of the arguments an envelope repeats, in code points.
const maxEcho = 2000

// asking counts the attempts of a call. A call may ask several servers at the same time.
type asking struct{ begun, running int }

// notes are what a call had said of its answer when an attempt began.
type notes struct {
	attempt         int
	alone           bool
	warnings, steps int
	truncated       bool
	serverID        string
	claim           contract.Completeness
}

func (c *Call) begin() notes {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking.begun++
	c.asking.running++
	return c.notes()
}

// notes needs mu.
func (c *Call) notes() notes {
	return notes{c.asking.begun, c.asking.running == 1, len(c.warnings), len(c.steps), c.truncated, c.serverID, c.claim}
}

// noted is what the call has said so far.
func (c *Call) noted() notes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.notes()
}

// restore takes back all that was said since, while nothing else of the call runs.
func (c *Call) restore(n notes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeBack(n)
}

// takeBack needs mu.
func (c *Call) takeBack(n notes) {
	c.warnings, c.steps = c.warnings[:n.warnings], c.steps[:n.steps]
	c.truncated, c.serverID, c.claim = n.truncated, n.serverID, n.claim
}

// end takes back what a void attempt noted. Where another attempt ran at the same time its notes cannot be told apart and
// all stay: an answer may claim less than it could, never more.
func (c *Call) end(n notes, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking.running--
	if keep || !n.alone || c.asking.begun != n.attempt {
		return
	}
	c.takeBack(n)
}

// showSome are a few paths as answers have them.
func (c *Call) showSome(paths []string) []string {
	out := []string{}
	for _, p := range paths[:min(len(paths), 10)] {
		out = append(out, c.show(p))
	}
	return out
}

func (c *Call) warningsThat(has func(contract.WarningKind) bool) []contract.Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.warnings), func(w contract.Warning) bool { return !has(w.Kind) })
}

// point remembers a file outside of the workspace that a server named.
func (c *Call) point(p lsp.Place, r router.Route) {
	if p.Err != nil || p.Path == "" {
		return
	}
	if _, inside := source.RelativeTo(c.env.Settings.Workspace, p.Path); !inside {
		c.env.pointed.add(p.Path, r)
	}
}

func (c *Call) toolName() string {
	if c.tool == nil {
		return ""
	}
	return c.tool.Name
}

// subject is what an answer is about, as far as it tells which of the files that a server did not read can change it. The
// zero value tells nothing: every file can.
type subject struct {
	names  []string               // a file whose code holds none of these words cannot change the answer
	any    bool                   // a use need not hold a name: an operator, a name that a macro made
	may    func(name string) bool // instead of names: whether an identifier may be in the answer
	at     []spot                 // the places that names stand for
	places []lsp.Place            // of the answer
	path   func(path string) bool // the files that were asked about; nil means all
	shown  []string               // files whose new texts the server is shown for this answer
	paths  bool                   // may holds for the words of a file's path, too: a scope may be named for its file
}
