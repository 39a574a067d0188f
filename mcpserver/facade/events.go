package facade

import (
	"errors"

	"lspi/events"
	"lspi/mcpclient"
)

// replyOf is what became of a question to a server, as it is recorded (package events).
func replyOf[T any](got *mcpclient.Result[T], err error) events.Reply {
	var e *mcpclient.Error
	switch {
	case errors.As(err, &e):
		reply := events.Reply{Error: string(e.Kind), Code: e.Code, Message: e.Message}
		if e.Kind == mcpclient.BadAnswer {
			reply.Undecoded = "the answer cannot be read"
		}
		return reply
	case err != nil:
		return events.Reply{Error: "failed", Message: err.Error()}
	}
	return events.Reply{Undecoded: got.Repaired, Bytes: len(got.Raw), Result: got.Raw}
}
