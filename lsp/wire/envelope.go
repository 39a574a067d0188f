package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// envelope is the members of one message (JSON-RPC 2.0, sections 4 and 5), each as it stands in the body; nil is
// absent.
type envelope struct {
	id, method, params, result, failure []byte

	last string // the name of the member that was read last, whole or not
}

// jsonOptions accepts what real servers send: names that occur twice (the last one counts) and broken UTF-8, which
// stream.decode has replaced before.
var jsonOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errNotObject is a message that is JSON, but no object.
var errNotObject = errors.New("not a JSON object")

// scan finds the members of the object at the start of b and where it ends. Everything in it is checked to be JSON.
// On an error the members before it are there: they may tell whose message it was.
func scan(b []byte) (e envelope, end int, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b), jsonOptions...) // a bytes.Buffer is decoded in place
	t, err := d.ReadToken()
	if err != nil {
		return e, 0, err
	}
	if t.Kind() != '{' {
		return e, 0, errNotObject
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return e, 0, err
		}
		e.last = name.String()
		member := e.member(e.last)
		if member == nil {
			if err := d.SkipValue(); err != nil {
				return e, 0, err
			}
			continue
		}
		v, err := d.ReadValue()
		if err != nil {
			return e, 0, err
		}
		at := int(d.InputOffset())
		*member = b[at-len(v) : at : at]
	}
	_, err = d.ReadToken() // the closing brace, or the error that stands in its place
	return e, int(d.InputOffset()), err
}

func (e *envelope) member(name string) *[]byte {
	switch name {
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.failure
	}
	return nil
}

// message is the envelope as the library has it, or why it is none. own tells that the spans outlive the message
// because the body is not used again.
func (e *envelope) message(bodySize int, own bool) (jsonrpc2.Message, error) {
	if given(e.method) {
		return e.request()
	}
	if !given(e.id) {
		if given(e.failure) {
			return nil, fmt.Errorf("the server refused a message that it could not read: %s", clip(e.failure, 500))
		}
		return nil, errors.New("neither a method nor an id")
	}
	id, ok := e.responseID()
	if !ok {
		return nil, fmt.Errorf("a response with the id %s", clip(e.id, 40))
	}
	if given(e.failure) {
		return jsonrpc2.NewResponse(id, nil, parseFailure(e.failure)), nil
	}
	result := e.result
	if result == nil {
		result = []byte("null")
	} else if !own || len(result) < bodySize/2 {
		result = bytes.Clone(result) // else it would keep the whole body alive, or be overwritten
	}
	return jsonrpc2.NewResponse(id, result, nil), nil
}

func (e *envelope) request() (jsonrpc2.Message, error) {
	var method string
	if json.Unmarshal(e.method, &method) != nil || method == "" {
		return nil, fmt.Errorf("a request with the method %s", clip(e.method, 40))
	}
	params := e.params
	if !given(params) {
		params = nil
	}
	if !given(e.id) {
		return jsonrpc2.NewNotification(method, params), nil
	}
	id, ok := parseID(e.id)
	if !ok {
		return nil, fmt.Errorf("a request with the id %s", clip(e.id, 40))
	}
	return jsonrpc2.NewCall(id, method, params), nil
}

// given reports whether a member has a value other than null.
func given(span []byte) bool { return span != nil && string(span) != "null" }

// parseID reads an id. 3.0 is the number 3: servers in languages that have only floats write it.
func parseID(span []byte) (jsonrpc2.ID, bool) {
	if len(span) > 0 && span[0] == '"' {
		var s string
		if json.Unmarshal(span, &s) != nil {
			return jsonrpc2.ID{}, false
		}
		return jsonrpc2.NewStringID(s), true
	}
	if n, err := strconv.ParseInt(string(span), 10, 64); err == nil {
		return jsonrpc2.NewNumberID(n), true
	}
	f, err := strconv.ParseFloat(string(span), 64)
	if n := int64(f); err == nil && float64(n) == f {
		return jsonrpc2.NewNumberID(n), true
	}
	return jsonrpc2.ID{}, false
}

// responseID is the id of one of our calls. All of those are numbers, so a string of digits is one that the server has
// turned into a string.
func (e *envelope) responseID() (jsonrpc2.ID, bool) {
	id, ok := parseID(e.id)
	if s, isString := id.StringValue(); ok && isString {
		n, err := strconv.ParseInt(s, 10, 64)
		return jsonrpc2.NewNumberID(n), err == nil
	}
	return id, ok
}

