package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/jsonline"
)

// lineTooLong is a line beyond the limit. It was skipped, and the next one can be read.
type lineTooLong struct {
	limit int
	head  skippedHead
}

func (e *lineTooLong) Error() string {
	return fmt.Sprintf("a message is longer than the limit of %d bytes", e.limit)
}

// refusal is the answer to the message, by its id when that could be told.
func (e *lineTooLong) refusal() *refusal {
	id, _ := readID(bytes.TrimSpace(e.head.id))
	if !json.Valid(id) {
		id = nil
	}
	return &refusal{code: jsonrpc.CodeInvalidRequest, id: id, err: e, silent: e.head.response || e.head.method &&
		e.head.id == nil}
}

// nextLine returns a copy of the next line, or why there is none. The unterminated rest comes with the end of the
// input.
func nextLine(in *jsonline.Reader, limit int) inputLine {
	part, whole, err := in.Next()
	if whole {
		return inputLine{bytes.Clone(part), err}
	}
	tooLong := &lineTooLong{limit: limit}
	for tooLong.head.scan(part); err == nil && !jsonline.Ends(part); tooLong.head.scan(part) {
		part, _, err = in.Next()
	}
	return inputLine{err: tooLong} // the next call finds the end of the input again
}

// skippedHead reads from a message that is not kept, byte by byte, what tells how to answer it: the members of the
// outer object. It believes that the message is JSON.
type skippedHead struct {
	depth             int
	quoted, escaped   bool // within a string, behind its backslash
	inValue, inID     bool // behind the colon of a member of the outer object; of the id
	name              []byte
	id                []byte // nil when there is none
	method, response  bool   // there is such a member
	notObject, closed bool
}

func (h *skippedHead) scan(part []byte) {
	for _, c := range part {
		if h.notObject || h.closed {
			return
		}
		h.next(c)
	}
}

func (h *skippedHead) next(c byte) {
	if h.quoted {
		h.keep(c)
		h.quoted = h.escaped || c != '"'
		h.escaped = !h.escaped && c == '\\'
		return
	}
	switch c {
	case '"':
		h.quoted = true
		if h.depth == 1 && !h.inValue {
			h.name = h.name[:0]
		}
	case '{', '[':
		h.depth++
		h.notObject = h.depth == 1 && c != '{'
		return
	case '}', ']':
		h.depth--
		h.closed = h.depth == 0
		return
	case ':':
		if h.depth == 1 {
			h.inValue = true
			h.member(string(bytes.TrimSpace(h.name)))
			return
		}
	case ',':
		if h.depth == 1 {
			h.inValue, h.inID = false, false
			return
		}
	}
	h.notObject = h.depth == 0 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(c))
	h.keep(c)
}

// member notes a member of the outer object.
func (h *skippedHead) member(name string) {
	switch name {
	case `"method"`:
		h.method = true
	case `"result"`, `"error"`:
		h.response = true
	case `"id"`:
		h.id, h.inID = []byte{}, true
	}
}

// keep keeps the names of the outer object's members, as far as they may be one that counts, and the value of the
// id, as far as it may be one that can be repeated.
func (h *skippedHead) keep(c byte) {
	switch {
	case h.depth != 1:
	case !h.inValue && len(h.name) < len(`"method"`)+1:
		h.name = append(h.name, c)
	case h.inID && len(h.id) <= jsonline.MaxID:
		h.id = append(h.id, c)
	}
}
