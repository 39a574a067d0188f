package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/contract"
)

// Error returns an error of mcpclient as one of the contract; any other error stays as it is.
func Error(err error) error {
	var e *mcpclient.Error
	if !errors.As(err, &e) {
		return err
	}
	facts := contract.Facts{"mcp_server": e.Server, "reason": string(e.Kind)}
	kind := contract.KindMCPServerUnavailable
	switch e.Kind {
	case mcpclient.TimedOut:
		kind = contract.KindMCPServerTimeout
		delete(facts, "reason")
	case mcpclient.Refused, mcpclient.BadAnswer:
		kind = contract.KindMCPServerRefused
	case mcpclient.Cancelled:
		return fmt.Errorf("%w: %w", context.Canceled, err)
	}
	if kind == contract.KindMCPServerUnavailable && e.RetryIn > 0 {
		facts["retry_after_ms"] = e.RetryIn.Milliseconds()
	}
	if kind == contract.KindMCPServerUnavailable && len(e.Stderr) > 0 {
		facts["stderr_tail"] = e.Stderr
	}
	out := contract.Errorf(kind, facts, "the MCP server %s: %s", e.Server, e.Message)
	if e.Kind == mcpclient.Refused {
		out.Code = int64(e.Code)
		if len(e.Data) > 0 {
			var data any
			if json.Unmarshal(e.Data, &data) == nil {
				out.Data = data
			}
		}
	}
	return out
}
