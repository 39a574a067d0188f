package stdio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/contract"
	"lspi/internal/jsonline"
)

// refusal is why something that the host sent is no message of JSON-RPC.
type refusal struct {
	code   int64
	id     json.RawMessage // of the request, as it was given; nil when that cannot be told
	err    error
	silent bool // it is meant as an answer, or as a notification, to which nobody waits for one
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: %.300s", refusalTitles[r.code], r.err) // decoders quote all that they do not like
}

var refusalTitles = map[int64]string{jsonrpc.CodeParseError: "parse error",
	jsonrpc.CodeInvalidRequest: "invalid request"}

// answer is the response as JSON. The SDK's own type leaves an id of null out, which JSON-RPC demands here.
func (r *refusal) answer() []byte {
	line, _ := contract.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", r.id, jsonrpc.Error{Code: r.code, Message: r.Error()}})
	return line
}

func invalidRequest(id json.RawMessage, format string, args ...any) *refusal {
	return &refusal{code: jsonrpc.CodeInvalidRequest, id: id, err: fmt.Errorf(format, args...)}
}

// parseError is the refusal of what is no JSON.
func parseError(err error) *refusal {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		err = fmt.Errorf("%w, at byte %d of the line", err, syntax.Offset)
	}
	return &refusal{code: jsonrpc.CodeParseError, err: err}
}

// kinds are the kinds of JSON values with their article, where encoding/json has other words than "a number" and
// the like.
var kinds = map[string]string{"array": "an array", "bool": "a boolean"}

// messageHead is what tells a request from a response, as it stands there.
type messageHead struct{ ID, Method, Result, Error json.RawMessage }

// decodeMessage decodes one message. It refuses what the SDK's decoder does, and what that takes for something else
// (go-sdk 1.8.0): anything behind the message is dropped there, 1.5 becomes the id 1, an object with an id and no
// method a response without a result, and a request without an id a notification that nobody ever answers.
func decodeMessage(text []byte) (jsonrpc.Message, *refusal) {
	var head messageHead
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &head); {
	case errors.As(err, &wrongType):
		return nil, invalidRequest(nil, "a message is a JSON object, not %s",
			cmp.Or(kinds[wrongType.Value], "a "+wrongType.Value))
	case err != nil:
		return nil, parseError(err)
	}
	m, wrong := head.decode(text)
	if wrong != nil {
		wrong.silent = head.ID == nil && head.Method != nil || head.Method == nil &&
			(head.Result != nil || head.Error != nil)
	}
	return m, wrong
}

func (h *messageHead) decode(text []byte) (jsonrpc.Message, *refusal) {
	id, err := readID(h.ID)
	if err != nil {
		return nil, invalidRequest(id, "%w", err)
	}
	m, err := jsonrpc.DecodeMessage(text)
	var coded *jsonrpc.Error
	switch {
	case errors.As(err, &coded): // the SDK's "invalid request", for this alone (go-sdk 1.8.0)
		return nil, invalidRequest(id, "it has neither a method nor an id%s", h.inLowerCase())
	case err != nil:
		return nil, invalidRequest(id, "%w", err)
	}
	switch m := m.(type) {
	case *jsonrpc.Request:
		if !m.IsCall() && !strings.HasPrefix(m.Method, "notifications/") {
			return nil, invalidRequest(nil, "%.100q is no notification and has no id", m.Method)
		}
	case *jsonrpc.Response:
		if m.Result == nil && m.Error == nil {
			return nil, invalidRequest(id, "it has no method, and neither a result nor an error%s", h.inLowerCase())
		}
	}
	return m, nil
}

// inLowerCase is what to do about a message without a method that has one but for the case of its name, which
// encoding/json does not tell apart.
func (h *messageHead) inLowerCase() string {
	if h.Method == nil {
		return ""
	}
	return `; the name "method" is written in lower case`
}

// readID is the id as a refusal repeats it. The SDK keeps numbers as float64 and then as int64, so that others than
// whole ones below 2^53 would come back changed, and no host would know its answer.
func readID(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case len(raw) > jsonline.MaxID:
		return nil, fmt.Errorf("an id has at most %d bytes", jsonline.MaxID)
	case raw[0] == '"':
		return raw, nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case raw[0] == '{' || raw[0] == '[' || raw[0] == 't' || raw[0] == 'f':
		return nil, errors.New("an id is a string or a whole number")
	case err != nil || n != math.Trunc(n) || math.Abs(n) >= 1<<53:
		return raw, errors.New("an id is a string or a whole number below 2^53")
	}
	return raw, nil
}
