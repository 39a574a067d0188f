package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// qwenFormat reads the transcripts of Qwen Code (0.24.4).
var qwenFormat = &format{
	lines: func(r ref) lines { return &qwenLog{newTree(r)} },
	text: func(r *jsonl.Reader, _ int) (text, bool) {
		l := readQwenLine(r)
		t, ok := l.requestIn()
		return t, r.End() == nil && ok
	},
}

// qwenName returns the session of a file: PROJECT/chats/SESSION.jsonl, or PROJECT/chats/archive/SESSION.jsonl.
func qwenName(name string) (session string, ok bool) {
	return stem(name), strings.HasSuffix(name, ".jsonl") && strings.Count(name, "/") >= 2
}

// qwenLog is what the lines of a transcript say. A rewind writes a line that follows an earlier one, so that what was
// taken back no longer leads to the last line; a compaction goes on behind the last line.
type qwenLog struct{ tree }

func (c *qwenLog) take(r *jsonl.Reader) {
	l := readQwenLine(r)
	if r.End() != nil || l.uuid == "" {
		return
	}
	c.takeHead(l.time, l.cwd)
	var request *asked
	if t, ok := l.requestIn(); ok {
		request = &asked{entry: newEntry(c.ref, r.Start(), 0, t, timeOf(l.time))}
	}
	c.add(l.uuid, request, l.parent)
}

func (c *qwenLog) entries() []entry  { return c.branch(c.last()) }
func (c *qwenLog) calls(string) bool { return false }

// qwenLine is what is taken from one line of a transcript.
type qwenLine struct {
	treeLine
	provenance string
	display    text // what was typed, where the client added to it
	parts      []text
	images     bool
}

func readQwenLine(r *jsonl.Reader) (l qwenLine) {
	r.Object(func(name []byte) {
		if l.treeLine.read(r, string(name)) {
			return
		}
		switch string(name) {
		case "provenance":
			l.provenance = short(r)
		case "message", "systemPayload":
			if l.kind == "user" {
				r.Object(func(name []byte) { l.readMember(r, string(name)) })
			}
		}
	})
	return l
}

func (l *qwenLine) readMember(r *jsonl.Reader, name string) {
	switch name {
	case "displayText":
		l.display = readText(r)
	case "parts":
		r.Array(func() {
			p := readPart(r)
			l.images = l.images || p.data
			if p.text.text != "" {
				l.parts = append(l.parts, p.text)
			}
		})
	}
}

// requestIn returns what the user asks in this line. Lines without a provenance are of older versions; those with a
// subtype are of the client, but for what was typed while the agent worked.
func (l *qwenLine) requestIn() (text, bool) {
	if l.kind != "user" || l.provenance != "" && l.provenance != "real_user" || l.subtype != "" &&
		l.subtype != "mid_turn_user_message" {
		return text{}, false
	}
	if l.display.text != "" {
		return l.display, true
	}
	return typedParts(l.parts, l.images)
}
