// Package answer is one call of a tool and the answer that it grows into: warnings with their effect on
// completeness, next steps, the pages of a list, the cap on its size, the text beside the envelope, and the error
// with its steps. [Call] holds what one call has said so far; the packages above add to it. An answer that may have
// to be made smaller implements the interfaces of limits.go.
//
// A call goes through these steps: [NewCall]; the tool adds warnings ([Call.Warn]), steps ([Call.Step]) and a claim
// of completeness, which warnings only lower; what an attempt said that turned out void is taken back
// (attempts.go). Then [Call.Present] writes the envelope in both channels (presentation.go, text.go, sheet.go), and
// where it is over the cap [Call.Fit] looks for the largest part that is not (limits.go). An error gets its steps
// from failure.go. What is told once in a session counts as told only at the very end (told_once.go).
//
// Nothing here asks a server.
package answer
