package answer

import (
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/session"
)

// The text beside an envelope has three forms: the whole answer, for hosts whose model sees only text; one line, for
// hosts that show structuredContent; and the text of an error, which is whole everywhere, because some hosts show the
// text alone for results with isError.
// summarizer is an answer that can say in one sentence what it is.
type summarizer interface{ Summary() string }

// hedged is a summarizer whose sentence depends on the warnings of its envelope: "no uses" must not
// stand alone over an answer that lacks files.
type hedged interface {
	SummaryOf(e contract.Envelope) string
}

// headliner is an answer whose first line differs from its summary, because the lines below say the
// rest.
type headliner interface{ Headline() string }

// fullText returns the whole answer as text: on the first line how far it can be trusted and what there
// is, then the body, the warnings, and the next steps. Trust comes first because readers stop early.
func (c *Call) fullText(e contract.Envelope) string {
	s := &Sheet{shell: c.Request.Host.Row().Shell}
	s.Line(0, "%s", trustWords(e)+headline(e))
	if t, ok := e.Body.(teller); ok {
		t.Tell(s)
	}
	s.tellWarnings(e.Warnings, "")
	s.tellSteps(e.NextSteps)
	return s.Text()
}

// trustWords returns the beginning of the first line: the completeness, the kinds of warnings for which
// it is not complete, and the server. "" for an answer that claims nothing.
func trustWords(e contract.Envelope) string {
	of := ""
	if e.ServerID != "" {
		of = " of " + e.ServerID
	}
	switch e.Completeness {
	case contract.Complete:
		return "Complete answer" + of + ": "
	case contract.Partial:
		return "Partial answer" + of + reasons(e) + ": "
	case contract.Unknown:
		return "Answer" + of + " of unknown completeness" + reasons(e) + ": "
	}
	return ""
}

// headline returns the rest of the first line.
func headline(e contract.Envelope) string {
	if h, ok := e.Body.(headliner); ok {
		return h.Headline()
	}
	return summaryOf(e)
}

// summaryOf returns the one sentence that says what an answer has; that of a body without one only
// names the tool.
func summaryOf(e contract.Envelope) string {
	if q, ok := e.Body.(hedged); ok {
		return q.SummaryOf(e)
	}
	if s, ok := e.Body.(summarizer); ok {
		return s.Summary()
	}
	return e.Tool + " answered."
}

// maxShortText bounds the short text, in code points.
const maxShortText = 800

// shortText returns the text beside a success at hosts that show the envelope. Few hosts show both, so
// it is short; but it says what limits the answer, for those which show only this.
func (c *Call) shortText(shown contract.Envelope) string {
	text := summaryOf(shown)
	if claim := shown.Completeness; claim != contract.Complete && claim != contract.NoClaim {
		text += " Completeness: " + string(claim) + reasons(shown) + "."
	}
	// others show the warnings themselves, right beside it
	if c.Request.Host.Row().Success == session.StructuredChannel {
		for _, w := range told(c.warnings) {
			text += " " + strings.TrimSuffix(w.Message, ".") + "."
		}
	}
	return CutText(contract.OneLine(text), maxShortText)
}

// reasons returns the kinds of the warnings for which the answer is not complete, in parentheses; ""
// for none.
func reasons(shown contract.Envelope) string {
	kinds := ReasonKinds(shown)
	if len(kinds) == 0 {
		return ""
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}

// ReasonKinds returns the kinds of the warnings with the very effect that the claim has; nil when the
// answer is complete or claims nothing. more_warnings stands for the kinds that it counts.
func ReasonKinds(shown contract.Envelope) (kinds []string) {
	if claim := shown.Completeness; claim == contract.Complete || claim == contract.NoClaim {
		return nil
	}
	for _, w := range shown.Warnings {
		of := []string{string(w.Kind)}
		if w.Kind == contract.WarnMore {
			of, _ = w.Facts["kinds"].([]string)
		}
		for _, kind := range of {
			if contract.WarningKind(kind).Effect() == shown.Completeness && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// errorText returns all of an error as text.
func (c *Call) errorText(e contract.Envelope) string {
	s := &Sheet{shell: c.Request.Host.Row().Shell}
	s.tellFacts(string(e.Error.Category())+" ("+string(e.Error.Kind)+"): "+e.Error.Message, e.Error.Facts)
	s.tellWarnings(e.Warnings, e.Error.Message)
	s.tellSteps(e.NextSteps)
	return s.Text()
}

// CutText shortens s to at most n code points, of which the last is then an ellipsis.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, last := 0, 0 // last is where the n-th code point begins
	// s has at least as many bytes as code points, so only here they must be counted. There is a code point behind
	// the n-th: the n-th makes room for the ellipsis.
	for i := range s {
		if count == n {
			return s[:last] + "…"
		}
		count++
		last = i
	}
	return s
}
