package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/answer"
)

// The keys in _meta of a call by which hosts say what the call is part of: Codex CLI (seen in 0.169.0) names its
// thread, Claude Code (seen in 2.1.197) the call itself.
const (
	codexThread   = "threadId"
	claudeToolUse = "claudecode/toolUseId"
)

// originOf is the conversation that a call is part of, as far as its host says it.
func originOf(req *mcp.CallToolRequest) (o answer.Origin) {
	o.CodexThread, _ = req.Params.Meta[codexThread].(string)
	o.ClaudeToolUse, _ = req.Params.Meta[claudeToolUse].(string)
	return o
}
