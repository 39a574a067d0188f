// Package source is what lspi sees of the file system.
//
// Source text, as hosts and servers count it: lines, positions in each encoding of LSP, words ([Text]); a cache of
// the texts that answers point into ([Cache]); and which files may be read and shown at all ([Reach]).
//
// For routing, and for what is known of servers: whether a folder has an entry, the text of a manifest, and who owns
// a file. [OS] is the file system itself; [DiskCache] remembers what it says and checks that with one stat per
// folder.
//
// The package knows no server and no language.
package source
