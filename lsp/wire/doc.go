// Package wire connects to a language server by JSON-RPC (LSP 3.18, Base Protocol), and makes go.lsp.dev/jsonrpc2
// safe against what real servers send.
//
// [New] makes a Conn over a byte stream. The Conn lives until the stream ends, a write fails, or Close is called. Any
// number of goroutines may use Call and Notify. One goroutine reads: it handles a notification of the server at once,
// before anything that arrived later; it hands a request to a goroutine of its own; and it wakes the Call that a
// response answers, which decodes the result itself, so that a large result delays nobody else. When the stream ends,
// every Call returns a *ClosedError at once, the contexts of request handlers end, and Done is closed. Close writes
// what is queued, ends the stream and waits for the goroutines, within a fixed time.
//
// This package adds what the library does not do. Each of these was seen to end or to hang a connection of jsonrpc2
// v1.0.1:
//
//   - framing that survives stray prints on stdout, wrong lengths and LF line ends (frame.go);
//   - an end of the connection when a wrong length has swallowed an answer that a Call waits for (stall.go);
//   - an envelope that accepts what real servers send: no "jsonrpc", "error": null, ids as strings (envelope.go);
//   - a message that cannot be decoded fails the call that it answers, and not the connection (stream.go);
//   - writes that end with their context although the server has stopped reading (outbox.go);
//   - handlers that may panic (handle.go), and a bound on requests of the server in flight (stream.go);
//   - payloads that are protocol types, local structs or raw JSON, each with the codec that it needs (codec.go).
//
// Memory: the body of a message is in memory once. Small bodies share one buffer. A large one has a buffer of its
// own, which is free as soon as its handler returns or its Call has decoded it. The exception is go.lsp.dev/protocol:
// its decoder copies the payload, and its strings refer to that copy, so strings that are kept should be cloned.
//
// In tests with testing/synctest: jsonrpc2 keeps channels in a sync.Pool, and a channel from an earlier bubble panics
// in the next one. lsptest.Bubble is synctest.Test with that pool emptied before; such tests do not run in parallel.
package wire
