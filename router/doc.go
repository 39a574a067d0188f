// Package router knows which language server serves a file, and where its root is.
//
// [Table.Route] maps a path to candidates, in order of preference, each with its root and the file's language id. Routing is a
// pure function of the table and a [disk.Files]: it starts nothing. Which candidate is installed and has the role that is asked
// for, and whether its process runs, others know (packages lsp and pool, by [Route.Key]).
//
// What is known about servers is data that is handed in ([Table]); no code here knows a server by its name.
package router
