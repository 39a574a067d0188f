// Package lang holds what is known of each language without its server: the table of languages ([Language]), and
// scanners of sources that need no parser. A language, or a fact about one, is added by an entry of the table
// (languages.go).
//
// The scanners find places about which a server's answer says nothing: behind a comment that is never closed, in code
// that a condition leaves out, in the text of a macro, in a string with a name in it. Where a scanner cannot tell, it
// returns a place too much rather than one too few.
//
// Packages golang and typescript read the files by which the tools of these languages know a project; readers that
// only one server needs are in its folder of lsp/servers. None of them asks a server. lsp/servers decides which
// server needs what they find.
package lang
