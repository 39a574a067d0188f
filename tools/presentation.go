package tools

import (
	"maps"
	"reflect"
	"strings"
	"unicode/utf8"

	"lspi/contract"
)

// presented is an answer as it is sent: the envelope as JSON and the text beside it.
type presented struct {
	envelope contract.Envelope
	raw      []byte
	text     string
	size     int // what counts against the cap: all that the host shows of it
}

// The values of mcp.text.
const (
	TextAuto  = "auto"
	TextFull  = "full"
	TextShort = "short"
)

// wholeText reports whether the text beside a success has to be the whole answer: as configured, else unless the host is
// known to show structuredContent.
func (c *Call) wholeText() bool {
	switch c.env.Settings.Text {
	case TextFull:
		return true
	case TextShort:
		return false
	}
	shows := c.request.Host.row().success
	return shows == textChannel || shows == eitherChannel
}

// present writes an envelope in both channels.
func (c *Call) present(e contract.Envelope) (presented, error) {
	e, raw, err := encode(e)
	if err != nil {
		return presented{}, err
	}
	p := presented{envelope: e, raw: raw}
	row := c.request.Host.row()
	shows := row.success
	switch {
	case e.Error != nil:
		p.text, shows = c.errorText(e), row.failure
	case c.wholeText():
		p.text = c.fullText(e)
	default:
		p.text = c.shortText(e)
	}
	p.size = row.size(shows, raw, p.text)
	if row.lines > 0 && shows == textChannel && strings.Count(p.text, "\n") >= row.lines {
		p.size = maxNumber // whatever the cap
	}
	return p, nil
}

// size is how much a host shows of a result.
func (r *hostRow) size(shows channel, raw []byte, text string) int {
	count := utf8.RuneCountInString
	if r.bytes {
		count = func(s string) int { return len(s) }
	}
	switch shows {
	case structuredChannel:
		return count(string(raw))
	case bothChannels:
		return count(text) + 1 + count(string(raw))
	case wholeResult:
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

// presentError is present for an error, which stays within what the host shows: the arguments go first, then lists of
// facts, then the last steps. What is left of an error is bounded by itself.
func (c *Call) presentError(e contract.Envelope) (presented, error) {
	p, err := c.present(e)
	limit := c.request.Host.row().limit
	for err == nil && limit > 0 && p.size > limit {
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
		p, err = c.present(e)
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
