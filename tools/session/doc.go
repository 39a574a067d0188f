// Package session is what calls share, by how far it is shared: a [Process] has caches, the log and all open
// workspaces; a [Workspace] has the servers of one root, and may stay open for a while behind its last session; a
// [Session] is one host's connection, with its rights and limits, over a workspace that other sessions may have
// too. [Host] is what is known of each MCP host. The package asks no server and runs no tool.
//
// It says which tools a session may see and call. A tool is an [Entry], whoever offers it: its provider is lspi
// itself ([LSP], [Recall]) or another MCP server ([ServerProvider]). A [Set] holds the entries of a session, and
// finds one under every spelling that its name has. One pure function, [Filter.Judge], decides about an entry by
// what the configuration includes and excludes, by read-only mode and by the [Preset]; the list of tools and each
// call of one ask the same function, so that a tool which is not listed cannot be called.
//
// It also knows what users of the original lspi (the Rust program of the same name, until 2026) have written down:
// keys and values of its configuration files, variables, and the names and arguments of its tools ([OriginalKey],
// [OriginalTool], [OriginalCall]). These are tables and pure functions; where the words are met, they are asked,
// and today's words are used from there on. docs/from-original.md is for these users.
package session
