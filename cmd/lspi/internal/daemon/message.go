package daemon

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"lspi/internal/jsonline"
)

// head is what tells the messages of JSON-RPC apart.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  json.RawMessage `json:"error"`
}

func (h head) isCall() bool     { return h.Method != "" && answeredByID(h.ID) }
func (h head) isResponse() bool { return h.Method == "" && len(h.ID) > 0 }
func (h head) key() string      { return idKey(h.ID) }

// answeredByID reports whether a request is answered by its id: one without an id is a notification, and one whose
// id is neither a string nor a number, or too long, is refused without it.
func answeredByID(id json.RawMessage) bool {
	return len(id) > 0 && len(id) <= jsonline.MaxID && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// idKey is the same text for all ways in which JSON can write an id. A host may write it in another way than lspi
// does in its answer: "a\/b" is "a/b" there, and 1.0 is 1.
func idKey(id json.RawMessage) string {
	switch {
	case len(id) == 0:
	case id[0] != '"':
		if n, err := strconv.ParseFloat(string(id), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return strconv.FormatInt(int64(n), 10)
		}
	case bytes.ContainsFunc(id, func(r rune) bool {
		return r >= utf8.RuneSelf || r == '\\' || r == '<' || r == '>' || r == '&'
	}):
		var text string
		if json.Unmarshal(id, &text) == nil {
			same, _ := json.Marshal(text)
			return string(same)
		}
	}
	return string(id)
}

// params are what is read of those of tools/call and initialize.
type params struct {
	ClientInfo struct {
		Name string `json:"name"`
	} `json:"clientInfo"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// headsOf are the heads of a line: one, or those of a batch; none of what is no message.
func headsOf(line []byte) []head {
	if h, ok := quickHead(line); ok {
		return []head{h}
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if line[0] == '[' {
		var all []head
		_ = json.Unmarshal(line, &all)
		return all
	}
	var h head
	if json.Unmarshal(line, &h) != nil {
		return nil
	}
	return []head{h}
}

// As the SDK writes them (go-sdk 1.8.0): the result of an answer, which may be long, comes last.
const (
	beginsWithID = `{"jsonrpc":"2.0","id":`
	beginsResult = `,"result":`
)

// quickHead is the head of a result as lspi writes it, without reading all of it; false for all else.
func quickHead(line []byte) (head, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(beginsWithID))
	if !ok {
		return head{}, false
	}
	end := bytes.IndexByte(rest, ',')
	if end <= 0 || rest[0] == '"' && (end < 2 || rest[end-1] != '"' || bytes.IndexByte(rest[1:end-1], '"') >= 0 ||
		bytes.IndexByte(rest[:end], '\\') >= 0) {
		return head{}, false
	}
	if !bytes.HasPrefix(rest[end:], []byte(beginsResult)) {
		return head{}, false
	}
	return head{ID: rest[:end]}, true
}

// withID is a message with another id.
func withID(line []byte, id json.RawMessage) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, err
	}
	all["id"] = id
	out, err := json.Marshal(all)
	return append(out, '\n'), err
}

// response is an answer that the relay gives itself.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r response) line() []byte {
	r.JSONRPC = "2.0"
	out, _ := json.Marshal(r) // of JSON that was decoded before
	return append(out, '\n')
}
