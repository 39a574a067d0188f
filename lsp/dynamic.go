package lsp

// Dynamic says how sources of a language use members of what nobody gave a type. A server tells of no such use: which
// member is meant is decided when the program runs.
type Dynamic struct {
	Getters []string // functions that take a member's name as a text, behind what it belongs to or alone: getattr
	Keys    bool     // x["name"] is the member, too
	Triple  bool     // texts in three quotes go over lines; mostly they are documentation
	Members []string // what stands in a hover about a member: "(method)"
	Untyped []string // words in a hover about a value that say its type is not known, or may be another one
}
