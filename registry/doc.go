// Package registry says which tools a session may see and call.
//
// A tool is an [Entry], whoever offers it: its provider is lspi itself ([LSP], [Recall]) or another MCP server ([ServerProvider]). A [Set] holds
// the entries of a session, and finds one under every spelling that its name has. One pure function, [Filter.Judge], decides about an entry by
// what the configuration includes and excludes, by read-only mode and by the [Preset]; the list of tools and each call of one ask the same
// function, so that a tool which is not listed cannot be called.
//
// How a tool runs, and what a refusal says to a host, are not here: packages tools and mcpclient run tools, answer makes errors.
package registry
