// Package compare holds lspi to its first promise: what it answers is what the language server answers. Its tests take
// hundreds of positions by a fixed seed from real repositories (scripts/corpora.sh), ask each through tools.Run and
// once more a second process of the same server by a client of their own, and expect the same set in the order of the
// contract, with the lines and totals that the files have. Nothing of lspi's position mapper or decoding is used for
// the expected side.
//
//	LSPI_COMPARE_POSITIONS=500   positions for each language; 15 by default, 80 with LSPI_TESTS=all
//	LSPI_COMPARE_COLD=10         cold starts for each language; 1 in Go by default, 3 in each with LSPI_TESTS=all
//	LSPI_COMPARE_SEED=7          another seed
//	LSPI_PARTIAL=500             questions of TestPartial for each of six repositories; a few of one by default, of two with LSPI_TESTS=all
//	LSPI_PARTIAL_LOG=FILE        gets each of these questions with its answer
//	LSPI_RENAMES=all             all renames of TestRenameReal; with LSPI_TESTS=all a few in one project
//
// What the texts of real projects look like at their strangest (CRLF, byte order marks, Latin-1, symbolic links, five
// megabytes) is in texts_test.go, with the same servers on small projects.
package compare
