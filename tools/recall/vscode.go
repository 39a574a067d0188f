package recall

import (
	"context"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"lspi/tools/recall/jsonl"
)

// vscodeFormat reads the chats of VS Code, by source (microsoft/vscode: chatSessionStore.ts,
// chatSessionOperationLog.ts, objectMutationLog.ts; chatModel.ts for the documents of 2025): a document, or a log of
// what changes in it. The folder of a window stands in workspace.json; one of another machine, or of several folders,
// is not known.
var vscodeFormat = &format{
	lines: func(r ref) lines { return &vscodeLog{ref: r} },
	text: func(r *jsonl.Reader, nth int) (t text, ok bool) {
		l := vscodeLine{number: -1}
		l.read(r, func(n int, q vscodeRequest) {
			if n == nth {
				t, ok = q.text, q.text.text != ""
			}
		})
		return t, r.End() == nil && ok
	},
	workspace: func(root *os.Root, name string) string {
		window, _, _ := strings.Cut(name, "/")
		return windowFolder(besideIt(root, path.Join(window, "workspace.json")))
	},
}

// vscodeFolders are where VS Code, its Insiders, VSCodium and a build of the source keep what belongs to a window.
// user-data is that of a portable one.
var vscodeFolders = []string{"Code/User/workspaceStorage", "Code - Insiders/User/workspaceStorage",
	"VSCodium/User/workspaceStorage", "Code - OSS/User/workspaceStorage", "user-data/User/workspaceStorage"}

// vscodeName returns the session of a file: WINDOW/chatSessions/SESSION.jsonl, or .json.
func vscodeName(name string) (session string, ok bool) {
	return stem(name), strings.Count(name, "/") == 2 && stem(name) != ""
}

// windowFolder returns the folder that a workspace.json names; "" for none on this machine.
func windowFolder(raw string) (dir string) {
	r := jsonl.NewDocument(context.Background(), strings.NewReader(raw), 0)
	if !r.Next() {
		return ""
	}
	r.Object(func(name []byte) {
		if string(name) == "folder" {
			dir, _ = r.String(maxPath)
		}
	})
	u, err := url.Parse(dir)
	if r.End() != nil || err != nil || u.Scheme != "file" || u.Host != "" {
		return ""
	}
	if dir = u.Path; runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/") // /c:/work
	}
	return filepath.FromSlash(dir)
}

// vscodeLog is what a document, or a log, says of the requests of a session.
type vscodeLog struct {
	ref      ref
	begin    head
	requests []vscodeAsked
}

// vscodeAsked is a place in the list of requests.
type vscodeAsked struct {
	entry entry
	asked bool // it says something, and the client did not write it
	gone  bool // the user took it back
}

// maxRequests bounds the list: the places come from a file.
const maxRequests = 1 << 16

func (c *vscodeLog) take(r *jsonl.Reader) {
	l := vscodeLine{number: -1}
	var all []vscodeAsked
	l.read(r, func(n int, q vscodeRequest) {
		all = append(all, vscodeAsked{newEntry(c.ref, r.Start(), n, q.text, q.time), q.text.text != "", q.gone})
	})
	if r.End() != nil {
		return
	}
	if !c.begin.whole && !l.created.IsZero() {
		c.begin = head{started: l.created, whole: true}
	}
	switch {
	case l.whole:
		c.requests = all
	case l.path[0] != "requests":
	case l.number < 0:
		if l.kind == vscodePush {
			c.requests = append(c.requests[:c.upTo(l.start)], all...)
		} else {
			c.requests = all
		}
	case l.number < len(c.requests):
		c.change(l, all)
	}
	c.requests = c.requests[:min(len(c.requests), maxRequests)]
}

// upTo returns how many requests a push leaves; start is negative where it names none.
func (c *vscodeLog) upTo(start int64) int {
	if start < 0 || start > int64(len(c.requests)) {
		return len(c.requests)
	}
	return int(start)
}

// change takes a line that changes one request, or its message.
func (c *vscodeLog) change(l vscodeLine, all []vscodeAsked) {
	q := &c.requests[l.number]
	switch member := slices.Concat(l.path, []string{""})[1]; {
	case member == "shouldBeRemovedOnSend":
		q.gone = l.value
	case len(all) == 0:
	case member == "":
		*q = all[0]
	case member == "message":
		at := q.entry.time
		q.entry, q.asked = all[0].entry, all[0].asked
		q.entry.time = at
	}
}

func (c *vscodeLog) head() head { return c.begin }

func (c *vscodeLog) entries() (out []entry) {
	for _, q := range c.requests {
		if q.asked && !q.gone {
			out = append(out, q.entry)
		}
	}
	return out
}

func (c *vscodeLog) calls(string) bool { return false }
func (c *vscodeLog) size() int         { return entrySize + len(c.requests)*entrySize }

