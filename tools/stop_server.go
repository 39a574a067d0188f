package tools

import (
	"context"

	"lspi/tools/answer"
)

// stopServer ends servers. They start again with the next question that needs them.
var stopServer = define("stop_server", answer.Control,
	func(_ context.Context, c *answer.Call, in controlIn) (*controlOut, error) {
		stopped, err := stop(c, in)
		if err != nil {
			return nil, err
		}
		out := &controlOut{Servers: []controlled{}, did: "Stopped"}
		for _, s := range stopped {
			if wasRunning(s) {
				out.Servers = append(out.Servers, describeProcess(c, s))
			}
		}
		if len(out.Servers) == 0 {
			out.Note = "No " + in.picked() + " was running; nothing was stopped."
		}
		return out, nil
	})
