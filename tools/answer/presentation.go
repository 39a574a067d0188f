package answer

import (
	"maps"
	"reflect"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/session"
)

// presented is an answer as it is sent: the envelope as JSON, and the text beside it.
type presented struct {
	Envelope contract.Envelope
	Raw      []byte
	Text     string
	Size     int // what counts against the cap, in the host's own measure
}

// The values of mcp.text: what stands in the text channel beside structuredContent. Auto goes by what the host is
// known to show its model.
const (
	TextAuto  = "auto"
	TextFull  = "full"
	TextShort = "short"
)

// wholeText reports whether the text beside a success has to be the whole answer: as configured, else
// unless the host is known to show its model structuredContent. Both in full would cost the model every
// token twice.
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

// Present writes an envelope in both channels of an MCP result and measures what the host shows of it.
func (c *Call) Present(e contract.Envelope) (presented, error) {
	e, raw, err := encode(e)
	if err == nil && c.Session.Settings.Shape == session.ShapeOriginal {
		raw, err = asOriginal(c, raw)
	}
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
	p.Size = sizeShown(row, shows, raw, p.Text)
	// A host that cuts by lines would drop the end, so too many lines count as too large, and Fit takes items out.
	if row.Lines > 0 && shows == session.TextChannel && strings.Count(p.Text, "\n") >= row.Lines {
		p.Size = maxNumber // whatever the cap
	}
	return p, nil
}

// ShownSize returns how much a host shows of a result that is not lspi's own (of another MCP server),
// in what the host counts: code points, or bytes.
func ShownSize(host session.Host, isError bool, raw []byte, text string) int {
	row := host.Row()
	shows := row.Success
	if isError {
		shows = row.Failure
	}
	if len(raw) == 0 && shows == session.StructuredChannel {
		shows = session.TextChannel // which stands in where there is no structuredContent
	}
	return sizeShown(row, shows, raw, text)
}

// sizeShown returns how much a host shows of a result with these two channels, in code points, or in
// bytes where the host counts bytes. shows is the channel that the host gives its model.
func sizeShown(r *session.HostRow, shows session.Channel, raw []byte, text string) int {
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

// wholeResultFrame is the size of the JSON around the two channels of a result, rounded up.
const wholeResultFrame = 80

// PresentError is [Call.Present] for an error, which has to stay within what the host shows: an error
// that is cut at its end loses its steps. The echo of the arguments goes first, then facts that are
// lists, then the last steps. What is left of an error is small by itself.
func (c *Call) PresentError(e contract.Envelope) (presented, error) {
	p, err := c.Present(e)
	limit := c.Request.Host.Row().Limit
	// One thing less each time, until it fits or only the last step is left.
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

// withoutLists returns a copy of an error without the facts that are lists or maps; changed is false
// when it had none.
func withoutLists(e *contract.Error) (short *contract.Error, changed bool) {
	copied := *e
	copied.Facts = maps.Clone(e.Facts)
	maps.DeleteFunc(copied.Facts, func(_ string, v any) bool {
		kind := reflect.ValueOf(v).Kind()
		return kind == reflect.Slice || kind == reflect.Map
	})
	return &copied, len(copied.Facts) < len(e.Facts)
}