// The kinds of lines of a log (objectMutationLog.ts).
const (
	vscodeInitial = iota // v is the document
	vscodeSet            // v takes the place of what stands at k
	vscodePush           // v is put behind the list at k, of which the first i elements stay
)

// vscodeLine is what is taken from a line, or a document, besides its requests.
type vscodeLine struct {
	whole   bool // it is the document
	kind    int64
	path    []string // the names in k, never empty in a line that is not whole
	number  int      // of the request that k names; -1 for none
	start   int64    // i; -1 for none
	value   bool     // v is there, and neither null nor false
	created time.Time
}

// vscodeRequest is one request.
type vscodeRequest struct {
	text text
	time time.Time
	gone bool
}

// read reads a line, whose members come in the order kind, k, v, i, or a document. It gives the requests to each, with
// their number in the line.
func (l *vscodeLine) read(r *jsonl.Reader, each func(int, vscodeRequest)) {
	l.kind, l.start = -1, -1
	r.Object(func(name []byte) {
		switch string(name) {
		case "kind":
			l.kind = number(r)
		case "k":
			l.readPath(r)
		case "i":
			l.start = number(r)
		case "v":
			kind := r.Kind()
			l.value = kind != 'n' && kind != 'f'
			l.readValue(r, each)
		default:
			l.readDocument(r, string(name), each)
		}
	})
	l.whole = l.kind == vscodeInitial || l.kind < 0
	if len(l.path) == 0 {
		l.path = []string{""}
	}
}

// number reads an integer, which some versions write as a text; -1 for anything else.
func number(r *jsonl.Reader) int64 {
	if r.Kind() == '"' {
		if s := short(r); len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
			return int64(s[0] - '0')
		}
		return -1
	}
	if n, ok := r.Int(); ok {
		return n
	}
	return -1
}

func (l *vscodeLine) readPath(r *jsonl.Reader) {
	r.Array(func() {
		switch r.Kind() {
		case '"':
			l.path = append(l.path, short(r))
		case '0':
			if n, ok := r.Int(); ok && l.number < 0 && n >= 0 && n < maxRequests {
				l.number = int(n)
			}
		}
	})
}

// readValue reads v by what k names.
func (l *vscodeLine) readValue(r *jsonl.Reader, each func(int, vscodeRequest)) {
	names := strings.Join(l.path, ".")
	switch {
	case l.kind == vscodeInitial:
		r.Object(func(name []byte) { l.readDocument(r, string(name), each) })
	case names == "requests" && l.number < 0:
		readVSCodeRequests(r, each)
	case names == "requests":
		each(0, readVSCodeRequest(r))
	case names == "requests.message", names == "requests.message.text":
		each(0, vscodeRequest{text: readVSCodeMessage(r)})
		l.path = l.path[:2]
	}
}

func (l *vscodeLine) readDocument(r *jsonl.Reader, name string, each func(int, vscodeRequest)) {
	switch name {
	case "creationDate":
		l.created = milliseconds(r)
	case "requests":
		readVSCodeRequests(r, each)
	}
}

func readVSCodeRequests(r *jsonl.Reader, each func(int, vscodeRequest)) {
	n := 0
	r.Array(func() {
		each(n, readVSCodeRequest(r))
		n++
	})
}

// readVSCodeRequest reads a request; the answer, which is most of it, is skipped.
func readVSCodeRequest(r *jsonl.Reader) (q vscodeRequest) {
	system, attached := false, false
	r.Object(func(name []byte) {
		switch string(name) {
		case "message":
			q.text = readVSCodeMessage(r)
		case "timestamp":
			q.time = milliseconds(r)
		case "shouldBeRemovedOnSend":
			kind := r.Kind()
			q.gone = q.gone || kind == '{' || kind == 't'
		case "isHidden":
			q.gone = r.Bool() || q.gone
		case "isSystemInitiated":
			system = r.Bool()
		case "variableData":
			attached = readVSCodeImages(r)
		}
	})
	if q.text.text == "" && attached {
		q.text.text = imageOnly
	}
	if system {
		q.text = text{}
	}
	return q
}

// readVSCodeMessage reads a message: an object with its text, or the text.
func readVSCodeMessage(r *jsonl.Reader) (t text) {
	if r.Kind() == '"' {
		t = readText(r)
	} else {
		r.Object(func(name []byte) {
			if string(name) == "text" {
				t = readText(r)
			}
		})
	}
	t.text = strings.TrimSpace(t.text)
	return t
}

// readVSCodeImages reports whether an image is attached to a request.
func readVSCodeImages(r *jsonl.Reader) (has bool) {
	r.Object(func(name []byte) {
		if string(name) != "variables" {
			return
		}
		r.Array(func() {
			r.Object(func(name []byte) {
				if string(name) == "kind" {
					has = short(r) == "image" || has
				}
			})
		})
	})
	return has
}

// milliseconds reads a time in milliseconds of Unix time; zero for anything else.
func milliseconds(r *jsonl.Reader) time.Time {
	if n, ok := r.Int(); ok && n > 0 {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}
