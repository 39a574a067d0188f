package tools

import (
	"encoding/json"
	"slices"
	"sort"
	"unicode/utf8"

	"lspi/contract"
)

// limit is the cap of this call's answer, in code points of all that the host shows of it.
func (c *Call) limit() int {
	limit := c.maxChars
	if limit <= 0 {
		limit = c.defaultLimit()
	}
	if most, by := c.mostChars(); limit > most {
		c.warn(contract.WarnClamped, contract.Facts{"max_total_chars": most}, "max_total_chars was lowered to "+by)
		limit = most
	}
	return limit
}

// defaultLimit is the cap of a call that does not ask for one: as configured, else what the host surely shows, where that
// is less than what is worth reading.
func (c *Call) defaultLimit() int {
	if c.env.Settings.MaxChars > 0 {
		return c.env.Settings.MaxChars
	}
	if limit := c.request.Host.row().limit; limit > 0 {
		return min(limit, DefaultMaxChars)
	}
	return DefaultMaxChars
}

// mostChars is the largest cap that a call may ask for, and what sets it. Beyond what the host shows the model would get
// an answer without its end; who configures a default beyond that knows better.
func (c *Call) mostChars() (most int, by string) {
	most, by = c.env.Settings.MaxCharsHard, "the configured maximum"
	if most <= 0 {
		most = DefaultMaxCharsHard
	}
	if shown := max(c.request.Host.row().ask(), c.env.Settings.MaxChars); c.request.Host.row().ask() > 0 && shown < most {
		most, by = shown, "what "+c.request.Host.Name+" shows its model of an answer"
	}
	return most, by
}

// withRoom is a step to the same answer with more room, of which wanted would do: a call where the host shows more, else a
// command line.
func (c *Call) withRoom(message string, wanted int) contract.NextStep {
	if most, _ := c.mostChars(); c.limit() < most {
		return c.repeat(message, map[string]any{"max_total_chars": min(wanted, most)})
	}
	again := c.repeat(message, map[string]any{"max_total_chars": wanted})
	if again.Kind != contract.StepTool { // arguments that are too long for a command line as well
		return contract.NextStep{Kind: contract.StepDoc, Message: c.request.Host.Name + " shows no more of one answer."}
	}
	return contract.NextStep{Kind: contract.StepCommand, Message: "This command shows all of it in a shell.",
		Command: callCommand(again.Tool, again.Arguments)}
}

// shedder is an answer that can be made smaller. An answer that is not one must be small by its nature.
type shedder interface {
	// shedSnippets drops what is only there for convenience; false when there was nothing to drop.
	shedSnippets() bool
	// size is the number of whole items that the answer has.
	size() int
	// cut is a copy with the first n items, which says itself what it left out: totals, counts per file.
	cut(n int) any
}

// guided is an answer whose parts other tools continue.
type guided interface {
	// steps are what continues after n items.
	steps(c *Call, n int) []contract.NextStep
}

// terser is an answer that can say less about what it leaves out, before it gives up an item for it; false when it says
// the least already.
type terser interface{ terse() bool }

// continued is an answer that can be continued where it was cut.
type continued interface {
	// next are the argument changes that continue after n items, nil when only a larger cap helps.
	next(c *Call, n int) map[string]any
}

// fit makes an answer that is too large smaller: first without snippets, then with as many whole items as there is
// room for. It returns what is shown then.
func (c *Call) fit(body any, limit int) (presented, error) {
	s, ok := body.(shedder)
	if !ok {
		return presented{}, c.tooLarge(limit, 0)
	}
	if s.shedSnippets() {
		c.truncated = true
		c.warn(contract.WarnSnippetsDropped, nil, "snippets were left out to stay within max_total_chars")
		shown, err := c.present(c.envelope(s))
		if err != nil || shown.size <= limit {
			return shown, err
		}
	}
	// Each size is written with the warnings and steps it would have: the largest that fits is found by bisection.
	var failure error
	n := sort.Search(s.size(), func(k int) bool {
		shown, err := c.present(c.cutEnvelope(s, k))
		if err != nil {
			failure = err
		}
		return err != nil || shown.size > limit
	})
	switch {
	case failure != nil:
		return presented{}, failure
	case n <= 1: // not even one item: an empty page would be continued with itself
		if t, ok := s.(terser); ok && t.terse() {
			return c.fit(body, limit)
		}
		return presented{}, c.tooLarge(limit, c.room(s))
	}
	c.truncated = true
	c.lower(contract.Partial)
	return c.present(c.cutEnvelope(s, n-1))
}

// cutEnvelope is the envelope of an answer cut to n items.
func (c *Call) cutEnvelope(s shedder, n int) contract.Envelope {
	uncut := c.rest
	c.rest = nil
	e := c.envelope(s.cut(n), contract.Warning{Kind: contract.WarnTruncated, Step: true,
		Message: "the answer was cut to stay within max_total_chars"})
	c.rest = uncut
	e.Truncated, e.Completeness = true, partialUnlessNone(e.Completeness)
	e.NextSteps = append(e.NextSteps[:len(e.NextSteps):len(e.NextSteps)], c.cutSteps(s, n)...)
	return e
}

// cutSteps are how to have what a cut to n items left out.
func (c *Call) cutSteps(s shedder, n int) []contract.NextStep {
	switch more := s.(type) {
	case guided:
		return more.steps(c, n)
	case continued:
		if change := more.next(c, n); change != nil {
			return []contract.NextStep{c.repeat(continueHere, change)}
		}
		return nil
	}
	return []contract.NextStep{c.withRoom("Ask again with more room.", 4*c.limit())}
}

func partialUnlessNone(claim contract.Completeness) contract.Completeness {
	if claim == contract.NoClaim {
		return claim
	}
	return contract.Partial
}

// room is how many characters the first item needs, with some to spare.
func (c *Call) room(s shedder) int {
	shown, err := c.present(c.cutEnvelope(s, 1))
	if err != nil {
		return 0
	}
	return shown.size * 5 / 4
}

func (c *Call) tooLarge(limit, needed int) error {
	return contract.Errorf(contract.KindResponseTooLarge, contract.Facts{"max_total_chars": limit, "needed": needed},
		"the answer of %s does not fit into %d characters, not even its first item", c.request.Tool, limit)
}

// envelope is the answer with its warnings, and more of them.
func (c *Call) envelope(body any, more ...contract.Warning) contract.Envelope {
	e := contract.Envelope{Tool: c.request.Tool, ServerID: c.serverID, Warnings: slices.Concat(c.warnings, more), Truncated: c.truncated,
		NextSteps: c.steps, Completeness: c.claim, Body: body}
	if c.env.Settings.EchoInput == "always" {
		e.Input = c.echo()
	}
	if c.rest != nil {
		e.Warnings = slices.Concat(e.Warnings, c.rest.warnings)
		e.NextSteps = slices.Concat(e.NextSteps, c.rest.steps)
	}
	e.Warnings = contract.Shown(e.Warnings)
	return e
}

// echo is the arguments as they came, an object or null; one that is too long is cut to a note.
func (c *Call) echo() json.RawMessage {
	raw := c.request.Arguments
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if utf8.RuneCount(raw) > maxEcho {
		note, _ := contract.Marshal(map[string]string{"cut": cutText(string(raw), maxEcho)})
		return note
	}
	if given, err := object(raw); err != nil || given == nil {
		return json.RawMessage("null")
	}
	return raw
}
