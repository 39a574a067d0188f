package answer

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/session"
)

// Limit returns the cap of this answer, in code points of all that the host shows of it. A larger
// max_total_chars than allowed is lowered, with a warning.
func (c *Call) Limit() int {
	limit := c.maxChars
	if limit <= 0 {
		limit = c.DefaultLimit()
	}
	if most, by := c.mostChars(); limit > most {
		c.Warn(contract.WarnClamped, contract.Facts{"argument": "max_total_chars", "limit": most},
			"lspi lowered max_total_chars to "+by)
		limit = most
	}
	return limit
}

// DefaultLimit returns the cap of a call that does not ask for one: the configured one, else what the
// host is known to show (a host that cuts longer answers drops their end, where the warnings are), at
// most [session.DefaultMaxChars].
func (c *Call) DefaultLimit() int {
	if c.Session.Settings.MaxChars > 0 {
		return c.Session.Settings.MaxChars
	}
	if limit := c.Request.Host.Row().Limit; limit > 0 {
		return min(limit, session.DefaultMaxChars)
	}
	return session.DefaultMaxChars
}

// mostChars returns the largest cap that a call may ask for, and in words what sets it. Beyond what the
// host shows, the model would get an answer without its end. A default that is configured beyond that
// is kept: whoever sets it knows the host better than the table.
func (c *Call) mostChars() (most int, by string) {
	most, by = c.Session.Settings.MaxCharsHard, "the configured maximum"
	if most <= 0 {
		most = session.DefaultMaxCharsHard
	}
	if shown := max(c.Request.Host.Row().Ask(), c.Session.Settings.MaxChars); c.Request.Host.Row().Ask() > 0 &&
		shown < most {
		most, by = shown, "what "+c.Request.Host.Name+" shows its model of an answer"
	}
	return most, by
}

// WithRoom returns a step to the same answer with more room; wanted is a cap that would do. Where the
// host shows no more, the step is a command line, which prints all of it; where the arguments do not
// fit into one either, it only says so.
func (c *Call) WithRoom(message string, wanted int) contract.NextStep {
	if most, _ := c.mostChars(); c.Limit() < most {
		return c.Repeat(message, map[string]any{"max_total_chars": min(wanted, most)})
	}
	// The host shows no more, but a shell does.
	again := c.Repeat(message, map[string]any{"max_total_chars": wanted})
	if again.Kind != contract.StepTool { // arguments that are too long for a command line as well
		return contract.NextStep{Kind: contract.StepDoc, Message: c.Request.Host.Name + " shows no more of one answer."}
	}
	return contract.NextStep{Kind: contract.StepCommand, Message: "This command shows all of it in a shell.",
		Command: callCommand(again.Tool, again.Arguments)}
}

// shrinker is an answer that can be cut to its first items. Each answer that may grow with the project
// implements it; one that does not has to be small by its nature, and is an error when it is not.
type shrinker interface {
	// Size is the number of whole items that the answer has.
	Size() int
	// Cut is a copy with the first n items, which says itself what it left out: totals, counts per file.
	Cut(n int) any
}

// snippeted is an answer with snippets. They are dropped before any item is: a model can read the line
// itself, but cannot know of a use that is missing.
type snippeted interface {
	// ShedSnippets drops what is only there for convenience; false when there was nothing to drop.
	ShedSnippets() bool
}

// guided is an answer whose parts are continued by calls of other tools, such as the parts of
// symbol_bundle.
type guided interface {
	// Steps are what continues after n items.
	Steps(c *Call, n int) []contract.NextStep
}

// terser is an answer that can say less about what it leaves out (fewer files in left_out). Terse
// reports whether there was something to shorten. It is tried before the answer is given up for want of
// room for one item.
type terser interface{ Terse() bool }

// continued is an answer that the same tool continues where it was cut.
type continued interface {
	// Next are the argument changes that continue after n items, nil when only a larger cap helps.
	Next(c *Call, n int) map[string]any
}

// Fit makes an answer that is too large smaller: first without snippets, then with as many whole items
// as fit, and returns what is shown then. The cut is between items, never within one: half a place or
// half a diff reads as a whole one.
//
// An answer that cannot be made smaller, or whose first item alone is too large, becomes
// response_too_large with the room that it needs: an empty list would look like an answer. body may
// lose its snippets.
func (c *Call) Fit(body any, limit int) (presented, error) {
	s, ok := body.(shrinker)
	if !ok {
		return presented{}, c.tooLarge(limit, 0)
	}
	if with, ok := body.(snippeted); ok && with.ShedSnippets() {
		c.Truncate()
		c.Warn(contract.WarnSnippetsDropped, nil, "lspi left out snippets to stay within max_total_chars")
		shown, err := c.Present(c.Envelope(s))
		if err != nil || shown.Size <= limit {
			return shown, err
		}
	}
	// Each size is written with the warnings and steps it would have: the largest that fits is found by bisection.
	// n is the smallest number of items that does not fit, so n-1 is shown. All items together are known not to fit
	// when the search begins.
	var failure error
	n := sort.Search(s.Size(), func(k int) bool {
		shown, err := c.Present(c.cutEnvelope(s, k))
		if err != nil {
			failure = err
		}
		return err != nil || shown.Size > limit
	})
	switch {
	case failure != nil:
		return presented{}, failure
	case n <= 1: // not even one item: an empty page would be continued with itself
		if t, ok := s.(terser); ok && t.Terse() {
			return c.Fit(body, limit)
		}
		return presented{}, c.tooLarge(limit, c.room(s))
	}
	return c.Present(c.cutEnvelope(s, n-1))
}

