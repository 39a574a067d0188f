package recall

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"lspi/tools/recall/jsonl"
)

// claudeFormat reads the transcripts of Claude Code.
var claudeFormat = &format{
	lines: func(r ref) lines { return newClaudeLog(r) },
	text: func(r *jsonl.Reader) (text, bool) {
		l := readClaudeLine(r)
		t, ok := l.requestIn()
		return t, r.End() == nil && ok
	},
}

// claudeName returns the session of a file in the projects folder: SLUG/SESSION.jsonl. Deeper files are
// of sub-agents, and so are files beside it that begin with agent- (early versions put them there).
func claudeName(name string) (session string, ok bool) {
	stem, ok := strings.CutSuffix(path.Base(name), ".jsonl")
	return stem, ok && strings.Count(name, "/") == 1 && stem != "" && !strings.HasPrefix(stem, "agent-")
}

// node identifies a line: a checksum of its uuid. It takes less memory than the uuid as text, and a
// transcript may have a hundred thousand lines.
type node [16]byte

// nodeOf returns the checksum of a uuid.
func nodeOf(uuid string) (n node) {
	h := fnv.New128a()
	_, _ = h.Write([]byte(uuid))
	h.Sum(n[:0])
	return n
}

// claudeLog is what the lines of a transcript say. Each line names the one before it (parentUuid), so
// the lines form a tree: a rewind begins a new branch at an earlier line. Only the branch that ends
// with the last line holds; what the user asked on other branches was taken back.
type claudeLog struct {
	ref    ref
	begin  head
	number map[node]int32 // a line's place in the order of the file
	up     []int32        // for each line the one before it in its branch; always a smaller number, -1 for none
	entry  []int32        // for each line the index of its request in asked, -1 for none
	asked  []asked        // on all branches, in the order of the file
	prompt int32          // the line that a last-prompt behind the last line names, else -1
	tools  []string       // ids of the last calls of tools, at most maxTools
}

// asked is a request, or a command of the client that may turn out not to be one.
type asked struct {
	entry
	command bool
	local   bool // answered by the client itself, such as /cost
}

func newClaudeLog(r ref) *claudeLog { return &claudeLog{ref: r, number: map[node]int32{}, prompt: -1} }

// maxTools is how many calls of tools are remembered. The call that asks lspi is among the last ones of
// its transcript.
const maxTools = 256

// take adds the present line of r. A line that is not whole or not valid is left out.
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

// takeHead takes the start and the folder of the session from the first lines that have them.
func (c *claudeLog) takeHead(l claudeLine) {
	if c.begin.started.IsZero() {
		c.begin.started = timeOf(l.time)
	}
	if c.begin.cwd == "" && l.cwd != "" {
		c.begin.cwd, c.begin.whole = l.cwd, true
	}
}

// takeNode adds a line to the tree. A uuid that comes twice keeps its first place.
func (c *claudeLog) takeNode(l claudeLine, offset int64) {
	id := nodeOf(l.uuid)
	if _, ok := c.number[id]; ok {
		return
	}
	// The note of the last prompt is about the lines before it.
	c.prompt = -1
	t, isRequest := l.requestIn()
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

// answered marks the command before line n as one that the client itself answered (/cost), which is no
// request. It looks a few lines back: a copied session has an empty message of the model in between
// (2.1.197).
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

// before returns the line before l: the one that it names, or behind a compaction the one that the
// compaction names. A line that names none, or one that is not in the file, follows the line before it
// in the file, so that a gap does not lose what was asked before it. Only a request without a parent
// begins a new branch: the user rewound to the very beginning.
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

// entries walks from the end of the branch that holds to its beginning.
func (c *claudeLog) entries() (out []entry) {
	for n := c.leaf(); n >= 0; n = c.up[n] {
		if e := c.entry[n]; e >= 0 && !c.asked[e].local {
			out = append(out, c.asked[e].entry)
		}
	}
	slices.Reverse(out)
	return out
}

// leaf returns the end of the branch that holds: the last line, unless a last-prompt line behind it
// names another branch. In the middle of a turn such lines also name a line of the same branch
// (2.1.197), which changes nothing.
func (c *claudeLog) leaf() int32 {
	last := int32(len(c.up)) - 1
	if c.prompt < 0 {
		return last
	}
	// The note names a line of the same branch: it changes nothing.
	for n := last; n >= c.prompt; n = c.up[n] {
		if n == c.prompt {
			return last
		}
	}
	return c.prompt
}

func (c *claudeLog) calls(id string) bool { return slices.Contains(c.tools, id) }

// size estimates the memory: per line a map entry and two numbers.
func (c *claudeLog) size() int {
	return entrySize + len(c.up)*64 + len(c.asked)*entrySize + len(c.tools)*64
}
