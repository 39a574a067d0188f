package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"lspi/tools/recall/jsonl"
)

// opencodeFormat reads the database of opencode ([opencodeStore]), and where there is none the files in which it kept
// sessions before: a document for each session, message and part of a message. Their places and members are those that
// opencode 1.18.33 itself moves into its database; the files of an older version were not seen.
var opencodeFormat = &format{
	stored: opencodeStore{},
	lines:  func(r ref) lines { return &opencodeLog{ref: r} },
	text: func(r *jsonl.Reader, _ int) (text, bool) {
		p := readOpencodePart(r)
		return p.text, r.End() == nil && p.typed()
	},
}

// opencodeName returns the session of a file: session/PROJECT/SESSION.json.
func opencodeName(name string) (session string, ok bool) {
	return stem(name), strings.HasPrefix(name, "session/") && strings.Count(name, "/") == 2 &&
		strings.HasSuffix(name, ".json")
}

// opencodeLog is a session. Its document changes with each message, so that the messages are read again only then.
type opencodeLog struct {
	ref      ref
	begin    head
	reverted string // the first message that was taken back; "" for none. Ids are in the order of time.
	asked    []entry
}

func (c *opencodeLog) take(r *jsonl.Reader) {
	var h head
	reverted := ""
	r.Object(func(name []byte) {
		switch string(name) {
		case "directory":
			h.cwd, _ = r.String(maxPath)
		case "parentID":
			h.parent = short(r)
		case "time":
			h.started = created(r)
		case "revert":
			r.Object(func(name []byte) {
				if string(name) == "messageID" {
					reverted = short(r)
				}
			})
		}
	})
	if r.End() != nil {
		return
	}
	h.side, h.whole = h.parent != "", true
	c.begin, c.reverted = h, reverted
}

// created reads when something was made, of an object with its times.
func created(r *jsonl.Reader) (at time.Time) {
	r.Object(func(name []byte) {
		if string(name) == "created" {
			at = milliseconds(r)
		}
	})
	return at
}

// maxMessages bounds how many messages of a session are looked at, the first ones.
const maxMessages = 1 << 16

// gather reads the requests in the messages of the session. What cannot be read is left out.
func (c *opencodeLog) gather(ctx context.Context) error {
	root, err := os.OpenRoot(c.ref.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	c.asked = nil
	for _, file := range namesIn(root, path.Join("message", stem(c.ref.name))) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		id := stem(file)
		if c.reverted != "" && id >= c.reverted {
			break
		}
		if at, ok := askedAt(ctx, root, file); ok {
			c.gatherParts(ctx, root, id, at)
		}
	}
	return nil
}

// askedAt returns when a message was written, of the user only.
func askedAt(ctx context.Context, root *os.Root, file string) (at time.Time, ok bool) {
	role := ""
	err := readDocument(ctx, root, file, func(r *jsonl.Reader) {
		r.Object(func(name []byte) {
			switch string(name) {
			case "role":
				role = short(r)
			case "time":
				at = created(r)
			}
		})
	})
	return at, err == nil && role == "user"
}

// gatherParts adds the first part of a message that the user typed: the others are files that it names.
func (c *opencodeLog) gatherParts(ctx context.Context, root *os.Root, message string, at time.Time) {
	for _, file := range namesIn(root, path.Join("part", message)) {
		var p opencodePart
		err := readDocument(ctx, root, file, func(r *jsonl.Reader) { p = readOpencodePart(r) })
		if err == nil && p.typed() {
			c.asked = append(c.asked, newEntry(ref{c.ref.folder, file}, 0, 0, p.text, at))
			return
		}
	}
}

// namesIn returns the paths of the documents in a folder, sorted.
func namesIn(root *os.Root, dir string) (out []string) {
	all, _ := fs.ReadDir(root.FS(), dir)
	for _, d := range all[:min(len(all), maxMessages)] {
		if d.Type().IsRegular() && strings.HasSuffix(d.Name(), ".json") {
			out = append(out, path.Join(dir, d.Name()))
		}
	}
	slices.Sort(out)
	return out
}

// readDocument reads a document below root by take.
func readDocument(ctx context.Context, root *os.Root, name string, take func(*jsonl.Reader)) error {
	f, err := openIn(root, name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := jsonl.NewDocument(ctx, f, 0)
	if !r.Next() {
		return cmp.Or(r.Err(), errors.New("it is empty"))
	}
	take(r)
	return r.End()
}

// opencodePart is a part of a message. A synthetic one is of the client, an ignored one is not for the model.
type opencodePart struct {
	kind               string
	text               text
	synthetic, ignored bool
}

func readOpencodePart(r *jsonl.Reader) (p opencodePart) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "type":
			p.kind = short(r)
		case "text":
			p.text = readText(r)
		case "synthetic":
			p.synthetic = r.Bool()
		case "ignored":
			p.ignored = r.Bool()
		}
	})
	return p
}

func (p opencodePart) typed() bool {
	return p.kind == "text" && !p.synthetic && !p.ignored && strings.TrimSpace(p.text.text) != ""
}

func (c *opencodeLog) head() head        { return c.begin }
func (c *opencodeLog) entries() []entry  { return append([]entry(nil), c.asked...) }
func (c *opencodeLog) calls(string) bool { return false }
func (c *opencodeLog) size() int         { return entrySize + len(c.asked)*entrySize }
