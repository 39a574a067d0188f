package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
)

// A search may end before it is finished, because a server still loads or did not answer in time. The answer says that
// first, with the step to repeat, and offers no other name in place of one that may still come. A name without a symbol
// has no answer that could be partial, so it is an error: an empty success would read as "there is none".

// SearchUnfinished reports whether a server that was searched still loads, or did not answer in time.
func SearchUnfinished(c *answer.Call) bool {
	return len(c.WarningsThat(func(k contract.WarningKind) bool {
		return k == contract.WarnIndexing || k == contract.WarnTimeLimit
	})) > 0
}

// EndedLate warns of the servers that did not answer in time.
func EndedLate(c *answer.Call, servers []string) {
	if len(servers) == 0 {
		return
	}
	c.Warn(contract.WarnTimeLimit, contract.Facts{"servers": servers}, fmt.Sprintf(
		"the search ended before %s answered; its symbols are missing here", strings.Join(servers, " and ")))
	c.Step(c.Repeat("Repeat the search; the servers continue to work meanwhile.", nil))
}

// TimedOut reports whether time ran out, that of the call or that of a request.
func TimedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || answer.AsError(err).Category() == contract.Timeout
}

// NotKnownYet is the error for a name that was not found before the search was finished; nil when it
// was finished. A server that still loads may find the name in the next call; when the time of the call
// ended, the error is that of ctx.
func NotKnownYet(ctx context.Context, c *answer.Call, name string) error {
	switch {
	case SearchUnfinished(c):
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": c.ServerID(),
			"symbol_name": name},
			"%s is not found yet: the search ended before every server had loaded the project and answered", name)
	case ctx.Err() != nil:
		return fmt.Errorf("looking for %s: %w", name, context.Cause(ctx))
	}
	return nil
}

// notFoundYet is the error for a name of a file that a server does not resolve while it loads. A name
// that does not stand in the file at all is not there, whatever the server loads, and keeps its error.
func notFoundYet(serverID string, err error) error {
	e := answer.AsError(err)
	if used, _ := e.Facts["occurrences"].(int); used == 0 {
		return err
	}
	return contract.Errorf(contract.KindStillIndexing,
		contract.Facts{"server_id": serverID, "symbol_name": e.Facts["symbol_name"],
			"file_path": e.Facts["file_path"]}, "%s does not resolve %v yet, because it is still loading the project",
		serverID, e.Facts["symbol_name"])
}
