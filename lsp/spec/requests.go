package spec

// RawField is a textDocument among the parameters, RawWhole parameters that are the document's identifier
// themselves, and RawNone a request about no document.
const (
	RawField RawDocument = iota
	RawWhole
	RawNone
)

// Actions says what is known of a server's code actions beyond the specification: what its commands do. A command
// that is in none of these fields is never run, because it may do anything: write files, open a browser, run tests.
type Actions struct {
	// Commands change nothing but by workspace/applyEdit: they are run to see the edit that they ask for.
	Commands []string
	// Follow are commands that stand beside an edit and have nothing left to do.
	Follow []string
}

// Formatting says how a server formats, beyond the specification.
type Formatting struct {
	// TextAlone: it needs the text and the files that say how, so that nobody waits until it has loaded a project.
	TextAlone bool
	// Styles are files that say how, in the folder of a source or above it. A source without one is not formatted:
	// what the server would do then is one style of many. Empty where the language or the server has one style.
	Styles []string
	// Unparsed are the codes or sources of the errors of a text that the server leaves as it is without a word.
	Unparsed []string
}

// RawRequest is a request that may be passed on as it is, because it only reads.
type RawRequest struct {
	Method string
	Names  RawDocument
}

// RawDocument says how the parameters of a request name their document.
type RawDocument uint8

// SymbolQuery says what a query of workspace/symbol is sure to find. The zero value promises only that the name itself
// finds the symbol: LSP leaves the matching to the server.
type SymbolQuery struct {
	Containing string // a query in this form finds every symbol whose name holds the word that stands for %s
	Ending     string // likewise whose name ends with it; "" sends the word
	Qualified  bool   // the name that these match includes the scope
	Everything bool   // the empty query lists every symbol
	// ScopesMissing: an answer leaves out scopes that the symbols of the file tell.
	ScopesMissing bool
	// MethodsAreFunctions: a method has kind function here, other than in textDocument/documentSymbol.
	MethodsAreFunctions bool
	// Locals: an answer has what is declared in functions, too.
	Locals bool
}

// Dynamic says how sources of a language use what nobody gave a type. A server does not know of such a use which
// declaration it means: that is decided when the program runs.
type Dynamic struct {
	Getters []string // functions that take a member's name as a text, behind what it belongs to or alone: getattr
	Untyped []string // words in a hover about a value that say its type is not known, or may be another one

	Body         string   // the character with which the body of a function or class begins
	Constructors []string // members that are used by the name of their class: __init__
	Injected     string   // part of a decorator that has a function used by the parameters of its name; "" has none
}
