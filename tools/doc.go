// Package tools is what a host sees: the MCP tools of the contract as one ordered table, and the one way in which each
// of them runs.
//
// Life of a call ([Run]): the arguments are rewritten from the words of the original lspi, completed with configured
// defaults, and decoded against the tool's schema (decode.go); the place that they name is located ([resolve.At]);
// package ask finds the server, starts it, brings it up to date with the disk and asks; package audit explains the
// places of an answer about uses, and package loaded adds what the server has not read; the answer is cut to what the
// host shows ([answer.Call.Fit]); and whatever went wrong becomes an envelope with next steps, which are tried first
// where that is cheap (steps_probe.go).
//
// Where a name alone leads is decided in lookup: the files of the workspace are read for the word first (spelling), and
// only servers of languages that hold it are asked, running or not, all at the same time; the others come in when those
// know none. So a language that has nothing to do with a name neither delays its answer nor limits what it claims.
//
// A tool is a file with its arguments, its answer and its verb, and a .md file beside it with its words. The package
// knows MCP's results but not its transport: the same registry serves stdio, `lspi call` and later a socket.
package tools
