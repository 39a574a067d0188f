// Package mcpserver serves lspi's tools, and those of other MCP servers, over the Model Context Protocol (MCP) with
// the Go SDK.
//
// A [Service] is one host's connection. NewService starts nothing but the writing of the tools' schemas. The handshake
// starts the warm-up; the first call of a tool asks the host for its roots and opens the session (tools/session),
// which all later calls share. When the configuration changes, the next call opens another session; calls in flight
// keep the one that they began with, and it ends with the last of them. Close cancels the calls, waits for them, and
// ends the servers.
//
// Every message passes the same middleware: asSent (results of other MCP servers unchanged), recorded (events),
// receive (lists, unknown tools, the warm-up). Over stdio and sockets a [Service] serves one mcp.Transport; over HTTP
// an [HTTP] holds one Service for each MCP session.
package mcpserver
