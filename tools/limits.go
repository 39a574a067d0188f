package tools

import (
	"sort"
	"strings"
	"unicode/utf8"

	"lspi/contract"
)

// codexMaxChars is the cap for Codex CLI, which shows the model at most 12,000 bytes of an answer by a server that it
// does not know (measured with 0.169).
const codexMaxChars = 11_000

// limit is the cap of this call's envelope in code points.
func (c *Call) limit() int {
	hard := c.env.Settings.MaxCharsHard
	if hard <= 0 {
		hard = DefaultMaxCharsHard
	}
	limit := c.maxChars
	if limit <= 0 {
		limit = c.defaultLimit()
	}
	if limit > hard {
		c.warn(contract.WarnClamped, contract.Facts{"max_total_chars": hard},
			"max_total_chars was lowered to the configured maximum")
		limit = hard
	}
	return limit
}

// defaultLimit is the cap of a call that does not ask for one: as configured, else what the host shows.
func (c *Call) defaultLimit() int {
	switch {
	case c.env.Settings.MaxChars > 0:
		return c.env.Settings.MaxChars
	case strings.HasPrefix(strings.ToLower(c.request.Host.Name), "codex"):
		return codexMaxChars
	}
	return DefaultMaxChars
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
// room for. It returns what is shown then, and the same as JSON.
func (c *Call) fit(body any, limit int) (contract.Envelope, []byte, error) {
	s, ok := body.(shedder)
	if !ok {
		return contract.Envelope{}, nil, c.tooLarge(limit, 0)
	}
	if s.shedSnippets() {
		c.truncated = true
		c.warn(contract.WarnSnippetsDropped, nil, "snippets were left out to stay within max_total_chars")
		shown, raw, err := encode(c.envelope(s))
		if err != nil || utf8.RuneCount(raw) <= limit {
			return shown, raw, err
		}
	}
	// Each size is marshalled with the warnings and steps it would have: the largest that fits is found by bisection.
	var failure error
	n := sort.Search(s.size(), func(k int) bool {
		_, raw, err := encode(c.cutEnvelope(s, k))
		if err != nil {
			failure = err
			return true
		}
		return utf8.RuneCount(raw) > limit
	})
	switch {
	case failure != nil:
		return contract.Envelope{}, nil, failure
	case n <= 1: // not even one item: an empty page would be continued with itself
		if t, ok := s.(terser); ok && t.terse() {
			return c.fit(body, limit)
		}
		return contract.Envelope{}, nil, c.tooLarge(limit, c.room(s))
	}
	c.truncated = true
	c.lower(contract.Partial)
	return encode(c.cutEnvelope(s, n-1))
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
	return []contract.NextStep{c.repeat("Ask again with more room.", map[string]any{"max_total_chars": 4 * c.limit()})}
}

func partialUnlessNone(claim contract.Completeness) contract.Completeness {
	if claim == contract.NoClaim {
		return claim
	}
	return contract.Partial
}

// room is how many characters the first item needs, with some to spare.
func (c *Call) room(s shedder) int {
	_, raw, err := encode(c.cutEnvelope(s, 1))
	if err != nil {
		return 0
	}
	return utf8.RuneCount(raw) * 5 / 4
}

func (c *Call) tooLarge(limit, needed int) error {
	return contract.Errorf(contract.KindResponseTooLarge, contract.Facts{"max_total_chars": limit, "needed": needed},
		"the answer of %s does not fit into %d characters, not even its first item", c.request.Tool, limit)
}
