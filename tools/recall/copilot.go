package recall

import (
	"path"
	"strings"

	"lspi/tools/recall/jsonl"
)

// copilotFormat reads the events of Copilot CLI. It says of itself what they are: session-events.schema.json in its
// package (1.0.102).
var copilotFormat = &format{
	lines: func(r ref) lines { return &copilotLog{ref: r} },
	text: func(r *jsonl.Reader, _ int) (text, bool) {
		l := readCopilotLine(r)
		t, ok := l.requestIn()
		return t, r.End() == nil && ok
	},
}

// copilotName returns the session of a file: SESSION/events.jsonl, in older versions SESSION.jsonl.
func copilotName(name string) (session string, ok bool) {
	if path.Base(name) == "events.jsonl" {
		return path.Dir(name), path.Dir(name) != "."
	}
	return stem(name), path.Dir(name) == "." && strings.HasSuffix(name, ".jsonl")
}

// copilotLog is what the events of a session say. A rewind takes its events out of the file (session.snapshot_rewind is
// never written), and so does nothing else: behind a compaction they are still there.
type copilotLog struct {
	ref   ref
	begin head
	asked []entry
}

func (c *copilotLog) take(r *jsonl.Reader) {
	l := readCopilotLine(r)
	if r.End() != nil {
		return
	}
	if l.kind == "session.start" && !c.begin.whole {
		c.begin = head{id: l.session, cwd: l.cwd, started: timeOf(l.started), whole: true}
	}
	if t, ok := l.requestIn(); ok {
		c.asked = append(c.asked, newEntry(c.ref, r.Start(), 0, t, timeOf(l.time)))
	}
}

func (c *copilotLog) head() head        { return c.begin }
func (c *copilotLog) entries() []entry  { return append([]entry(nil), c.asked...) }
func (c *copilotLog) calls(string) bool { return false }
func (c *copilotLog) size() int         { return entrySize + len(c.asked)*entrySize }

// copilotLine is what is taken from an event.
type copilotLine struct {
	kind, time, agent     string
	session, cwd, started string // of a session.start
	source                string
	continues, attached   bool // written by the autopilot; with files or images
	content               text
}

// readCopilotLine reads the members that tell a request, or the head, from everything else. The type comes before the
// data, so that the data of other types is skipped unread.
func readCopilotLine(r *jsonl.Reader) (l copilotLine) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "type":
			l.kind = short(r)
		case "timestamp":
			l.time = short(r)
		case "agentId":
			l.agent = short(r)
		case "data":
			if l.kind == "session.start" || l.kind == "user.message" || l.kind == "" {
				r.Object(func(name []byte) { l.readData(r, string(name)) })
			}
		}
	})
	return l
}

func (l *copilotLine) readData(r *jsonl.Reader, name string) {
	switch name {
	case "sessionId":
		l.session = short(r)
	case "startTime":
		l.started = short(r)
	case "context":
		r.Object(func(name []byte) {
			if string(name) == "cwd" {
				l.cwd, _ = r.String(maxPath)
			}
		})
	case "content":
		l.content = readText(r)
	case "source":
		l.source = short(r)
	case "isAutopilotContinuation":
		l.continues = r.Bool()
	case "attachments":
		r.Array(func() { l.attached = true })
	}
}

// requestIn returns what the user asks in this event. An event of a sub-agent has its agentId. A source other than the
// user is a skill, another agent, a schedule or the like.
func (l *copilotLine) requestIn() (text, bool) {
	if l.kind != "user.message" || l.agent != "" || l.continues || l.source != "" && l.source != "user" {
		return text{}, false
	}
	t := l.content
	if t.text = strings.TrimSpace(t.text); t.text == "" && l.attached {
		t.text = imageOnly
	}
	return t, t.text != ""
}
