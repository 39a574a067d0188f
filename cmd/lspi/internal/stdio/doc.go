// Package stdio is the connection with an MCP host over stdin and stdout: one JSON-RPC message in each line.
//
// A goroutine reads lines, one ahead of the SDK, which takes messages by [Conn.Read] and writes answers by
// [Conn.Write]. pending counts what the host is still owed. A line that is no message is answered with a JSON-RPC
// error, and the session goes on. The end of the input is passed on to the SDK only when the calls in flight have
// been answered, or the host does not read any more.
package stdio
