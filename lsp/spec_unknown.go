package lsp

// UnknownType says how the signatures of hovers show a type that a server does not know; the zero value, that nobody can tell.
type UnknownType struct {
	Said string // pattern of these words; "" when there are none
	// Error is a pattern for the errors of the file that may be the reason; "" takes any.
	Error string
	// Gradual: the same words stand for what the source gives no type, so that they alone say nothing.
	Gradual bool
}
