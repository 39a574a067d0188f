package recall

import (
	"path"
	"strings"

	"lspi/tools/recall/jsonl"
)

// codexFormat reads the rollouts of Codex CLI.
var codexFormat = &format{
	lines: func(r ref) lines { return &codexLog{ref: r} },
	text: func(r *jsonl.Reader, _ int) (text, bool) {
		l := readCodexLine(r)
		t, source := l.requestIn()
		return t, source != notAsked && r.End() == nil
	},
}

// codexName takes the name of a rollout apart: rollout-YYYY-MM-DDThh-mm-ss-THREAD.jsonl, with _SEGMENT
// behind THREAD when turns of the thread were taken back and a later file goes on (0.169.0). Such a
// file names the one that it continues by its segment, or by the thread for the first file.
func codexName(name string) (thread, segment string, ok bool) {
	stem, isRollout := strings.CutPrefix(path.Base(name), "rollout-")
	stem, isLines := strings.CutSuffix(stem, ".jsonl")
	if !isRollout || !isLines || len(stem) < stampLength+uuidLength {
		return "", "", false
	}
	thread, segment, parted := strings.Cut(stem[stampLength:], "_")
	if !parted {
		segment = thread
	}
	return thread, segment, len(thread) == uuidLength && len(segment) == uuidLength
}

// The lengths of the parts of a rollout's name, in bytes.
const (
	stampLength = len("2006-01-02T15-04-05-")
	uuidLength  = 36
)

// codexLog is what the lines of a rollout say. One request stands in up to three lines, by the version
// of Codex and the mode of the thread: as an event (before threads had pages), as an item that
// completed (the mode of 0.169.0), and as the message that the model gets, which also carries what
// Codex injects. The requests of each kind are kept apart, and the best kind that the file has counts:
// a sum would count requests twice.
type codexLog struct {
	ref       ref
	begin     head
	paginated bool
	asked     [sources][]entry
	bytes     int
}

// source is the kind of line in which a request of Codex stands.
type source int

const (
	inEvent source = iota
	inItem
	inMessage
	sources         // their number
	notAsked source = -1
)

// take adds the present line of r. A thread_rolled_back event takes the last turns back, in each kind
// of line.
func (c *codexLog) take(r *jsonl.Reader) {
	l := readCodexLine(r)
	if r.End() != nil {
		return
	}
	switch {
	case l.kind == "session_meta":
		c.meta(l)
	case l.kind == "event_msg" && l.payload == "thread_rolled_back":
		for i, all := range c.asked {
			// The number comes from a file, so it may be anything.
			c.asked[i] = all[:max(0, len(all)-int(min(l.turns, 1<<30)))]
		}
	default:
		t, from := l.requestIn()
		if from == notAsked {
			return
		}
		e := newEntry(c.ref, r.Start(), 0, t, timeOf(l.time))
		e.ordinal = l.ordinal
		c.asked[from] = append(c.asked[from], e)
		c.bytes += entrySize
	}
}

// meta takes the first session_meta. A fork of a thread without pages has copies of its origin's behind
// its own.
func (c *codexLog) meta(l codexLine) {
	if c.begin.whole {
		return
	}
	c.paginated = l.mode == "paginated"
	c.begin = head{cwd: l.cwd, started: timeOf(l.started), side: l.side, parent: l.parent, base: l.base,
		baseEnd: l.baseEnd, whole: true}
	if c.begin.started.IsZero() {
		c.begin.started = timeOf(l.time)
	}
}

// head returns what the first session_meta says.
func (c *codexLog) head() head { return c.begin }

// entries returns a copy, so that the caller may keep it while more lines are taken.
func (c *codexLog) entries() []entry {
	order := []source{inEvent, inItem, inMessage}
	if c.paginated {
		order = []source{inItem, inEvent, inMessage}
	}
	for _, from := range order {
		if all := c.asked[from]; len(all) > 0 {
			return append([]entry(nil), all...)
		}
	}
	return nil
}

// calls is never needed for Codex: its calls name their thread ([Hints].CodexThreadID).
func (c *codexLog) calls(string) bool { return false }

// size estimates the memory that the log takes.
func (c *codexLog) size() int { return entrySize + c.bytes }

// codexLine is what is taken from one line of a rollout; ordinal and baseEnd are -1 where the line has
// none.
type codexLine struct {
	kind, time string
	ordinal    int64
	payload    string // payload.type
	role       string

	// of a session_meta
	cwd, started, mode, parent, base string
	baseEnd                          int64
	side                             bool

	turns   int64  // taken back
	item    string // type of an item
	message text
	parts   []text // of a message or an item, those with text
	images  bool
}

// readCodexLine reads the members that tell a request, or the head, from everything else.
func readCodexLine(r *jsonl.Reader) (l codexLine) {
	l.ordinal, l.baseEnd = -1, -1
	r.Object(func(name []byte) {
		switch string(name) {
		case "timestamp":
			l.time = short(r)
		case "type":
			l.kind = short(r)
		case "ordinal":
			if n, ok := r.Int(); ok {
				l.ordinal = n
			}
		case "payload":
			l.readPayload(r)
		}
	})
	return l
}

