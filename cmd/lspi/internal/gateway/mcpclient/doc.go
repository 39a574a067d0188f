// Package mcpclient is the client of one other MCP server: a program that speaks over stdin and stdout, or a URL
// that speaks streamable HTTP. It is to MCP servers what package lsp is to language servers, and depends on nothing
// of these.
//
// # Its life
//
//	New ──▶ not_started ──first need──▶ starting ──handshake──▶ ready ──Close──▶ closed
//	                                      ▲   │                  │
//	                             next call│   │failed            │died
//	                                      │   ▼                  ▼
//	                                     backing_off ◀───────────┘
//	                                          │ three times, with less than a minute of being ready between
//	                                          ▼
//	                                        failed ──a minute, or Retry──▶ as if new
//
// New starts nothing. The first call or list starts the server, and whoever waits for that may leave: the start
// belongs to the client and goes on. When the connection ends, the calls in flight end with Died, and none of them
// is repeated, since it may have had effects; the next call starts the server again, 500 ms after its death at the
// earliest, then 1 s, and after three failures it is left alone for a minute and calls fail at once, with what went
// wrong last. A program that is not there is looked for again at each call. A session over HTTP that the server
// forgot is no failure: the call that met it goes to a new one, as the server did nothing.
//
// A change of its configuration is a new client: Same says whether there is one. Close ends what the old one does.
//
// # Calls
//
//	r, err := c.CallTool(ctx, mcpclient.Call{Name, Arguments, Meta json.RawMessage, Progress func(Progress)})
//	r, err := c.GetPrompt(ctx, name, map[string]string) / c.ReadResource(ctx, uri) / c.Complete(ctx, *mcp.CompleteParams)
//	err    := c.Subscribe(ctx, uri) / c.Unsubscribe(ctx, uri) / c.SetLevel(ctx, level);  c.RootsChanged()
//
// r.Raw is the result as the server sent it, byte by byte; r.Decoded is the SDK's type of it, whose
// StructuredContent is a json.RawMessage. Both are others where the result of a tool does not decode; r.Undecoded
// says why. Any other answer that does not decode is an error. At most Options.InFlight calls run at a time, the
// others wait. A call that has no answer within Spec.CallTimeout, or since its last progress, ends with TimedOut; a
// context that ends sends notifications/cancelled. err is an *Error: its Kind says what happened, and its texts
// hold no secret.
//
// # Lists
//
//	l, err := c.Tools(ctx) / c.Prompts(ctx) / c.Resources(ctx) / c.ResourceTemplates(ctx)
//
// A list waits no longer than ctx; then the last one that is known stands in, with Cached set and Err saying why,
// from this process or from Options.Cache (NewFolder). What could not be awaited comes later: Host.Changed hears
// when the list is another one than was given out last. A tool has Name (the server's), Exposed (what hosts take:
// session.ServerTool(id, Exposed) has at most 64 characters of [a-zA-Z0-9_-], with a host's prefix, and is unique),
// Item (*mcp.Tool, which Server.AddTool takes without a panic; set its Name before) and Raw. CallTool and GetPrompt
// take both names.
//
// # Names and schemas
//
// The schema of a tool's arguments becomes one of an object without alternatives at its root (inputSchema); the
// schema of Raw stays. In an exposed name each character outside [a-zA-Z0-9_-] is "_", and a name that is too long
// keeps its beginning and ends in 8 digits of its SHA-256. A changed name that is taken is left out, the real one
// stays. A tool without a schema of an object is left out, as is what else hosts cannot take. All of it is told in
// List.Warnings and in the status.
//
// # How it reads
//
// The SDK's session keeps the protocol: ids, handshake, decoding, pages, notifications, cancelling, HTTP. Beside it
// a tap sees the messages, for what the SDK does not tell. Over stdio the SDK reads from stream, over HTTP from its
// own transport through tripper. Everything that the server can make grow has a bound: a message, a list, the
// queues of progress, log messages and updates, its requests, and its stderr.
package mcpclient
