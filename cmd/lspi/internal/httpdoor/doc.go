// Package httpdoor is the HTTP server of the shared process, which runs only when the user asks for it. It decides
// where to listen, which requests are served, and how much one client may take. The handlers behind it (MCP at /mcp,
// the state of the process at /mcp/status) are given to it.
//
// Each request goes the same way: its Host and Origin are checked, so that no web page reaches the process through
// a browser; then the bearer token; then its body is read, in bounded size and time; only then a handler sees it.
// /mcp/health alone needs no token.
package httpdoor
