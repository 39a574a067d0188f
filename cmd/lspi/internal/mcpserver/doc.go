// Package mcpserver serves the tools over the Model Context Protocol: the transport, the handshake, sessions of
// hosts, progress, cancellation, roots and the log. It is the only package besides the commands that knows the SDK.
package mcpserver
