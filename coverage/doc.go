// Package coverage is what an answer does not cover, and says so in the answer: sources that a build leaves out or that do not compile,
// projects that the server does not join, dependencies that are not installed, code that only a run of the program can decide about
// (names in texts, reflection, fixtures), macros, files with syntax errors, servers that run restricted. Each subject has a file.
//
// The functions take the call ([answer.Call]), the server that answered, and where the question needs it the symbol. They add warnings,
// and through them lower the answer's completeness; an answer that nothing here speaks against stays complete. To keep that honest
// without calling every answer partial, they look for the name that was asked about in what the server did not read: only a file that
// holds it is told.
package coverage
