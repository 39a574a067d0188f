package recall

import (
	"os"
	"path"
	"slices"
	"strings"

	"lspi/tools/recall/jsonl"
)

// geminiFormat reads the transcripts of Gemini CLI (0.61.0; google-gemini/gemini-cli, chatRecordingService.ts): lines,
// or in older versions one document. They name the project by a checksum of its folder; the folder stands in a file
// beside them. Folders of projects that no version with that file has seen are not read.
var geminiFormat = &format{
	lines: func(r ref) lines { return &geminiLog{ref: r, place: map[node]int{}} },
	text: func(r *jsonl.Reader, nth int) (t text, ok bool) {
		n := 0
		readGeminiLine(r, func(m geminiMessage) {
			if n == nth {
				t, ok = m.requestIn()
			}
			n++
		})
		return t, r.End() == nil && ok
	},
	workspace: func(root *os.Root, name string) string {
		project, _, _ := strings.Cut(name, "/")
		return strings.TrimSpace(besideIt(root, path.Join(project, ".project_root")))
	},
}

// geminiName returns how the session of a file begins: PROJECT/chats/session-TIME-BEGIN.jsonl, or .json.
func geminiName(name string) (session string, ok bool) {
	rest, ok := strings.CutPrefix(stem(name), "session-")
	at := strings.LastIndexByte(rest, '-')
	return rest[at+1:], ok && at >= 0 && strings.Count(name, "/") == 2
}

// geminiLog is what the lines of a transcript say. A message that is written again replaces itself. A rewind names the
// first message that is taken back. A compaction sets all messages anew; what it leaves out was asked nevertheless, and
// what it brings is a summary.
type geminiLog struct {
	ref      ref
	begin    head
	place    map[node]int // of a message in messages
	messages []geminiPlaced
}

// geminiPlaced is a message of the conversation.
type geminiPlaced struct {
	id      node
	request *entry // nil for one that is no request
}

func (c *geminiLog) take(r *jsonl.Reader) {
	var all []geminiPlaced
	l := readGeminiLine(r, func(m geminiMessage) {
		one := geminiPlaced{id: nodeOf(m.id)}
		if t, ok := m.requestIn(); ok {
			e := newEntry(c.ref, r.Start(), len(all), t, timeOf(m.time))
			one.request = &e
		}
		all = append(all, one)
	})
	if r.End() != nil {
		return
	}
	c.takeHead(l)
	compacted := l.set && slices.ContainsFunc(c.messages, func(m geminiPlaced) bool { return m.request != nil })
	for _, m := range all {
		c.put(m.id, m.request, compacted)
	}
	if l.rewound != "" {
		c.rewind(nodeOf(l.rewound))
	}
}

// takeHead takes what the first line says. Later lines of its kind, behind a session that was resumed, repeat it.
func (c *geminiLog) takeHead(l geminiLine) {
	if l.session == "" || c.begin.whole {
		return
	}
	c.begin = head{id: l.session, started: timeOf(l.started), side: l.kind == "subagent", whole: true}
}

// put adds a message, or replaces the one with its id. Only messages that are known stay as they are when a compaction
// sets all.
func (c *geminiLog) put(id node, request *entry, compacted bool) {
	n, known := c.place[id]
	switch {
	case known && !compacted:
		c.messages[n].request = request
	case !known:
		if compacted {
			request = nil
		}
		c.place[id] = len(c.messages)
		c.messages = append(c.messages, geminiPlaced{id, request})
	}
}

// rewind takes a message back, and all behind it; all messages when it is not known, as the client does.
func (c *geminiLog) rewind(first node) {
	n := c.place[first]
	for _, m := range c.messages[n:] {
		delete(c.place, m.id)
	}
	c.messages = c.messages[:n]
}

func (c *geminiLog) head() head { return c.begin }

func (c *geminiLog) entries() (out []entry) {
	if c.begin.side {
		return nil
	}
	for _, m := range c.messages {
		if m.request != nil {
			out = append(out, *m.request)
		}
	}
	return out
}

func (c *geminiLog) calls(string) bool { return false }

func (c *geminiLog) size() int {
	size := entrySize + len(c.messages)*96
	for _, m := range c.messages {
		if m.request != nil {
			size += entrySize
		}
	}
	return size
}

// geminiLine is what is taken from a line besides its messages.
type geminiLine struct {
	session, started, kind string
	set                    bool // the messages take the place of all
	rewound                string
}

// geminiMessage is a message of a line, or of a document.
type geminiMessage struct {
	id, time, kind   string
	content, display []part
}

// readGeminiLine reads a line, or a document, and gives its messages to each: those in a list, or the line itself.
func readGeminiLine(r *jsonl.Reader, each func(geminiMessage)) (l geminiLine) {
	var own geminiMessage
	messages := func() { r.Array(func() { each(readGeminiMessage(r)) }) }
	r.Object(func(name []byte) {
		switch string(name) {
		case "sessionId":
			l.session = short(r)
		case "startTime":
			l.started = short(r)
		case "kind":
			l.kind = short(r)
		case "messages":
			messages()
		case "$rewindTo":
			l.rewound = short(r)
		case "$set":
			r.Object(func(name []byte) {
				if string(name) == "messages" {
					l.set = true
					messages()
				}
			})
		default:
			own.read(r, string(name))
		}
	})
	if own.id != "" {
		each(own)
	}
	return l
}

func readGeminiMessage(r *jsonl.Reader) (m geminiMessage) {
	r.Object(func(name []byte) { m.read(r, string(name)) })
	return m
}

// read takes a member. The type comes before the content, so that answers of the model are skipped unread.
func (m *geminiMessage) read(r *jsonl.Reader, name string) {
	switch name {
	case "id":
		m.id = short(r)
	case "timestamp":
		m.time = short(r)
	case "type":
		m.kind = short(r)
	case "content":
		if m.kind == "user" || m.kind == "" {
			m.content = readParts(r)
		}
	case "displayContent":
		m.display = readParts(r)
	}
}

// readParts reads a content, which is a text, a part, or a list of both.
func readParts(r *jsonl.Reader) (out []part) {
	switch r.Kind() {
	case '"':
		out = append(out, part{text: readText(r)})
	case '[':
		r.Array(func() { out = append(out, readParts(r)...) })
	case '{':
		out = append(out, readPart(r))
	}
	return out
}

// requestIn returns what the user asks in a message: as the client shows it, where it added files for the model.
func (m *geminiMessage) requestIn() (text, bool) {
	if m.kind != "user" {
		return text{}, false
	}
	parts := m.content
	if len(m.display) > 0 {
		parts = m.display
	}
	var texts []text
	images := false
	for _, p := range parts {
		images = images || p.data
		if p.text.text != "" {
			texts = append(texts, p.text)
		}
	}
	return typedParts(texts, images)
}
