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

// envelope holds the members of one message (JSON-RPC 2.0, sections 4 and 5), each as its bytes in the body; nil when
// absent.
type envelope struct {
	id, method, params, result, failure []byte

	last string // the name of the last member, of which reading the value may have failed
}

// jsonOptions accept what real servers send: names that occur twice (the last one counts), and invalid UTF-8, which
// stream.decode has replaced before.
var jsonOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errNotObject says that a message is JSON but not an object.
var errNotObject = errors.New("not a JSON object")

// scan finds the members of the object at the start of b, and where it ends. It checks that all of it is JSON. With
// an error it returns the members before the error: they may say which call the message answers.
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
	_, err = d.ReadToken() // the closing brace, or the error at its place
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

// toMessage returns the library's form of the envelope, or why there is none. own says that nothing else will use the
// body, so that the message may refer to it.
func (e *envelope) toMessage(bodySize int, own bool) (jsonrpc2.Message, error) {
	if hasValue(e.method) {
		return e.toRequest()
	}
	if !hasValue(e.id) {
		if hasValue(e.failure) {
			return nil, fmt.Errorf("the server refused a message that it could not read: %s", clip(e.failure, 500))
		}
		return nil, errors.New("neither a method nor an id")
	}
	id, ok := e.responseID()
	if !ok {
		return nil, fmt.Errorf("a response with the id %s", clip(e.id, 40))
	}
	if hasValue(e.failure) {
		return jsonrpc2.NewResponse(id, nil, parseFailure(e.failure)), nil
	}
	result := e.result
	if result == nil {
		result = []byte("null")
	} else if !own || len(result) < bodySize/2 {
		result = bytes.Clone(result) // otherwise it would keep the whole body in memory, or be overwritten
	}
	return jsonrpc2.NewResponse(id, result, nil), nil
}

func (e *envelope) toRequest() (jsonrpc2.Message, error) {
	var method string
	if json.Unmarshal(e.method, &method) != nil || method == "" {
		return nil, fmt.Errorf("a request with the method %s", clip(e.method, 40))
	}
	params := e.params
	if !hasValue(params) {
		params = nil
	}
	if !hasValue(e.id) {
		return jsonrpc2.NewNotification(method, params), nil
	}
	id, ok := parseID(e.id)
	if !ok {
		return nil, fmt.Errorf("a request with the id %s", clip(e.id, 40))
	}
	return jsonrpc2.NewCall(id, method, params), nil
}

// hasValue reports whether a member is present and not null: real servers send "error": null beside a result.
func hasValue(span []byte) bool { return span != nil && string(span) != "null" }

// parseID reads an id. 3.0 is the number 3, as servers write it whose language has only floating-point numbers.
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

// responseID returns the id of a response. The ids of our calls are all numbers, so a string of digits is one that
// the server has turned into a string.
func (e *envelope) responseID() (jsonrpc2.ID, bool) {
	id, ok := parseID(e.id)
	if s, isString := id.StringValue(); ok && isString {
		n, err := strconv.ParseInt(s, 10, 64)
		return jsonrpc2.NewNumberID(n), err == nil
	}
	return id, ok
}

// parseFailure reads an error member, each of its members for itself, so that a code that is not an integer does not
// lose the message.
func parseFailure(span []byte) *ResponseError {
	var f struct {
		Code, Message, Data json.RawMessage
	}
	e := &ResponseError{Code: CodeInternalError}
	if json.Unmarshal(span, &f) != nil {
		f.Message = span
	}
	var code float64
	if json.Unmarshal(f.Code, &code) == nil && hasValue(f.Code) {
		e.Code = int64(code)
	}
	if json.Unmarshal(f.Message, &e.Message) != nil {
		e.Message = string(f.Message)
	}
	if hasValue(f.Data) {
		e.Data = f.Data
	}
	return e
}

// decode turns a body into messages. One that cannot be used is logged; the call that it answers, if known, gets the
// error. What follows the message in a body that was announced too long is put back.
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
		b.shared = true // what follows is in the same memory, so results are copied
		s.frames.unread(rest)
	}
	return s.messages(nil, e, len(b.bytes), !b.shared)
}

// messages appends the message of e to the list.
func (s *stream) messages(to []jsonrpc2.Message, e envelope, bodySize int, own bool) []jsonrpc2.Message {
	m, err := e.toMessage(bodySize, own)
	if err != nil {
		s.log.Warn("skipped a message of the server", "cause", err)
		return to
	}
	return append(to, m)
}

// decodeBatch takes a batch apart (JSON-RPC 2.0, section 6). LSP has no batches, so its requests are answered one by
// one.
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
		// The messages wait in stream.pending; a shared buffer is overwritten only after all of them are handled.
		e, _, err := scan(v)
		if err != nil {
			s.log.Warn("skipped a member of a batch", "cause", err)
			continue
		}
		to = s.messages(to, e, len(b.bytes), !b.shared)
	}
	return to
}

// undecodable handles a body that is not a message. What is known of it decides what fails: the call that it answers
// gets a *DecodeError, a request is refused, and with neither an id nor a method it may have answered any call.
func (s *stream) undecodable(b body, e envelope, err error) []jsonrpc2.Message {
	if b.partial {
		err = fmt.Errorf("larger than the limit of %d bytes", s.frames.max)
	} else if at := header.FindIndex(b.bytes); at != nil { // the length was too long: the next message lies in the body
		s.frames.unread(b.bytes[at[0]:])
	}
	s.log.Warn("skipped a message of the server that cannot be read", "cause", err, "bytes", b.size)
	s.log.Debug("the message that cannot be read", "raw", clip(b.bytes, rawLogged))
	if !hasValue(e.id) {
		if !hasValue(e.method) {
			s.lost(fmt.Sprintf("a message of %d bytes that is no JSON (%.200s)", b.size, err.Error()))
		}
		return nil
	}
	if hasValue(e.method) {
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

// firstByte returns the index of the first byte of b that is not white space, or -1.
func firstByte(b []byte) int {
	return bytes.IndexFunc(b, func(r rune) bool { return r != ' ' && r != '\t' && r != '\r' && r != '\n' })
}
