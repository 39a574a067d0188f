// Package diagnostics asks the servers of files, or of the whole workspace, for their diagnostics, and makes the
// answer of get_diagnostics of them. Every finding is of the text that is on disk; what a server did not report on is
// told, because "no errors" of a server that has not looked reads like a clean file.
//
// Life of a call ([Run]): the files are grouped by server and root ([Groups]), and all groups are asked at the same
// time ([ask.Diagnostics]); each adds what it found to a gathered. A server that reports in stages (first its own
// errors, then those of an external checker or of the whole project) is waited for only up to the errors of the files;
// the rest stays pending, goes on behind the answer, and is told by a later answer of the session
// ([lspi/tools/session.ErrorsTold]). Then the findings are sorted, those that two servers report are told once
// ([Distinct]), and the window is taken (result.go, shown.go). What the server does not check is told
// (exclusions.go). users.go finds the files that a server which checks open files only would never look at: those that
// use what the named files changed since the last commit.
//
// A question about the workspace, or about the part of it that folders and globs name (scope.go), goes to the servers
// of all its sources (workspace.go). Those that look at whole projects by themselves are asked what they know; to the
// others lspi shows the sources, as far as there is time (sweep.go, [lsp.Sweep]), and part_errors.go drops what such a
// server finds in a file alone and no build has.
package diagnostics
