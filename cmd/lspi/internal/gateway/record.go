package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/events"
)

// recorded makes a request by ask, and records it where events are recorded for the host's request (package events).
// An answer that does not decode is a decode.failed of that request.
func recorded[T any](ctx context.Context, id, method, name string, params json.RawMessage,
	ask func() (*mcpclient.Result[T], error)) (*mcpclient.Result[T], error) {
	asked := events.From(ctx).Ask(events.Question{Provider: events.MCP, Server: id, Method: method, Name: name,
		Params: params})
	got, err := ask()
	var r events.Reply
	if e := (*mcpclient.Error)(nil); errors.As(err, &e) {
		r.Error, r.Code, r.Message, r.Outside = string(e.Kind), e.Code, e.Message, e.Outside
		if e.Kind == mcpclient.BadAnswer {
			r.Undecoded = e.Message
		}
	} else if err != nil {
		r.Error, r.Message = string(mcpclient.Cancelled), err.Error()
	}
	if got != nil {
		r.Bytes, r.Result, r.Undecoded, r.Outside = len(got.Raw), got.Raw, got.Undecoded, nil
	}
	asked.End(r)
	keep(ctx, got)
	return got, err
}

// undecoded records what a server says that cannot be decoded and that belongs to no request of the host: lists,
// and what is no message.
func (s *Servers) undecoded(id string) func(mcpclient.Event) {
	return func(e mcpclient.Event) {
		if e.Method == "" || strings.HasSuffix(e.Method, "/list") {
			s.opt.Events.DecodeFailed(events.Undecoded{Provider: events.MCP, Server: id, Method: e.Method,
				Name: e.Name, Reason: e.Detail, Raw: e.Raw})
		}
	}
}

// jsonOf returns v, which was decoded from JSON, as JSON; nil where no events are recorded.
func jsonOf(ctx context.Context, v any) json.RawMessage {
	if events.From(ctx) == nil {
		return nil
	}
	out, _ := json.Marshal(v) // of texts
	return out
}
