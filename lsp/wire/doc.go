// Package wire makes go.lsp.dev/jsonrpc2 safe against the language servers of this world.
//
// A Conn is made over a byte stream by New and lives until that stream ends, a write fails, or Close is called.
// While it lives, Call and Notify may be used by any number of goroutines. Messages of the server arrive on one
// goroutine: a notification is handled there, in order, before anything that arrived behind it; a request is
// handled in its own goroutine; a response wakes its Call, which decodes it for itself. When the stream ends every
// Call is released at once with a *ClosedError, the contexts of the request handlers end, and Done is closed. Close
// flushes what is queued, ends the stream and joins the goroutines, all within a fixed time.
//
// What the library does not do, and this package adds (each was seen to end or to hang a connection of jsonrpc2
// v1.0.1):
//
//   - framing that survives stray prints on stdout, wrong lengths, LF line ends (frame.go);
//   - an end when a wrong length has swallowed what somebody waits for (stall.go);
//   - an envelope that survives what real servers send: no "jsonrpc", "error": null, ids as strings (envelope.go);
//   - one undecodable message costs itself and the call it answers, not the connection (stream.go);
//   - writes that obey their context although the server has stopped reading (outbox.go);
//   - handlers that may panic (handle.go), and a bound on the requests of the server in flight (stream.go);
//   - payloads that are protocol types, local structs or raw JSON, each through the codec that it needs (codec.go).
//
// Memory: the body of a message is held once. Small ones share one buffer; a large one has its own, which goes as soon
// as its handler returns or its Call has decoded it. The exception is go.lsp.dev/protocol, whose decoder copies the
// payload and whose strings alias that copy: copy what is kept.
//
// In tests with testing/synctest: jsonrpc2 keeps channels in a sync.Pool, and one from an earlier bubble is fatal
// in the next. lsptest.Bubble is synctest.Test with that pool emptied before; such tests do not run in parallel.
package wire
