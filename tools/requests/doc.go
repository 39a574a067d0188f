// Package requests has the tools that look up what the user asked, from the transcripts that package recall reads:
// a verb for each, with its arguments and the fields of its answer. Package tools makes tools of them. They share
// how they find the session (session.go), and how they show a text that may be long (passage.go).
package requests
