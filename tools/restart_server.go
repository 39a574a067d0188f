package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// restartServer is the user's way out when a server answers wrongly. Servers that crash, or have to read something
// anew, are restarted without it.
var restartServer = define("restart_server", answer.Control,
	func(ctx context.Context, c *answer.Call, in controlIn) (*controlOut, error) {
		stopped, err := stop(c, in)
		if err != nil {
			return nil, err
		}
		out := &controlOut{Servers: []controlled{}, did: "Restarted"}
		again := worthStarting(stopped)
		if len(again) == 0 {
			out.Note = "No " + in.picked() + " was running; it starts with the first call that needs it."
			return out, nil
		}
		for _, s := range again {
			out.Servers = append(out.Servers, describeProcess(c, s))
		}
		errs := make([]error, len(again))
		answer.Parallel(len(again), 0, func(i int) { errs[i] = start(ctx, c, &out.Servers[i], again[i].Route) })
		return out, allFailed(c, out.Servers, errs)
	})

// worthStarting returns the servers to start again: those that ran, were starting, or could not be
// started. Where there is none of these it is the one that was asked last, since somebody wants it to
// run.
func worthStarting(stopped []router.Stopped) []router.Stopped {
	var out []router.Stopped
	for _, s := range stopped {
		if s.State != ask.StateStopped {
			out = append(out, s)
		}
	}
	if len(out) == 0 && len(stopped) > 0 {
		out = append(out, slices.MaxFunc(stopped, func(a, b router.Stopped) int {
			return a.LastUsed.Compare(b.LastUsed)
		}))
	}
	return out
}

// allFailed is the error of a restart of which nothing came up; a part that did not is a warning.
func allFailed(c *answer.Call, servers []controlled, errs []error) error {
	if err := answer.ErrorOfAll(errs); err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			c.Warn(contract.WarnServerFailed, contract.Facts{"server_id": servers[i].ServerID,
				"error": answer.AsError(err).Kind},
				servers[i].ServerID+" at "+servers[i].Root+" did not start: "+answer.AsError(err).Message)
		}
	}
	return nil
}
