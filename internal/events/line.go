package events

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
)

// Bounds of a line, in bytes. A line is never longer than maxLine: what one without arguments and results has is
// bounded by maxWord and maxText.
const (
	maxWord  = 200       // a name that a host or a server gave
	maxText  = 500       // a message
	maxValue = 16 << 10  // arguments or a result
	maxRead  = 256 << 10 // arguments or a result that are longer are not looked at, and not written
	maxLine  = 64 << 10
)

// line is one event. ms and bytes are in each.
type line struct {
	Time    string          `json:"time"` // RFC 3339, UTC
	Event   Kind            `json:"event"`
	Session string          `json:"session"`
	Request int64           `json:"request,omitempty"` // counts those of the session
	ID      json.RawMessage `json:"id,omitempty"`
	Host    string          `json:"host,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	Method  string          `json:"method,omitempty"`

	Provider string `json:"provider,omitempty"`
	Server   string `json:"server,omitempty"`
	Name     string `json:"name,omitempty"`
	Call     int64  `json:"call,omitempty"` // counts those of the request

	Asked int64 `json:"asked,omitempty"` // of the host's answer: the questions to servers
	Reads int64 `json:"reads,omitempty"` // of the host's answer: files that the process read meanwhile

	Told int `json:"told,omitempty"` // of a hook: errors
	Owed int `json:"owed,omitempty"` // of a hook: files

	MS      float64 `json:"ms"`
	Bytes   int     `json:"bytes"`
	Error   string  `json:"error,omitempty"`
	Code    int     `json:"code,omitempty"`
	Preset  string  `json:"preset,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Message string  `json:"message,omitempty"`

	Arguments json.RawMessage `json:"arguments,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Cut       int             `json:"cut,omitempty"` // the bytes of a value that is written in part or not at all

	arguments, result func() []byte
	outside           []string // of reason and message, as in [Reply]
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// quoted is a text within a message that may be of what was said.
var quoted = source.LazyRegexp("\"[^\"]*\"|'[^']*'|`[^`]*`")

// name is the name of what method asks for. Names of tools and prompts are words of an interface: a variable such
// as MODE=file is not masked in files__get_file_info. A URI may hold a secret.
func (m mask) name(method, name string) string {
	if method == "tools/call" || method == "prompts/get" {
		return cut(name, maxWord)
	}
	return m.short(name, maxWord)
}

// sentence is a message of lspi without the secrets in its parts from outside; nil says that all of it may be. What the
// configuration knows as a secret, such as MODE=file, is no reason to make lspi's own words unreadable. Secrets of the
// arguments, and what is one by its form, are masked all over.
func (m mask) sentence(s string, outside []string) string {
	if outside != nil {
		rest := s
		for _, part := range outside {
			if part == "" {
				continue
			}
			if !strings.Contains(rest, part) { // it was cut
				return m.short(s, maxText)
			}
			rest = strings.ReplaceAll(rest, part, m.text(part))
		}
		s, m.known = rest, nil
	}
	return m.short(s, maxText)
}

// clean is a request without secrets, as all of its lines have it.
func (m mask) clean(q Request) Request {
	q.Host, q.Tool = cut(q.Host, maxWord), m.name(q.Method, q.Tool)
	if len(q.ID) > maxWord {
		q.ID = nil // no host has such ids
	}
	q.ID, _ = m.value(q.ID, maxWord)
	return q
}

// encode is the line with its line break, without secrets and without what may control a terminal.
func (l *line) encode(m mask, debug bool) []byte {
	for _, word := range []*string{&l.Method, &l.Server, &l.Error, &l.Preset} {
		*word = cut(*word, maxWord)
	}
	l.Name = m.name(l.Method, l.Name)
	l.Reason, l.Message = m.sentence(l.Reason, l.outside), m.sentence(l.Message, l.outside)
	if debug {
		l.Arguments, l.Result = l.said(m, l.arguments), l.said(m, l.result)
	} else {
		l.Message, l.Reason = "", quoted.ReplaceAllString(l.Reason, "…")
	}
	out := marshal(l)
	if len(out) > maxLine {
		l.Cut = len(out)
		l.Arguments, l.Result = nil, nil
		out = marshal(l)
	}
	return out
}

// said is what arguments or a result have, in part when it is long.
func (l *line) said(m mask, ask func() []byte) json.RawMessage {
	if ask == nil {
		return nil
	}
	raw := ask()
	if len(raw) > maxRead {
		l.Cut = len(raw)
		return nil
	}
	out, shortened := m.value(raw, maxValue)
	if shortened {
		l.Cut = len(raw)
	}
	return out
}

func marshal(l *line) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(l) // of plain values and valid JSON
	return contract.PlainJSON(b.Bytes())
}

// cut is the beginning of a text, at the end of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
