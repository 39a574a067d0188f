package lang

// Mentions are the names in a source that a server has not loaded. A name that is not among them is neither used nor
// declared there.
type Mentions struct {
	Words map[string]bool // every identifier, and the words of the paths that it imports
	// Declared is what the source declares for others, members too, each bare and qualified ("Type.Method",
	// "pkg.Type.Method").
	Declared map[string]bool
	Embedded map[string]bool // types whose methods types of the source take over
	Imports  map[string]bool
	// Beside is what the other sources of its folder import: their variables may give it members to use. nil until it
	// is needed.
	Beside map[string]bool
}