// parseFailure reads an error member, member by member, so that a code that is no integer does not cost the message.
func parseFailure(span []byte) *ResponseError {
	var f struct {
		Code, Message, Data json.RawMessage
	}
	e := &ResponseError{Code: CodeInternalError}
	if json.Unmarshal(span, &f) != nil {
		f.Message = span
	}
	var code float64
	if json.Unmarshal(f.Code, &code) == nil && given(f.Code) {
		e.Code = int64(code)
	}
	if json.Unmarshal(f.Message, &e.Message) != nil {
		e.Message = string(f.Message)
	}
	if given(f.Data) {
		e.Data = f.Data
	}
	return e
}

// decode turns a body into messages. One that cannot be used is logged, the call that it answers gets the error if that
// is known, and what was swallowed because of a wrong length is given back to the frames.
func (s *stream) decode(b body) []jsonrpc2.Message {
	if !b.partial && !utf8.Valid(b.bytes) {
		b.bytes, b.shared = bytes.ToValidUTF8(b.bytes, []byte("\uFFFD")), false
	}
	if i := firstByte(b.bytes); i >= 0 && b.bytes[i] == '[' && !b.partial {
		return s.decodeBatch(b)
	}
	e, end, err := scan(b.bytes)
	if err != nil || b.partial {
		return s.undecodable(b, e, err)
	}
	if rest := b.bytes[end:]; firstByte(rest) >= 0 {
		s.log.Warn("the server announced more bytes than the message had", "announced", b.size, "message", end)
		b.shared = true // what follows is in the same buffer
		s.frames.unread(rest)
	}
	return s.messages(nil, e, len(b.bytes), !b.shared)
}

// messages appends the message that e is.
func (s *stream) messages(to []jsonrpc2.Message, e envelope, bodySize int, own bool) []jsonrpc2.Message {
	m, err := e.message(bodySize, own)
	if err != nil {
		s.log.Warn("skipped a message of the server", "cause", err)
		return to
	}
	return append(to, m)
}

// decodeBatch takes a batch apart (JSON-RPC 2.0, section 6; LSP has none, so its requests are answered one by one).
func (s *stream) decodeBatch(b body) []jsonrpc2.Message {
	d := jsontext.NewDecoder(bytes.NewBuffer(b.bytes), jsonOptions...)
	var to []jsonrpc2.Message
	if _, err := d.ReadToken(); err != nil {
		return s.undecodable(b, envelope{}, err)
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return append(to, s.undecodable(b, envelope{}, err)...)
		}
		// The messages wait in line, and the next read overwrites a shared buffer only after they are gone.
		e, _, err := scan(v)
		if err != nil {
			s.log.Warn("skipped a member of a batch", "cause", err)
			continue
		}
		to = s.messages(to, e, len(b.bytes), !b.shared)
	}
	return to
}

// undecodable deals with a body that is no message: what is known of it fails alone.
func (s *stream) undecodable(b body, e envelope, err error) []jsonrpc2.Message {
	if b.partial {
		err = fmt.Errorf("larger than the limit of %d bytes", s.frames.max)
	} else if at := header.FindIndex(b.bytes); at != nil {
		s.frames.unread(b.bytes[at[0]:])
	}
	s.log.Warn("skipped a message of the server that cannot be read", "cause", err, "bytes", b.size)
	s.log.Debug("the message that cannot be read", "raw", clip(b.bytes, rawLogged))
	if !given(e.id) {
		if !given(e.method) {
			s.lost(fmt.Sprintf("a message of %d bytes that is no JSON (%.200s)", b.size, err.Error()))
		}
		return nil
	}
	if given(e.method) {
		if id, ok := parseID(e.id); ok {
			s.refuse(id, jsonrpc2.NewError(CodeInvalidRequest, err.Error()))
		}
		return nil
	}
	id, ok := e.responseID()
	if answers := e.last == "result" || e.last == "error" || e.result != nil || e.failure != nil; !ok || !answers {
		return nil
	}
	return []jsonrpc2.Message{jsonrpc2.NewResponse(id, nil, &DecodeError{Size: b.size, Err: err})}
}

// firstByte is the index of the first byte of b that is not white space, or -1.
func firstByte(b []byte) int {
	return bytes.IndexFunc(b, func(r rune) bool { return r != ' ' && r != '\t' && r != '\r' && r != '\n' })
}
