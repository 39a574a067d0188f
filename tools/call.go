package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
)

// Host is the MCP client of a session.
type Host struct {
	Name    string // clientInfo.name; "" on the command line
	Version string
}

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

	probe    probe                // tries where steps lead
	served   func() []string      // names of the tools; from Run, because a tool that named the registry would be a cycle
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
