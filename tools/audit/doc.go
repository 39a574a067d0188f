// Package audit is what an answer does not cover, and says so in the answer: sources that a build leaves out or
// that do not compile, projects that the server does not join, dependencies that are not installed, code that only
// a run of the program can decide about (names in texts, reflection, fixtures), macros, files with syntax errors,
// servers that run restricted. Each subject has a file.
//
// The functions take the call ([answer.Call]), the server that answered, and where the question needs it the
// symbol. They add warnings, and through them lower the answer's completeness; an answer that nothing here speaks
// against stays complete. To keep that honest without calling every answer partial, they look for the name that was
// asked about in what the server did not read: only a file that holds it is told.
//
// A source that the server did not read, or not to its end, takes one way into the answer:
//
//  1. A hook of the server names it with the reason ([lsp.Uncovered]). Which sources these are is known for
//     the whole project, so most of them have nothing to do with the question.
//  2. It stays only where it can change this answer. It holds a name that the answer is about ([Holders]); it
//     does so in its code, at a place that the answer does not have (missing); it imports what it needs for that
//     ([lsp.MayUse]); and the symbol is not one that its own file keeps to itself (isConfined). When the time
//     ends before that is decided the source counts, because a source too many makes an answer partial, and one
//     too few makes it wrong.
//  3. One warning for each reason tells of what is left (tell). The kind of the warning belongs to the reason
//     ([lsp.Reason.Kind]), and the kind says what it does to completeness.
//
// Two rules hold in most of these steps. What cannot be decided (a request fails, the time ends, a file cannot be
// read) counts against completeness, so a function that leaves a source out needs a certain reason. And the steps
// go from cheap to dear: what is in memory, then the texts on disk, then questions to the server, each for what the
// step before has left. A search has bounds of time and number, because it runs behind the answer, in the time that
// the call has left.
//
// The ends of the names say what the answer is about: Uses for references, Calls and Callers for call hierarchies,
// where the references of an item stand for what the server has seen of it, and Types for implementations.
package audit
