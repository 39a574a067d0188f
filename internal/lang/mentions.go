package lang

// Mentions are the names in a source that the server does not read. What they do not hold, the source neither uses
// nor declares.
type Mentions struct {
	Words map[string]bool // every identifier, and the words of the paths that it imports
	// what it declares for others, members too, each bare and qualified ("Type.Method", "pkg.Type.Method")
	Declared map[string]bool
	Embedded map[string]bool // the types whose methods its own types take over
	Imports  map[string]bool
	// what the sources of its folder import, through whose variables it may use members; nil until it is needed
	Beside map[string]bool
}
