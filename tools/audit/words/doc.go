// Package words is the index of the words of a workspace: for each text file, which words it holds and how
// ([lang.Use]). It answers which files have to be looked at for a name; where in a file the name stands is read there.
//
// # Files
//
// The files are those of the journal of the workspace ([watch.Journal]): what git does not ignore, folders that begin
// with a dot included. Links into the workspace are left out, because the files that they lead to are there. A file
// with a zero byte is binary and holds no words; one that cannot be read, or is larger than [source.MaxBytes], may
// hold any.
//
// # Freshness
//
// A question begins with a barrier of the journal, so that the index has every write made before the question. Files
// that changed since the last question are read anew, all others never again. All of them are read when the first
// server of the workspace starts ([Index.Build]), on two processors at a time. A question that comes earlier waits for
// that, as far as its time goes; what is not read by then may hold any word, and the next question goes on from there.
//
// # Memory
//
// A file has a sorted slice with one number of 32 bits for each of its words: 26 bits of a hash and 6 bits for how it
// holds the word. 25,000 files with 400 words each take 40 MB. No list of files is kept for a word, because it would
// have to be found and changed at each write; a question looks for the word in the slices of all files instead, which
// takes 0.3 µs for each. Two words may share a hash: a file is then read in vain, and never missed. Of a workspace with
// more words than the index may hold, the files beyond that are read by each question.
package words
