// Package loaded tells what a server has not loaded, or does not read, where that can change an answer.
//
// What a call is about is its subject ([answer.Subject]): names, places, the names that a search accepts. A source that
// the server does not read takes one way into the answer: a hook of the server, or the list of sources of its project,
// names it with the reason ([lsp.Uncovered]); it stays where it can change this answer ([Holders]); and one warning for
// each reason tells of what is left (tell). Where few sources are missing, the server is shown them and asked once more
// ([Include]).
//
// The reasons: a build leaves the source out ([Excluded]), the project's own list does ([Unlisted]), nothing tells the
// server what the project is ([LackingProject]), dependencies are not installed ([NotInstalled]), it is of another
// project ([Linked], [OtherProjects], [InOneProject]), code of the workspace may not run ([Restricted]), or it changed
// since the commit of an index that others made ([External]). An empty answer about a name that the server could not
// resolve is told as such ([Unresolved]).
//
// The steps go from cheap to dear: what is in memory, then the texts on disk, then questions to the server. A search
// has bounds of time and number, because it runs behind the answer, in the time that the call has left; what was not
// looked at in time counts against completeness. Uses of a symbol are package audit's.
package loaded
