// Package router decides which language server serves a file, which root the server gets, and which process answers.
//
// Which server: [Table.Route] maps a path to candidates in order of preference, each with its root and the language
// identifier of the file. Routing is a pure function of a [Table] and a [source.Files]; it starts nothing. What is
// known of servers is data in the table: no code here branches on the name of a server.
//
// Which process: a [Pool] belongs to one configuration of one workspace. [Caller.Get] returns the running process of
// a route ([Route.Key]) or starts one. Callers that arrive during a start share it, and the start outlives the caller
// that caused it: a caller whose context ends leaves, and the server is warm for the next one.
//
// How a process ends:
//
//   - by itself, which counts as a crash. The next Get starts another process, until the crash budget is used up
//     (failures.go).
//   - after its idle time, or its restart interval (idle.go).
//   - to make room: the least recently used server ends when too many run, or when all of them together use too much
//     memory (limits.go). When that is not enough the largest ends, even while it is in use (memory.go).
//   - by order of the user ([Pool.Stop], [Pool.Restart]).
//   - with the last pool that uses it.
//
// The pools of one process form a [Group]. It holds the slots of all servers under one lock, since pools whose
// configurations agree about a server share its process (share.go) and the limits hold over all pools. Journals of
// changes on disk are shared in the same way and counted by reference (journals.go).
//
// A server that is shown texts which are not on disk serves one caller alone until they are withdrawn (exclusive.go).
// A question that needs a process of its own gets one beside the pool (separate.go).
//
// [SurveyWorkspace] walks a workspace once and reports its kinds of files with the servers for them. [ProjectCode]
// reports which code of the project these servers would run if the user trusted the workspace.
package router
