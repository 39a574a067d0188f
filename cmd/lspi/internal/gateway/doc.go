// Package gateway has the other MCP servers of one host's session, which stand behind lspi: their clients (package
// mcpclient), their tools, prompts and resources under the names that hosts see, and what their status is.
//
// Life: [New] starts nothing. [Servers.Set] says which servers the configuration has; [Servers.Begin], when the
// host has shaken hands and asks for the first list, starts them, because a client tells its server what the host
// offers. From then on each server is by itself: its lists arrive, or an older list stands in, and
// [Options.Changed] hears of it. A server that the configuration does not have any more ends when its calls have;
// one whose configuration is the same goes on. [Servers.Close] ends all.
package gateway
