// Package workspace is what the calls of one host's session share: the settings, the table of servers and the pool that runs them
// ([Env]), what an edit is written with, and what is known of each MCP host ([Host]). It asks no server and knows no tool.
package workspace
