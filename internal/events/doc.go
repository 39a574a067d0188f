// Package events writes what happens between hosts, lspi and servers to a file, one JSON line for each event
// (docs/events.md), for who wants to know later which calls there were, how long each part of them took, and what
// was refused.
//
// [Files] are the files that a process writes. Sessions that name the same file share it; its lines are queued and
// written by one goroutine, so that a slow disk holds up no call. A [Recorder] is one session's: it has the name by
// which lines of the session are found, it follows the configuration, and it writes nothing while there is no file.
// A [Call] is one request of a host. The context of the request carries it, so that whoever asks a server for it
// says so without knowing hosts:
//
//	ctx, call := recorder.Begin(ctx, events.Request{…})            host.request
//	asked := events.From(ctx).Ask(events.Question{…})              server.request
//	asked.End(events.Reply{…})                                     server.response or server.error, and decode.failed
//	call.End(events.Answer{…})                                     host.response or host.error, and tool.denied
//
// Where nobody records, From gives nil and Begin a nil call, whose methods do nothing.
//
// What is said in a request or an answer is written at the level debug alone, and secrets never are (mask.go).
package events

// A Kind is what a line tells, its member "event".
type Kind string

// The kinds of events.
const (
	HostRequest    Kind = "host.request"
	HostResponse   Kind = "host.response"
	HostError      Kind = "host.error"
	ToolDenied     Kind = "tool.denied"
	ServerRequest  Kind = "server.request"
	ServerResponse Kind = "server.response"
	ServerError    Kind = "server.error"
	DecodeFailed   Kind = "decode.failed"
	HostHook       Kind = "host.hook"
	EventsLost     Kind = "events.lost"
)

// Kinds are all kinds, each with when it is written.
var Kinds = []struct {
	Kind Kind
	When string
}{
	{HostRequest,
		"a host calls a tool, gets a prompt, reads a resource or asks for completions; `bytes` are those of the arguments"},
	{ToolDenied,
		"the tool is not there for this session: a preset, read-only mode or the lists of tools leave it out; `error` says which, and `host.error` follows"},
	{ServerRequest,
		"lspi asks a language server (`provider` is `lsp`) or an MCP server (`mcp`) for that request; `call` counts these, `bytes` are those of the parameters"},
	{ServerResponse, "the server has answered the request with the same `call`"},
	{ServerError, "it refused (`code` is its own), ended, or did not answer in time; `error` says which"},
	{DecodeFailed,
		"what a server answered, or a host asked, is not what the protocol says; `reason` says what is wrong"},
	{HostResponse, "the host gets its answer; `bytes` are those of its structured content and its texts"},
	{HostError, "the host gets an error; `error` is its kind ([contract.md](contract.md)), `tool_error` one that another MCP server gave, or `protocol_error`"},
	{HostHook, "a host has run `lspi hook` ([hooks.md](hooks.md)); `method` is the event, `told` how many errors its model was told, and `owed` how many files had no diagnosis in time"},
	{EventsLost, "so many lines (`lines`) were not written, because the disk was full, or slower than the events came"},
}

// The providers of servers.
const (
	LSP = "lsp"
	MCP = "mcp"
)
