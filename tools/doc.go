// Package tools is what a host sees: the MCP tools of the contract as one ordered table, and the one way in which each
// of them runs: arguments are decoded and checked, the place is located, the server is routed to, started, synchronised
// and asked, the answer is bounded, and whatever went wrong becomes an envelope with next steps.
//
// A tool is a file with its arguments, its answer and its verb, and a .md file beside it with its words. The package
// knows MCP's results but not its transport: the same registry serves stdio, `lspi call` and later a socket.
package tools
