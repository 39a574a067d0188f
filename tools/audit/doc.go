// Package audit decides whether an answer is whole, and says so in the answer.
//
// # Uses
//
// A symbol is used by name. So whatever uses it has one of its names in its text; exceptions are few and known. [Uses]
// goes through the places in the workspace that hold a name of the symbol, and asks of each why it is not in the
// answer:
//
//  1. Which files hold the name, and how, the index of words tells (package words): in code, in the text of a macro or
//     under a condition, between the delimiters of a template, as a string, in a comment or in prose.
//  2. A place in a comment, in prose or in data is explained. So is one outside of the scope of a local declaration,
//     one that a build made of sources, and one in another working tree of the repository.
//  3. The hooks of the server vouch for files ([lsp.CoverageHooks].Vouch): what it has loaded and checked, where the
//     language decides by types. Their code is explained, except what is open: macros, conditions, bodies of templates.
//  4. At every other place the server is asked where it leads. To the symbol: the place is a use that it does not list,
//     and comes into the answer. To something else: explained, unless it is a member that the symbol overrides or is
//     overridden by. Nowhere: unexplained, unless the value before the dot has a known type, or the name comes from a
//     package that is not in the tree.
//  5. What is left is one warning, unexplained, by file, with count, first line and reason. Strings that are the name
//     are another one, mentions: it does not lower completeness, and stops an edit from being applied by itself.
//
// What is used without its name (values by place, names that a macro pastes) the hooks of the server find.
//
// # The rest
//
// The other files look at what is not about uses: sources that a build leaves out of implementations and searches,
// projects that the server does not join, dependencies that are not installed, files with syntax errors, servers that
// run restricted. A source takes one way into the answer: a hook names it with the reason ([lsp.Uncovered]); it stays
// where it can change this answer ([Holders]); one warning for each reason tells of what is left (tell).
//
// What cannot be decided (a request fails, the time ends, a file cannot be read) counts against completeness. The steps
// go from cheap to dear: what is in memory, then the texts on disk, then questions to the server. A search has bounds of
// time and number, because it runs behind the answer, in the time that the call has left.
package audit
