// Package trial holds what a model is told of its edits against what the compiler says, in a small project of each
// language. A [Project] is the sources on disk, with the edits that break them and the compiler; a [Book] counts what
// was told right, late, of an old text, twice, or though it is not new.
//
// TestHookTrial plays the edits through processes of lspi hook (make hooks). test/hosts has the real hosts play them
// (LSPI_HOOKS=hosts make hooks), and takes the projects, edits and the book from here.
package trial
