package recall

import (
	"path"
	"slices"
	"strings"

	"lspi/tools/recall/jsonl"
)

// claudeFormat reads the transcripts of Claude Code.
var claudeFormat = &format{
	lines: func(r ref) lines { return newClaudeLog(r) },
	text: func(r *jsonl.Reader, _ int) (text, bool) {
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

// claudeLog is what the lines of a transcript say. What no longer leads to the last line was taken back.
type claudeLog struct {
	tree
	prompt int32    // the line that a last-prompt behind the last line names, else -1
	tools  []string // ids of the last calls of tools, at most maxTools
}

func newClaudeLog(r ref) *claudeLog { return &claudeLog{tree: newTree(r), prompt: -1} }

// maxTools is how many calls of tools are remembered. The call that asks lspi is among the last ones of
// its transcript.
const maxTools = 256

// take adds the present line of r. A line that is not whole or not valid is left out.
func (c *claudeLog) take(r *jsonl.Reader) {
	l := readClaudeLine(r)
	if r.End() != nil {
		return
	}
	c.takeHead(l.time, l.cwd)
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

// takeNode adds a line to the tree. Behind a compaction it follows the line that the compaction names.
func (c *claudeLog) takeNode(l claudeLine, offset int64) {
	t, isRequest := l.requestIn()
	var request *asked
	if isRequest {
		request = &asked{newEntry(c.ref, offset, 0, t, timeOf(l.time)), strings.HasPrefix(t.text, "/"), false}
	}
	up, isNew := c.add(l.uuid, request, l.parent, l.logical)
	if !isNew {
		return
	}
	c.prompt = -1 // the note of the last prompt is about the lines before it
	if l.answersCommand() {
		c.answered(up)
	}
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

func (c *claudeLog) entries() []entry { return c.branch(c.leaf()) }

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

func (c *claudeLog) size() int { return c.tree.size() + len(c.tools)*64 }
