package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"lspi/lsp/launch"
)

// maxTraced is the size, in bytes, above which only the head of an LSP message is logged.
const maxTraced = 64 << 10

// traced is the head of an LSP message.
type traced struct {
	JSONRPC string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Cut     int             `json:"lspi_left_out_bytes,omitempty"`
}

// trace returns a function that logs the messages to and from language servers at debug; nil at any other level,
// because it is expensive. Each line has the members that LSP inspectors read (isLSPMessage, type, message, timestamp
// in milliseconds), as vscode-languageclient writes them.
func (l *logs) trace() func(serverID string, sent bool, message []byte) {
	if !l.log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return func(serverID string, sent bool, message []byte) {
		var head traced
		valid := json.Unmarshal(message, &head) == nil
		var shown any = json.RawMessage(message)
		if sent && (head.Method == "initialize" || head.Method == "workspace/didChangeConfiguration" ||
			head.Method == "") {
			shown = masked(message)
		}
		switch {
		case !valid:
			shown = string(message[:min(len(message), maxTraced)])
		case len(message) > maxTraced:
			head.Cut = len(message)
			shown = head
		}
		l.log.Debug("lsp", "server", serverID, "isLSPMessage", true, "type", head.kind(sent), "message", shown,
			"timestamp", time.Now().UnixMilli(), "bytes", len(message))
	}
}

// masked hides the values of members whose names say that they are secret: settings and options may hold tokens, and
// logs are passed on. A message that is not JSON stays as it is.
func masked(message []byte) any {
	var value any
	if json.Unmarshal(message, &value) != nil {
		return json.RawMessage(message)
	}
	return mask(value, false)
}

// mask replaces strings below members whose names say that they are secret; secret says that value lies below one. It
// changes value, which was decoded for the log only.
func mask(value any, secret bool) any {
	switch v := value.(type) {
	case map[string]any:
		for name, sub := range v {
			v[name] = mask(sub, secret || launch.Secret(name))
		}
	case []any:
		for i, sub := range v {
			v[i] = mask(sub, secret)
		}
	case string:
		if secret && v != "" {
			return "<redacted>"
		}
	}
	return value
}

// kind returns what LSP inspectors call a message, such as send-request.
func (t traced) kind(sent bool) string {
	direction, kind := "receive", "response"
	if sent {
		direction = "send"
	}
	switch {
	case t.Method != "" && len(t.ID) > 0:
		kind = "request"
	case t.Method != "":
		kind = "notification"
	}
	return direction + "-" + kind
}
