// Package router knows which language server serves a file, where its root is, and who is running.
//
// The life of a question: [Table.Route] maps a path to candidates, in order of preference, each with its root and the
// file's language id; the pool starts or finds the process of the first candidate that is installed and has the role,
// keyed by [Route.Key]. Routing is a pure function of the table and a [Files]: it starts nothing. [OS] is the file
// system as it is, [Disk] the same with a memory that one stat per folder keeps true.
//
// What is known about servers is data: [Catalogue] is one row of [lsp.Spec] per server, in one file per family, a
// configured server is laid over its row, and no code here branches on a server's name.
package router