// readPayload reads what tells a request or the head. Codex writes the type of a line before its
// payload, so the payload of types that hold neither is skipped unread.
func (l *codexLine) readPayload(r *jsonl.Reader) {
	switch l.kind {
	case "session_meta", "event_msg", "response_item", "":
		r.Object(func(name []byte) {
			if l.kind == "session_meta" || l.kind == "" && !isEventMember[string(name)] {
				l.readMeta(r, string(name))
			} else {
				l.readEvent(r, string(name))
			}
		})
	}
}

// isEventMember has the members of a payload that no session_meta has. They decide where the type comes
// late.
var isEventMember = map[string]bool{"type": true, "role": true, "num_turns": true, "message": true, "images": true,
	"local_images": true, "content": true, "item": true}

func (l *codexLine) readMeta(r *jsonl.Reader, name string) {
	switch name {
	case "cwd":
		l.cwd, _ = r.String(maxPath)
	case "timestamp":
		l.started = short(r)
	case "history_mode":
		l.mode = short(r)
	case "parent_thread_id":
		l.parent = short(r)
	case "thread_source":
		source := short(r)
		l.side = l.side || source == "subagent" || source == "memory_consolidation"
	case "source":
		l.readSource(r)
	case "history_base":
		r.Object(func(name []byte) {
			switch string(name) {
			case "thread_id":
				l.base = short(r)
			case "end_ordinal_exclusive":
				if n, ok := r.Int(); ok {
					l.baseEnd = n
				}
			}
		})
	}
}

// readSource reads the source of a thread. It is an object that names the parent for a thread that
// another one started, else a word.
func (l *codexLine) readSource(r *jsonl.Reader) {
	if r.Kind() != '{' {
		return
	}
	r.Object(func(name []byte) {
		switch string(name) {
		case "subagent", "subAgent", "sub_agent":
			l.side = true
		}
		if r.Kind() != '{' {
			return
		}
		r.Object(func([]byte) {
			if r.Kind() != '{' {
				return
			}
			r.Object(func(name []byte) {
				if string(name) == "parent_thread_id" {
					l.parent = short(r)
				}
			})
		})
	})
}

func (l *codexLine) readEvent(r *jsonl.Reader, name string) {
	switch {
	case name == "type":
		l.payload = short(r)
	case name == "role":
		l.role = short(r)
	case l.useless():
	case name == "num_turns":
		l.turns, _ = r.Int()
	case name == "message":
		l.message = readText(r)
	case name == "images" || name == "local_images":
		r.Array(func() { l.images = true })
	case name == "content":
		l.readContent(r)
	case name == "item":
		r.Object(func(name []byte) {
			switch string(name) {
			case "type":
				l.item = short(r)
			case "content":
				if l.item == "" || l.item == userItem {
					l.readContent(r)
				}
			}
		})
	}
}

// useless reports whether the type of the payload, as far as it is known by now, says that no request
// is in it. The rest is then skipped: outputs of tools are most of a rollout.
func (l *codexLine) useless() bool {
	switch l.payload {
	case "", "user_message", "item_completed", "thread_rolled_back":
		return false
	case "message":
		return l.role != "" && l.role != "user"
	}
	return true
}

// userItem is the type of an item that the user wrote.
const userItem = "UserMessage"

func (l *codexLine) readContent(r *jsonl.Reader) {
	r.Array(func() {
		switch b := readBlock(r); {
		case b.text.text != "":
			l.parts = append(l.parts, b.text)
		case strings.Contains(strings.ToLower(b.kind), "image"):
			l.images = true
		}
	})
}

// requestIn returns what the user asks in this line and in which kind of line that is; notAsked for a
// line without one.
func (l *codexLine) requestIn() (text, source) {
	var t text
	from := notAsked
	switch {
	case l.kind == "event_msg" && l.payload == "user_message":
		t, from = l.message, inEvent
	case l.kind == "event_msg" && l.payload == "item_completed" && l.item == userItem:
		t, from = joined(l.parts, ""), inItem
	case l.kind == "response_item" && l.payload == "message" && l.role == "user":
		t, from = joined(l.typed(), ""), inMessage
	}
	t.text = behindContext(t.text)
	if t.text == "" {
		if from == notAsked || !l.images {
			return text{}, notAsked
		}
		t.text = imageOnly
	}
	return t, from
}

// typed returns the parts of a message that the user typed. Codex injects the others: elements such as
// <environment_context>, and the instructions of a project.
func (l *codexLine) typed() (out []text) {
	for _, p := range l.parts {
		trimmed := strings.TrimSpace(p.text)
		if !isBlock(trimmed) && !strings.HasPrefix(trimmed, "# AGENTS.md instructions") {
			out = append(out, p)
		}
	}
	return out
}

// isBlock reports whether a text is one element from end to end.
func isBlock(s string) bool {
	begin, _, ok := strings.Cut(s, ">")
	if !ok || !strings.HasPrefix(begin, "<") {
		return false
	}
	tag, _, _ := strings.Cut(begin[1:], " ")
	return tag != "" && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == "" &&
		strings.HasSuffix(s, "</"+tag+">")
}

// requestMark is the line behind which an editor or the app puts the request; what is open in the
// editor stands before it.
const requestMark = "## My request for Codex:"

// behindContext returns a request without the context of an editor.
func behindContext(s string) string {
	at := 0
	if !strings.HasPrefix(s, requestMark) {
		if at = strings.Index(s, "\n"+requestMark) + 1; at == 0 {
			return strings.TrimSpace(s)
		}
	}
	return strings.TrimSpace(s[at+len(requestMark):])
}
