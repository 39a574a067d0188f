// Package lsptest is a language server that does what a test tells it: crash, hang, flood, lie, be slow. Real servers
// do all of that, but not on demand.
//
// A Script says what the server does: rules that are looked up by method, each with actions that are done in order.
// What no rule says is done as a well-behaved server does it. The same script runs in process (Start), over pipes
// that work in a synctest bubble, and as an executable (Main): the test binary of a package plays `fakels
// script.json`.
//
// With "language": "words" it also serves a language that is small enough to know the truth about: every identifier
// is a symbol; a line that starts with `def NAME` defines it, and indented lines below are its body; `impl NAME`
// implements it; the words BAD and WARN are an error and a warning. The server reads its files at the start. From
// then on it learns only what the client tells it, so that a test can see whether the client did.
//
// Life: one goroutine reads messages and answers them one after the other, as a server with one thread does. An
// action that waits (delay_ms, await_pipe, or a request whose answer is awaited) moves the rest of its actions to a
// goroutine of their own. Everything ends with Server.Close, the end of the client's stream, or an action that ends
// the server; Done is closed when all goroutines are gone.
//
// Messages are read and written by go.lsp.dev/jsonrpc2 as it is. It is strict, so that a client which writes nonsense
// is found out.
package lsptest
