package lsptest

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// send writes a message. An error means that the client has gone, which the reading side will notice.
func (s *Server) send(m jsonrpc2.Message) { _, _ = s.stream.Write(context.Background(), m) }

// reply answers a request; a notification has no answer.
func (s *Server) reply(m *incoming, result json.RawMessage, err error) {
	m.settled = true
	if m.id.IsValid() {
		s.send(jsonrpc2.NewResponse(m.id, jsonrpc2.RawMessage(result), err))
	}
}

// replyWith answers with a value as JSON, or with an error.
func (s *Server) replyWith(m *incoming, v any, err error) {
	if err != nil {
		s.reply(m, nil, err)
		return
	}
	b, err := json.Marshal(v)
	s.reply(m, b, err)
}

func (s *Server) sendNotification(method string, params any) {
	b, _ := json.Marshal(params)
	s.send(jsonrpc2.NewNotification(method, b))
}

// sendRequest sends a request. The channel is closed when the client has answered.
func (s *Server) sendRequest(r *Message) <-chan struct{} {
	answered := make(chan struct{})
	s.mu.Lock()
	id := jsonrpc2.NewNumberID(s.nextID)
	s.nextID++
	s.awaited[string(rawID(id))] = answered
	s.mu.Unlock()
	s.send(jsonrpc2.NewCall(id, r.Method, jsonrpc2.RawMessage(r.Params)))
	return answered
}

// answered records an answer of the client and wakes the actions that wait for it.
func (s *Server) answered(r *jsonrpc2.Response) {
	e := Event{Kind: EventResponse, ID: rawID(r.ID()), Result: json.RawMessage(r.Result())}
	if err := r.Err(); err != nil {
		e.Error = err.Error()
	}
	s.record.add(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.awaited[string(e.ID)]; c != nil {
		delete(s.awaited, string(e.ID))
		close(c)
	}
}

// rawID returns an id as JSON; nil for that of a notification.
func rawID(id jsonrpc2.ID) json.RawMessage {
	if n, ok := id.Number(); ok {
		b, _ := json.Marshal(n)
		return b
	}
	if text, ok := id.StringValue(); ok {
		b, _ := json.Marshal(text)
		return b
	}
	return nil
}

// Errors of the default behaviour.
func methodNotFound(method string) error {
	return jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", method)
}

var (
	errCancelled   = jsonrpc2.NewError(-32800, "cancelled")
	errShutDown    = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down")
	errUnsupported = errors.New("only as an executable on unix")
)
