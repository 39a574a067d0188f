// Package audit decides whether an answer about the uses of a symbol is whole, and says so in the answer.
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
// What is used without its name (values by place, names that a macro pastes) the hooks of the server find, and nameless
// looks for what the language and macros make. What only C and C++ need is cpp's.
//
// [Uses] is for find_references, [UsesNamed] for a rename, [Edit] for an edit, [UsesOfCalled] for callers.
// [Implementers] puts the same question for the heads of declarations. [CallersOf] and [CalleesOf] ask for calls, and
// compare callees with the text of the function.
//
// What cannot be decided (a request fails, the time ends, a file cannot be read) counts against completeness. The steps
// go from cheap to dear: what is in memory, then the texts on disk, then questions to the server. A search has bounds
// of time and number, because it runs behind the answer, in the time that the call has left.
package audit
