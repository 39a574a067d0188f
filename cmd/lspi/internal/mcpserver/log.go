package mcpserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
)

// LogCall writes the line about a call to the log, at info: the tool, the server, how long the call took, waited for
// servers and asked them (ms), and its outcome.
func LogCall(log *slog.Logger, r answer.Request, result tools.Result, took time.Duration) {
	if log == nil || !log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	var head struct {
		ServerID     string                `json:"server_id"`
		Completeness contract.Completeness `json:"completeness"`
		Error        struct {
			Data struct {
				Reason struct {
					Kind contract.Kind `json:"kind"`
				} `json:"lspi_error"`
			} `json:"data"`
		} `json:"error"`
	}
	_ = json.Unmarshal(result.Structured, &head)
	outcome := "ok"
	if !result.OK {
		outcome = string(head.Error.Data.Reason.Kind)
	}
	log.Info("call", "tool", r.Tool, "server", head.ServerID, "ms", millis(took),
		"waited_ms", millis(result.Spent.Waited), "asked_ms", millis(result.Spent.Asked), "changed_files",
		result.Spent.Changed,
		"bytes", len(result.Structured), "result", outcome, "completeness", head.Completeness, "host", r.Host.Name)
}

// millis returns d in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
