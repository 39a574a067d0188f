package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/answer"
)

// The keys in _meta of a call that identify the conversation: Codex CLI (0.169.0) sends its thread, Claude Code
// (2.1.197) the id of the call in its transcript, VS Code its chat (by source: microsoft/vscode, mcpServer.ts).
const (
	codexThread        = "threadId"
	claudeToolUse      = "claudecode/toolUseId"
	vscodeConversation = "vscode.conversationId"
)

// originOf returns the conversation that a call is part of, as far as the host tells.
func originOf(req *mcp.CallToolRequest) (o answer.Origin) {
	o.CodexThread, _ = req.Params.Meta[codexThread].(string)
	o.ClaudeToolUse, _ = req.Params.Meta[claudeToolUse].(string)
	o.VSCodeConversation, _ = req.Params.Meta[vscodeConversation].(string)
	return o
}
