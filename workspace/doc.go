// Package workspace is what calls share, by how far it is shared: a [Process] has caches, the log and all open workspaces; a [Workspace]
// has the servers of one root, and may stay open for a while behind its last session; a [Session] is one host's connection, with its
// rights and limits, over a workspace that other sessions may have too. [Host] is what is known of each MCP host. The package asks no
// server and knows no tool.
package workspace
