// Package lsptest is a language server that does what it is told: crash, hang, flood, lie, be slow. Real servers do
// all of that, but not on demand.
//
// What it does is a Script: rules that are looked up by method, each with actions performed in order; what no rule
// says is done as a decent server does it. The same script runs in process (Start), over pipes that work in a
// synctest bubble, and as an executable (Main): the test binary of a package plays `fakels script.json`.
//
// With "language": "words" it also serves a language that is small enough to know the truth about: every identifier
// is a symbol, a line that starts with `def NAME` defines it, indented lines below are its body, `impl NAME`
// implements it, the words BAD and WARN are an error and a warning. It reads its files at the start and from then
// on learns only what the client tells it, so a test can see whether the client did.
//
// Life: messages are read and answered one after the other on one goroutine, as in a server with one thread. An action
// that waits (delay_ms, or a request whose answer is awaited) moves the rest of its actions to a goroutine of their
// own. Everything ends with Server.Close, the end of the client's stream, or an action that ends the server; Done
// is closed when all goroutines are gone.
//
// Reading and writing of messages is go.lsp.dev/jsonrpc2 as it comes: strict, so that a client that writes nonsense is
// found out.
package lsptest
