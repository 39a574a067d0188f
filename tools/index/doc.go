// Package index reads SCIP indexes: what a language's indexer has found out about a commit, which answers while no
// language server can.
//
// Life of an index ([Open]): the file is read once, document by document, into a table below lspi's cache folder, by
// symbol and by file; a later call opens the table, until the file has another size, time or content. An index is data
// of whoever made it. Reading it runs nothing, and its paths stay below the folder that the index is of; but an index
// that does not say in which units it counts columns is refused, because its places would be guessed.
//
// The table is SQLite, which lspi has anyway for the transcripts of OpenCode: for a million symbols bbolt was written
// in 2.0 s instead of 2.9 s and would be one more module.
//
// Whether an answer may be given from an index, and whether it is whole, is decided in package indexed.
package index