// cutEnvelope returns the envelope of an answer that is cut to n items, with the warning and the steps
// of the cut.
func (c *Call) cutEnvelope(s shrinker, n int) contract.Envelope {
	// The steps of a window lead to what follows it; those of the cut begin earlier and have that too.
	uncut := c.rest
	c.rest = nil
	e := c.Envelope(s.Cut(n), contract.Warning{Kind: contract.WarnTruncated, Step: true,
		Message: "the answer was cut to stay within max_total_chars"})
	c.rest = uncut
	e.Truncated, e.Completeness = true, partialUnlessNone(e.Completeness)
	// The capacity is cut to the length: the slice may be the call's own, and each size that is tried appends to it.
	e.NextSteps = append(e.NextSteps[:len(e.NextSteps):len(e.NextSteps)], c.cutSteps(s, n)...)
	return e
}

// cutSteps returns how to get what a cut to n items left out: by other tools, by the next page, or with
// more room.
func (c *Call) cutSteps(s shrinker, n int) []contract.NextStep {
	// Other tools first: they continue a part without what the reader has seen already.
	switch more := s.(type) {
	case guided:
		return more.Steps(c, n)
	case continued:
		if change := more.Next(c, n); change != nil {
			return []contract.NextStep{c.Repeat(ContinueHere, change)}
		}
		return nil
	}
	return []contract.NextStep{c.WithRoom("Ask again with more room.", 4*c.Limit())}
}

// partialUnlessNone returns the claim of a cut answer: partial, or none where there was none.
func partialUnlessNone(claim contract.Completeness) contract.Completeness {
	if claim == contract.NoClaim {
		return claim
	}
	return contract.Partial
}

// room returns how many characters the answer needs to show its first item with a quarter to spare; 0 when that is
// not known.
func (c *Call) room(s shrinker) int {
	shown, err := c.Present(c.cutEnvelope(s, 1))
	if err != nil {
		return 0
	}
	return shown.Size * 5 / 4
}

// tooLarge is the error of an answer that does not fit. needed is a cap that would do; 0 when nobody
// knows.
func (c *Call) tooLarge(limit, needed int) error {
	return contract.Errorf(contract.KindResponseTooLarge, contract.Facts{"max_total_chars": limit, "needed": needed},
		"the answer of %s does not fit into %d characters, not even its first item", c.Request.Tool, limit)
}

// told leaves out of warnings those that another one of the kind says as well, and more behind it.
func told(warnings []contract.Warning) []contract.Warning {
	out := slices.Clone(warnings)
	return slices.DeleteFunc(out, func(w contract.Warning) bool {
		return slices.ContainsFunc(warnings, func(o contract.Warning) bool {
			return o.Kind == w.Kind && len(o.Message) > len(w.Message) && strings.HasPrefix(o.Message, w.Message)
		})
	})
}

// Envelope returns the answer with all that the call has said, and more warnings. It reads the call
// without its lock, so it may only be used when nothing of the call runs any more.
func (c *Call) Envelope(body any, more ...contract.Warning) contract.Envelope {
	e := contract.Envelope{Tool: c.Request.Tool, ServerID: c.serverID,
		Warnings: told(slices.Concat(c.warnings, more)), Truncated: c.truncated,
		NextSteps: c.steps, Completeness: c.claim, Body: body, Input: c.Echo(false)}
	if c.rest != nil {
		e.Warnings = slices.Concat(e.Warnings, c.rest.warnings)
		e.NextSteps = slices.Concat(e.NextSteps, c.rest.steps)
	}
	e.Warnings = contract.Shown(e.Warnings)
	return e
}

// Echo returns the arguments for the envelope's input: an object as it came, of a success with the defaults of what was
// not given and the cap that the answer has; null for what is no object; for longer ones than [MaxEcho] an object with
// the beginning as text, so that input is always JSON. nil where the configuration says that the answer, an error or
// not, does not repeat them.
func (c *Call) Echo(failed bool) json.RawMessage {
	switch c.Session.Settings.EchoInput {
	case "never":
		return nil
	case "always":
	default:
		// The tools of lspi itself are called to see what is in effect, and rarely.
		if !failed && (c.Tool == nil || c.Tool.Class != Status && c.Session.Settings.Shape != session.ShapeOriginal) {
			return nil
		}
	}
	raw := echoed(c.Request.Arguments)
	if failed {
		return raw
	}
	return withDefaults(c, raw)
}

// echoed are arguments as an answer repeats them.
func echoed(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if utf8.RuneCount(raw) > MaxEcho {
		note, _ := contract.Marshal(map[string]string{"cut": CutText(string(raw), MaxEcho)})
		return note
	}
	if given, err := Object(raw); err != nil || given == nil {
		return json.RawMessage("null")
	}
	return raw
}

// withDefaults are the arguments with the defaults of those that are not given, and the cap that the answer has.
func withDefaults(c *Call, raw json.RawMessage) json.RawMessage {
	given, err := Object(raw)
	if err != nil || c.Tool == nil || utf8.RuneCount(c.Request.Arguments) > MaxEcho {
		return raw
	}
	if given == nil { // a call with null instead of arguments
		given = map[string]json.RawMessage{}
	}
	for name, p := range c.Tool.Input.Properties {
		if p.Default != nil && !has(given[name]) {
			given[name] = p.Default
		}
	}
	if c.Tool.Input.Properties["max_total_chars"] != nil {
		given["max_total_chars"] = strconv.AppendInt(nil, int64(c.Limit()), 10)
	}
	out, err := contract.Marshal(given)
	if err != nil {
		return raw
	}
	return out
}
