package answer

import (
	"maps"
	"reflect"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/session"
)

// presented is an answer as it is sent: the envelope as JSON and the text beside it.
type presented struct {
	Envelope contract.Envelope
	Raw      []byte
	Text     string
	Size     int // what counts against the cap: all that the host shows of it
}

// The values of mcp.text.
const (
	TextAuto  = "auto"
	TextFull  = "full"
	TextShort = "short"
)

// wholeText reports whether the text beside a success has to be the whole answer: as configured, else unless the
// host is known to show structuredContent.
func (c *Call) wholeText() bool {
	switch c.Session.Settings.Text {
	case TextFull:
		return true
	case TextShort:
		return false
	}
	shows := c.Request.Host.Row().Success
	return shows == session.TextChannel || shows == session.EitherChannel
}

// Present writes an envelope in both channels.
func (c *Call) Present(e contract.Envelope) (presented, error) {
	e, raw, err := encode(e)
	if err != nil {
		return presented{}, err
	}
	p := presented{Envelope: e, Raw: raw}
	row := c.Request.Host.Row()
	shows := row.Success
	switch {
	case e.Error != nil:
		p.Text, shows = c.errorText(e), row.Failure
	case c.wholeText():
		p.Text = c.fullText(e)
	default:
		p.Text = c.shortText(e)
	}
	p.Size = size(row, shows, raw, p.Text)
	// A host that cuts by lines would drop the end, so too many lines count as too large, and Fit takes items out.
	if row.Lines > 0 && shows == session.TextChannel && strings.Count(p.Text, "\n") >= row.Lines {
		p.Size = maxNumber // whatever the cap
	}
	return p, nil
}

// ShownSize is how much a host shows of a result that is not lspi's own, in what it counts: code points, or bytes.
func ShownSize(host session.Host, isError bool, raw []byte, text string) int {
	row := host.Row()
	shows := row.Success
	if isError {
		shows = row.Failure
	}
	if len(raw) == 0 && shows == session.StructuredChannel {
		shows = session.TextChannel // which stands in where there is no structuredContent
	}
	return size(row, shows, raw, text)
}

// size is how much a host shows of a result, in code points, or in bytes where the host counts these.
func size(r *session.HostRow, shows session.Channel, raw []byte, text string) int {
	count := utf8.RuneCountInString
	if r.Bytes {
		count = func(s string) int { return len(s) }
	}
	switch shows {
	case session.StructuredChannel:
		return count(string(raw))
	case session.BothChannels:
		return count(text) + 1 + count(string(raw))
	case session.WholeResult:
		// {"content":[{"type":"text","text":…}],"structuredContent":…,"isError":true}
		quoted, _ := contract.Marshal(text) // of a string
		return count(string(quoted)) + count(string(raw)) + wholeResultFrame
	}
	// The envelope stays within the cap too: it is what max_total_chars promises.
	return max(count(string(raw)), count(text))
}

// maxNumber is more than any cap.
const maxNumber = 1 << 40

// wholeResultFrame is what stands around the two channels of a result.
const wholeResultFrame = 80

// PresentError is [Call.Present] for an error, which stays within what the host shows: the arguments go first, then
// lists of facts, then the last steps. What is left of an error is bounded by itself.
func (c *Call) PresentError(e contract.Envelope) (presented, error) {
	p, err := c.Present(e)
	limit := c.Request.Host.Row().Limit
	for err == nil && limit > 0 && p.Size > limit {
		short, changed := withoutLists(e.Error)
		switch {
		case e.Input != nil:
			e.Input = nil
		case changed:
			e.Error = short
		case len(e.NextSteps) > 1:
			e.NextSteps = e.NextSteps[:len(e.NextSteps)-1]
		default:
			return p, nil
		}
		p, err = c.Present(e)
	}
	return p, err
}

// withoutLists is an error whose facts are single values.
func withoutLists(e *contract.Error) (short *contract.Error, changed bool) {
	copied := *e
	copied.Facts = maps.Clone(e.Facts)
	maps.DeleteFunc(copied.Facts, func(_ string, v any) bool {
		kind := reflect.ValueOf(v).Kind()
		return kind == reflect.Slice || kind == reflect.Map
	})
	return &copied, len(copied.Facts) < len(e.Facts)
}
