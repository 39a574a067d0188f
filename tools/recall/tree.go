package recall

import (
	"hash/fnv"
	"slices"

	"lspi/tools/recall/jsonl"
)

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

// tree is what transcripts say whose lines name the line before them, as those of Claude Code and Qwen Code do: a
// rewind begins a new branch at an earlier line. Only one branch holds; what the user asked on others was taken back.
type tree struct {
	ref    ref
	begin  head
	number map[node]int32 // a line's place in the order of the file
	up     []int32        // for each line the one before it in its branch; always a smaller number, -1 for none
	entry  []int32        // for each line the index of its request in asked, -1 for none
	asked  []asked        // on all branches, in the order of the file
}

// asked is a request, or a command of the client that may turn out not to be one.
type asked struct {
	entry
	command bool
	local   bool // answered by the client itself, such as /cost
}

func newTree(r ref) tree { return tree{ref: r, number: map[node]int32{}} }

// takeHead takes the start and the folder of the session from the first lines that have them.
func (c *tree) takeHead(at, cwd string) {
	if c.begin.started.IsZero() {
		c.begin.started = timeOf(at)
	}
	if c.begin.cwd == "" && cwd != "" {
		c.begin.cwd, c.begin.whole = cwd, true
	}
}

// add adds a line and returns the one before it. request is nil for a line without one; parents are the names of the
// line before it, the best first. A uuid that comes twice keeps its first place, and the second line is not added.
func (c *tree) add(uuid string, request *asked, parents ...string) (up int32, isNew bool) {
	id := nodeOf(uuid)
	if _, ok := c.number[id]; ok {
		return -1, false
	}
	up = c.before(request != nil, parents)
	entryNumber := int32(-1)
	if request != nil {
		entryNumber = int32(len(c.asked))
		c.asked = append(c.asked, *request)
	}
	c.number[id] = int32(len(c.up))
	c.up, c.entry = append(c.up, up), append(c.entry, entryNumber)
	return up, true
}

// before returns the line before one that is added: the first of its parents that is there. A line that names none, or
// one that is not in the file, follows the line before it in the file, so that a gap does not lose what was asked
// before it. Only a request without a parent begins a new branch: the user rewound to the very beginning.
func (c *tree) before(isRequest bool, parents []string) int32 {
	for _, name := range parents {
		if n, ok := c.number[nodeOf(name)]; ok && name != "" {
			return n
		}
	}
	if isRequest && parents[0] == "" {
		return -1
	}
	return int32(len(c.up)) - 1
}

func (c *tree) head() head { return c.begin }

// last returns the last line; -1 for none.
func (c *tree) last() int32 { return int32(len(c.up)) - 1 }

// branch returns the requests of the branch that ends at a line.
func (c *tree) branch(leaf int32) (out []entry) {
	for n := leaf; n >= 0; n = c.up[n] {
		if e := c.entry[n]; e >= 0 && !c.asked[e].local {
			out = append(out, c.asked[e].entry)
		}
	}
	slices.Reverse(out)
	return out
}

// size estimates the memory: per line a map entry and two numbers.
func (c *tree) size() int { return entrySize + len(c.up)*64 + len(c.asked)*entrySize }

// treeLine is what each line of such a transcript has; fields that the line lacks are zero.
type treeLine struct {
	kind, subtype, time, cwd, uuid, parent string
}

// read takes a member; false for one that is none of these.
func (l *treeLine) read(r *jsonl.Reader, name string) bool {
	switch name {
	case "type":
		l.kind = short(r)
	case "subtype":
		l.subtype = short(r)
	case "timestamp":
		l.time = short(r)
	case "cwd":
		l.cwd, _ = r.String(maxPath)
	case "uuid":
		l.uuid = short(r)
	case "parentUuid":
		l.parent = short(r)
	default:
		return false
	}
	return true
}
