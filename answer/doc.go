// Package answer is one call of a tool and the answer that it grows into: warnings with their effect on completeness, next steps, the
// pages of a list, the cap on its size, the text beside the envelope, and the error with its steps. [Call] holds what one call has said so
// far; the packages above add to it. An answer that may have to be made smaller implements the interfaces of limits.go.
//
// Nothing here asks a server.
package answer
