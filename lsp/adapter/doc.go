// Package adapter holds what is particular about language servers beyond the data of their rows: which sources a
// server leaves uncovered, which projects it does not load for a question, what its project files and its index on
// disk say. Package lsp is the client of one server and knows none of it; it asks the [lsp.Adapter] of a process
// during its own work, and the tools ask the functions here.
//
// An adapter is made for each process ([lsp.Options].Adapter) and forgets with it. It is told of every change that
// a sync saw before the server is, and only takes notes then; what a question needs is read when the question is
// asked, within its deadline.
package adapter
