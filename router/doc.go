// Package router knows which language server serves a file, where its root is, and who is running.
//
// The life of a question: [Table.Route] maps a path to candidates, in order of preference, each with its root and the
// file's language id; the pool starts or finds the process of the first candidate that is installed and has the role,
// keyed by [Route.Key]. Routing is a pure function of the table and a [disk.Files]: it starts nothing.
//
// What is known about servers is data that is handed in ([Table]); no code here knows a server by its name.
package router
