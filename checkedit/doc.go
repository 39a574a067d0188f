// Package checkedit is the tool check_edit: what edits would change about the diagnostics, at the servers of all files concerned, without
// a change on disk; and, where the host asks for it and they are clean, the edits themselves. Edits that the servers cannot judge (what only
// a compiler or a linker sees, code that the build leaves out) are told and never applied.
package checkedit
