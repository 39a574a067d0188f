// Package resolve leads from what a host gives (a name, a line with a name, or a position) to the symbol at one
// place. A name that stands for several symbols is an error with the candidates, never a guess; a line that has
// moved a little is found again, with a warning.
//
// [At] is the way for tools that read, [AtExactly] for tools that change files. Which file does the finding depends
// on the target:
//   - file, line and character: the position as it is (locate.go, exactPlace)
//   - file, line and name: the word on the line, and by the server's definitions which of several (locate.go,
//     disambiguate.go); one in a comment or a string alone means the declaration of the name, in the file or elsewhere
//   - file and name: the declaration among the file's symbols (symbols.go), else the first use
//   - name alone: a search at the servers whose files hold the word (spelling.go, lookup.go); unknown.go says
//     what a name may have been meant for that nobody knows
//
// Before the tool's own request, seen.go makes sure that the server takes the place for the same symbol.
//
// The order is always from what costs nothing to what costs requests: the text, the symbols of the file (which the
// server's client remembers), the definitions of a few occurrences, and only for a name alone the search of the
// workspace. [Question] is that search for the tools that list matches: what is sent to each server, and which of its
// answers count. Nothing is kept between calls.
package resolve
