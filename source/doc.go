// Package source is source text as hosts and servers count it: lines, positions in each encoding of LSP, words, a cache of the files
// that answers point into, and which files may be read and shown at all. It knows no server and no language.
package source
