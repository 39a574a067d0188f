package recall

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"lspi/tools/recall/jsonl"
)

var claudeFormat = &format{
	lines: func(r ref) lines { return newClaudeLog(r) },
	text: func(r *jsonl.Reader) (text, bool) {
		l := readClaudeLine(r)
		t, ok := l.request()
		return t, r.End() == nil && ok
	},
}

// claudeName is the session that a file of the projects folder holds: SLUG/SESSION.jsonl. What is deeper is of
// sub-agents, and so were, in early versions, the files beside it that begin with agent-.
func claudeName(name string) (session string, ok bool) {
	stem, ok := strings.CutSuffix(path.Base(name), ".jsonl")
	return stem, ok && strings.Count(name, "/") == 1 && stem != "" && !strings.HasPrefix(stem, "agent-")
}

// node is a checksum of the uuid of a line.
type node [16]byte

func nodeOf(uuid string) (n node) {
	h := fnv.New128a()
	_, _ = h.Write([]byte(uuid))
	h.Sum(n[:0])
	return n
}

// claudeLog is what the lines of a transcript say. Each line names the one before it, so that the lines are a tree:
// rewinding begins a new branch at an earlier line, and what the branch of the last line does not have was taken
// back.
type claudeLog struct {
	ref    ref
	begin  head
	number map[node]int32 // of each line in the tree, in the order of the file
	up     []int32        // the line before each; less than its own number, -1 for none
	entry  []int32        // the request in each, -1 for none
	asked  []asked
	prompt int32 // the line that a last-prompt behind the last line names, else -1
	tools  []string
}

// asked is a request, or a command that may turn out to be none.
type asked struct {
	entry
	command bool
	local   bool // answered by the client itself, such as /cost
}

func newClaudeLog(r ref) *claudeLog { return &claudeLog{ref: r, number: map[node]int32{}, prompt: -1} }

// maxTools is how many calls of tools are remembered; the one that asks is among the last.
const maxTools = 256

func (c *claudeLog) take(r *jsonl.Reader) {
	l := readClaudeLine(r)
	if r.End() != nil {
		return
	}
	c.takeHead(l)
	c.tools = append(c.tools, l.tools...)
	c.tools = c.tools[max(0, len(c.tools)-maxTools):]
	switch {
	case l.kind == "last-prompt":
		if n, ok := c.number[nodeOf(l.leaf)]; ok {
			c.prompt = n
		}
	case l.uuid != "" && !l.sidechain:
		c.takeNode(l, r.Start())
	}
}

func (c *claudeLog) takeHead(l claudeLine) {
	if c.begin.started.IsZero() {
		c.begin.started = timeOf(l.time)
	}
	if c.begin.cwd == "" && l.cwd != "" {
		c.begin.cwd, c.begin.whole = l.cwd, true
	}
}

// takeNode adds a line to the tree. A line that is there twice stays where it was first.
func (c *claudeLog) takeNode(l claudeLine, offset int64) {
	id := nodeOf(l.uuid)
	if _, ok := c.number[id]; ok {
		return
	}
	c.prompt = -1
	t, isRequest := l.request()
	up := c.before(l, isRequest)
	if l.answersCommand() {
		c.answered(up)
	}
	entryNumber := int32(-1)
	if isRequest {
		entryNumber = int32(len(c.asked))
		c.asked = append(c.asked, asked{entry{c.ref, offset, sum(t.text), -1, timeOf(l.time), preview(t.text)},
			strings.HasPrefix(t.text, "/"), false})
	}
	c.number[id] = int32(len(c.up))
	c.up, c.entry = append(c.up, up), append(c.entry, entryNumber)
}

// answered notes that the client itself answered the command before a line. A copy of the session has an empty
// message of the model between them (2.1.197).
func (c *claudeLog) answered(n int32) {
	for range 4 {
		if n < 0 {
			return
		}
		if e := c.entry[n]; e >= 0 {
			c.asked[e].local = c.asked[e].command
			return
		}
		n = c.up[n]
	}
}

// before is the line before l: that which it names, behind a compaction that of the conversation before it. A line
// that names none, or one that is not there, follows the last one, so that a gap does not lose what was asked
// before it; only a request that names none begins anew: the first request was rewound.
func (c *claudeLog) before(l claudeLine, isRequest bool) int32 {
	for _, name := range []string{l.parent, l.logical} {
		if n, ok := c.number[nodeOf(name)]; ok && name != "" {
			return n
		}
	}
	if isRequest && l.parent == "" {
		return -1
	}
	return int32(len(c.up)) - 1
}

func (c *claudeLog) head() head { return c.begin }

func (c *claudeLog) requests() (out []entry) {
	for n := c.leaf(); n >= 0; n = c.up[n] {
		if e := c.entry[n]; e >= 0 && !c.asked[e].local {
			out = append(out, c.asked[e].entry)
		}
	}
	slices.Reverse(out)
	return out
}

// leaf is the end of the branch that holds: the last line, unless the client noted another branch behind it. It
// also notes lines of the same branch that are not its end, in the middle of a turn (2.1.197).
func (c *claudeLog) leaf() int32 {
	last := int32(len(c.up)) - 1
	if c.prompt < 0 {
		return last
	}
	for n := last; n >= c.prompt; n = c.up[n] {
		if n == c.prompt {
			return last
		}
	}
	return c.prompt
}

func (c *claudeLog) calls(id string) bool { return slices.Contains(c.tools, id) }

// size counts per line what a map and two numbers take.
func (c *claudeLog) size() int {
	return entrySize + len(c.up)*64 + len(c.asked)*entrySize + len(c.tools)*64
}
