// Package diagnostics asks the servers of files, or of the whole workspace, for their diagnostics, and makes the
// answer of get_diagnostics of them. Every finding is of the text that is on disk; what a server did not report on
// is told.
package diagnostics
