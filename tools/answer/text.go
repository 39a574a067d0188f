package answer

import (
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/session"
)

// The text beside an envelope has three forms: the whole answer for hosts that show nothing else, one line for
// those that show structuredContent, and that of an error, which is whole everywhere.

// summarizer is an answer that can say in one sentence what it is.
type summarizer interface{ Summary() string }

// hedged is a summarizer whose sentence depends on what the answer lacks.
type hedged interface {
	SummaryOf(e contract.Envelope) string
}

// headliner is an answer whose first line says something else than its summary, because the lines below say that.
type headliner interface{ Headline() string }

// fullText is the whole answer as a person would write it: how far it can be trusted and what there is on the first
// line, then the answer, the warnings, and the next steps.
func (c *Call) fullText(e contract.Envelope) string {
	s := &Sheet{shell: c.Request.Host.Row().Shell}
	s.Line(0, "%s", trustWords(e)+headline(e))
	if t, ok := e.Body.(teller); ok {
		t.Tell(s)
	}
	s.warnings(e.Warnings, "")
	s.steps(e.NextSteps)
	return s.text()
}

// trustWords begin the first line of an answer: its completeness, the warnings that it follows from, and the server.
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

func headline(e contract.Envelope) string {
	if h, ok := e.Body.(headliner); ok {
		return h.Headline()
	}
	return summaryOf(e)
}

func summaryOf(e contract.Envelope) string {
	if q, ok := e.Body.(hedged); ok {
		return q.SummaryOf(e)
	}
	if s, ok := e.Body.(summarizer); ok {
		return s.Summary()
	}
	return e.Tool + " answered."
}

// maxShortText bounds the text beside an envelope that the host shows, in code points.
const maxShortText = 800

// shortText is the text beside a success at hosts that show the envelope. Few show it too, so it is short, but what
// limits the answer is in it.
func (c *Call) shortText(shown contract.Envelope) string {
	text := summaryOf(shown)
	if claim := shown.Completeness; claim != contract.Complete && claim != contract.NoClaim {
		text += " Completeness: " + string(claim) + reasons(shown) + "."
	}
	// others show the warnings themselves, right beside it
	if c.Request.Host.Row().Success == session.StructuredChannel {
		for _, w := range c.warnings {
			text += " " + strings.TrimSuffix(w.Message, ".") + "."
		}
	}
	return CutText(contract.OneLine(text), maxShortText)
}

// reasons are the kinds of the warnings that a claim follows from, in parentheses.
func reasons(shown contract.Envelope) string {
	kinds := ReasonKinds(shown)
	if len(kinds) == 0 {
		return ""
	}
	return " (" + strings.Join(kinds, ", ") + ")"
}

// ReasonKinds are the kinds of the warnings for which an answer is not complete; nil when it is, or claims nothing.
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

// errorText is all of an error: on it some hosts show the model the text alone.
func (c *Call) errorText(e contract.Envelope) string {
	s := &Sheet{shell: c.Request.Host.Row().Shell}
	s.facts(string(e.Error.Category())+" ("+string(e.Error.Kind)+"): "+e.Error.Message, e.Error.Facts)
	s.warnings(e.Warnings, e.Error.Message)
	s.steps(e.NextSteps)
	return s.text()
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
