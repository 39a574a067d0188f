package session

import (
	"fmt"
	"strings"
)

// Channel is which part of a call's result a host shows its model: MCP leaves it open whether that is
// content, structuredContent or both, and hosts differ. Some show another part of an error than of a
// success.
type Channel uint8

const (
	EitherChannel     Channel = iota // not known: each part has to be the whole answer
	StructuredChannel                // structuredContent as JSON, and nothing else
	TextChannel                      // the text of content, and nothing else
	BothChannels                     // the text, then structuredContent as JSON
	WholeResult                      // the result as JSON: structuredContent, and content as a list of blocks
)

// The channels in words, for docs/hosts.md.
const (
	ShowsStructured = "`structuredContent`"
	ShowsText       = "the text"
	ShowsBoth       = "the text and `structuredContent`"
	ShowsResult     = "the whole result as JSON"
)

// channelWords are the channels in words; "" where it is not known.
var channelWords = [...]string{EitherChannel: "", StructuredChannel: ShowsStructured, TextChannel: ShowsText,
	BothChannels: ShowsBoth,
	WholeResult:  ShowsResult}

// HostRow is what is known of one MCP host. Every row was measured with the real program, in the
// version in seen, and a stand-in for its model (test/hosts); docs/hosts.md has what the model got.
type HostRow struct {
	name  string // clientInfo.name begins with this, in lower case
	exact bool   // clientInfo.name is exactly this
	seen  string // the host and its version; "" for lspi itself

	Success, Failure Channel
	// Limit is how much of an answer surely reaches the model, everything counted that is shown of it: where the host
	// cuts, less a margin. 0 where the host shows more than any answer has by default.
	Limit int
	// most is the same for what a call asks for by max_total_chars, where that is another number: a cut may depend
	// on the model, which the host does not tell. 0 is Limit, or no bound where Limit is 0.
	most         int
	Bytes        bool // Limit and most are bytes of UTF-8, else code points
	Lines        int  // how many lines of text surely reach the model; 0 is any number
	instructions bool // the model sees the instructions of the server
	// NoOutputSchemas: no request to its model had an output schema of a tool, so tools/list has none for it.
	NoOutputSchemas bool
	// Defers: it shows its model no tool of MCP until the model looks for it, but for those that _meta marks.
	Defers bool
	Shell  bool // the reader has a shell and no MCP: steps are command lines
}

// hosts is what is known of each host.
var hosts = []HostRow{
	// Above 50,000 characters an answer goes to a file, which the model can read.
	{name: "claude-code", seen: "Claude Code 2.1.197", Success: StructuredChannel, Failure: TextChannel,
		instructions: true, NoOutputSchemas: true, Defers: true},
	// It cuts at 12,000 bytes, 48,000 bytes or 10,000 tokens, by model. The newest models get the whole result, too,
	// and output schemas as types.
	{name: "codex", seen: "Codex CLI 0.169", Success: StructuredChannel, Failure: StructuredChannel, Limit: 11_000,
		most:  47_000,
		Bytes: true, instructions: true},
	// It shows structuredContent where content is empty. It cuts at 2,000 lines and at 50 KiB, at the end of a
	// line: of an answer with one line that is longer nothing is left.
	{name: "opencode", seen: "opencode 1.18.33", Success: TextChannel, Failure: TextChannel, Limit: 50_000, Bytes: true,
		Lines: 1_900, instructions: true, NoOutputSchemas: true},
	// The first 8,000 characters and the last 32,000.
	{name: "gemini-cli-mcp-client", seen: "gemini-cli 0.61.0", Success: TextChannel, Failure: WholeResult,
		Limit:        38_000,
		instructions: true, NoOutputSchemas: true},
	// structuredContent as JSON, then the text; an error holds the text twice. More than 25,000 characters go to a
	// file, of which it shows the first 2,000. Its name ends with that of its entry for the server.
	{name: "qwen-cli-mcp-client", seen: "qwen-code 0.24.4", Success: BothChannels, Failure: WholeResult, Limit: 24_000,
		instructions: true, NoOutputSchemas: true},
	// It cuts nothing at 122 kB.
	{name: "continue-cli-client", seen: "Continue cn 1.5.47", Success: TextChannel, Failure: TextChannel},
	// 20,000 characters of both together; of more it shows the first 500. It speaks 2026-07-28, without a handshake.
	{name: "copilot-cli", seen: "Copilot CLI 1.0.102", Success: BothChannels, Failure: BothChannels, Limit: 19_500,
		NoOutputSchemas: true},
	// 8,000 characters.
	{name: "@cline/core", seen: "Cline 3.0.65", Success: WholeResult, Failure: WholeResult, Limit: 7_500},
	// 50,000 characters of both together, the envelope within <mcp-result-extras>.
	{name: "kimi-code", seen: "kimi-code 2.1.0", Success: BothChannels, Failure: BothChannels, Limit: 48_000},
	// mistral-vibe shows structuredContent, the text of an error, and 16,000 characters. The name is the one that
	// the Python SDK of MCP gives where the host gives none, so it may be another host, such as Open WebUI, which
	// shows the text.
	{name: "mcp", exact: true, seen: "mistral-vibe 3.0.2 and others", Success: EitherChannel, Failure: TextChannel,
		Limit: 15_000},

	{name: callHostName, exact: true, Success: TextChannel, Failure: TextChannel, instructions: true, Shell: true},
}

// callHostName is the name of `lspi call`, whose reader is a person or a script at a terminal.
const callHostName = "lspi call"

// CallHost returns the host of `lspi call`.
func CallHost() Host { return Host{Name: callHostName} }

// unknownHost is what is assumed of a host without a row: nothing. Each channel then has the whole
// answer.
var unknownHost = HostRow{}

// Row returns what is known of the host; never nil. Names are compared by their beginning, because some
// hosts add their version or the name of their entry for the server.
func (h Host) Row() *HostRow {
	name := strings.ToLower(h.Name)
	for i := range hosts {
		if r := &hosts[i]; name == r.name || !r.exact && strings.HasPrefix(name, r.name) {
			return r
		}
	}
	return &unknownHost
}

// Ask returns the largest cap that a call may ask for at this host; 0 when the host sets none.
func (r *HostRow) Ask() int {
	if r.most > 0 {
		return r.most
	}
	return r.Limit
}

// HostFact is a row of the table of hosts in words, for docs/hosts.md.
type HostFact struct {
	Known            bool
	Name             string // of clientInfo, or its beginning
	Seen             string // the host and its version
	Success, Failure string // what the model is shown; "" when that is not known
	Cap              string // of an answer when a call asks for none
	Instructions     bool
}

// HostFacts returns what is known of the host with a clientInfo.name.
func HostFacts(name string) HostFact { return Host{Name: name}.Row().fact() }

// KnownHosts returns all rows but that of lspi itself.
func KnownHosts() []HostFact {
	var out []HostFact
	for i := range hosts {
		if hosts[i].seen != "" {
			out = append(out, hosts[i].fact())
		}
	}
	return out
}

// fact returns the row in words.
func (r *HostRow) fact() HostFact {
	unit := "characters"
	if r.Bytes {
		unit = "bytes"
	}
	limit := DefaultMaxChars
	if r.Limit > 0 {
		limit = min(limit, r.Limit)
	}
	return HostFact{r != &unknownHost, r.name, r.seen, channelWords[r.Success], channelWords[r.Failure],
		fmt.Sprintf("%d %s", limit, unit), r.instructions}
}

// Host is the MCP client of a session.
type Host struct {
	Name string // clientInfo.name; "" on the command line
}
