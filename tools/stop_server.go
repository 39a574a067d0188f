package tools

import "context"

var stopServer = define("stop_server", Control,
	func(_ context.Context, c *Call, in controlIn) (*controlOut, error) {
		stopped, err := c.stop(in)
		if err != nil {
			return nil, err
		}
		out := &controlOut{Servers: []controlled{}, did: "Stopped"}
		for _, s := range stopped {
			if live(s) {
				out.Servers = append(out.Servers, c.controlled(s))
			}
		}
		if len(out.Servers) == 0 {
			out.Note = "No " + in.picked() + " was running; nothing was stopped."
		}
		return out, nil
	})
