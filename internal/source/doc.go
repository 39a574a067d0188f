// Package source is what lspi sees of the file system. Source text as hosts and servers count it: lines, positions
// in each encoding of LSP, words, a cache of the files that answers point into, and which files may be read and
// shown at all. For routing and for what is known of servers: whether a folder has an entry, the text of a
// manifest, and whose a file is; [OS] is the file system as it is, [DiskCache] the same with a memory that one stat
// per folder keeps true. It knows no server and no language.
package source
