package answer

import (
	"encoding/json"
	"slices"
	"sort"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/session"
)

// Limit is the cap of this call's answer, in code points of all that the host shows of it.
func (c *Call) Limit() int {
	limit := c.maxChars
	if limit <= 0 {
		limit = c.DefaultLimit()
	}
	if most, by := c.mostChars(); limit > most {
		c.Warn(contract.WarnClamped, contract.Facts{"max_total_chars": most}, "lspi lowered max_total_chars to "+by)
		limit = most
	}
	return limit
}

// DefaultLimit is the cap of a call that does not ask for one: as configured, else what the host surely shows,
// where that is less than what is worth reading.
func (c *Call) DefaultLimit() int {
	if c.Session.Settings.MaxChars > 0 {
		return c.Session.Settings.MaxChars
	}
	if limit := c.Request.Host.Row().Limit; limit > 0 {
		return min(limit, session.DefaultMaxChars)
	}
	return session.DefaultMaxChars
}

// mostChars is the largest cap that a call may ask for, and what sets it. Beyond what the host shows the model
// would get an answer without its end; who configures a default beyond that knows better.
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

// WithRoom is a step to the same answer with more room, of which wanted would do: a call where the host shows more,
// else a command line.
func (c *Call) WithRoom(message string, wanted int) contract.NextStep {
	if most, _ := c.mostChars(); c.Limit() < most {
		return c.Repeat(message, map[string]any{"max_total_chars": min(wanted, most)})
	}
	again := c.Repeat(message, map[string]any{"max_total_chars": wanted})
	if again.Kind != contract.StepTool { // arguments that are too long for a command line as well
		return contract.NextStep{Kind: contract.StepDoc, Message: c.Request.Host.Name + " shows no more of one answer."}
	}
	return contract.NextStep{Kind: contract.StepCommand, Message: "This command shows all of it in a shell.",
		Command: callCommand(again.Tool, again.Arguments)}
}

// shrinker is an answer that can be made smaller. An answer that is not one must be small by its nature.
type shrinker interface {
	// Size is the number of whole items that the answer has.
	Size() int
	// Cut is a copy with the first n items, which says itself what it left out: totals, counts per file.
	Cut(n int) any
}

// snippeted is an answer with snippets, which are dropped first.
type snippeted interface {
	// ShedSnippets drops what is only there for convenience; false when there was nothing to drop.
	ShedSnippets() bool
}

// guided is an answer whose parts other tools continue.
type guided interface {
	// Steps are what continues after n items.
	Steps(c *Call, n int) []contract.NextStep
}

// terser is an answer that can say less about what it leaves out, before it gives up an item for it; false when it says
// the least already.
type terser interface{ Terse() bool }

// continued is an answer that can be continued where it was cut.
type continued interface {
	// Next are the argument changes that continue after n items, nil when only a larger cap helps.
	Next(c *Call, n int) map[string]any
}

// Fit makes an answer that is too large smaller: first without snippets, then with as many whole items as there is
// room for. It returns what is shown then. An answer that cannot be made smaller, or whose first item alone is too
// large, is an error that says how much room it needs: an empty list would look like an answer. body itself may
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

// cutEnvelope is the envelope of an answer cut to n items.
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

// cutSteps are how to have what a cut to n items left out.
func (c *Call) cutSteps(s shrinker, n int) []contract.NextStep {
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

func partialUnlessNone(claim contract.Completeness) contract.Completeness {
	if claim == contract.NoClaim {
		return claim
	}
	return contract.Partial
}

// room is how many characters the first item needs, with a quarter to spare; 0 when that is not known.
func (c *Call) room(s shrinker) int {
	shown, err := c.Present(c.cutEnvelope(s, 1))
	if err != nil {
		return 0
	}
	return shown.Size * 5 / 4
}

func (c *Call) tooLarge(limit, needed int) error {
	return contract.Errorf(contract.KindResponseTooLarge, contract.Facts{"max_total_chars": limit, "needed": needed},
		"the answer of %s does not fit into %d characters, not even its first item", c.Request.Tool, limit)
}

// Envelope is the answer with its warnings, and more of them. It reads the call without its lock: it is for when
// nothing of the call runs any more.
func (c *Call) Envelope(body any, more ...contract.Warning) contract.Envelope {
	e := contract.Envelope{Tool: c.Request.Tool, ServerID: c.serverID, Warnings: slices.Concat(c.warnings, more),
		Truncated: c.truncated,
		NextSteps: c.steps, Completeness: c.claim, Body: body}
	if c.Session.Settings.EchoInput == "always" {
		e.Input = c.Echo()
	}
	if c.rest != nil {
		e.Warnings = slices.Concat(e.Warnings, c.rest.warnings)
		e.NextSteps = slices.Concat(e.NextSteps, c.rest.steps)
	}
	e.Warnings = contract.Shown(e.Warnings)
	return e
}

// Echo is the arguments as they came, an object or null; one that is too long is cut to a note.
func (c *Call) Echo() json.RawMessage {
	raw := c.Request.Arguments
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
