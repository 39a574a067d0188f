// Package router knows which language server serves a file, where its root is, and which process answers.
//
// [Table.Route] maps a path to candidates, in order of preference, each with its root and the file's language id.
// Routing is a pure function of the table and a [source.Files]: it starts nothing. What is known about servers is
// data that is handed in ([Table]); no code here knows a server by its name.
//
// A [Pool] keeps the running servers, as one configuration of a workspace sees them. [Caller.Get] finds the process
// of a route ([Route.Key]) or starts one; callers that come meanwhile wait for the same start. A start belongs to
// nobody who asks: an impatient caller leaves, the start goes on. A process that ends by itself is a crash; the
// next Get starts a new one, until the crash budget is used up (failures.go). Servers that nobody uses end after
// their idle time (idle.go), those used longest ago make room for others (limits.go), and one that takes more
// memory than all may have is ended even in use (memory.go).
//
// Pools of one process form a [Group], which has the slots of all servers under one lock: pools share those that
// are the same for them (share.go), and limits hold over all. A server ends with the last pool that sees it, and a
// journal with the last that looks at it (journals.go). Close waits for what the pool had alone. A server that is
// shown texts which are not on disk is used by one caller alone meanwhile (exclusive.go).
//
// [SurveyWorkspace] walks a workspace once and tells what is in it: which kinds of files, with the servers for
// them, and which code of the project these servers would run if the workspace were trusted ([ProjectCode]).
package router
