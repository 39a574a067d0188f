// Package httpdoor is the HTTP side of the shared process, off unless the user asks for it: where it listens, who
// may come in, and how much of anything one client may take. What stands behind the door (MCP at /mcp, the state of
// the process at /mcp/status) it is given as handlers.
//
// Each request goes the same way: its Host and Origin are checked, so that no web page reaches the process through
// a browser; then the bearer token; then its body is read, in bounded size and time; only then a handler sees it.
// /mcp/health alone needs no token.
package httpdoor
