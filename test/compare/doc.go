// Package compare tests lspi's first promise: it answers what the language server answers. The tests take hundreds of
// positions, by a fixed seed, from real repositories (scripts/corpora.sh). They ask about each through tools.Run, and
// ask a second process of the same server with a client of their own. Both have to give the same set, in the order of
// the contract, with the lines and totals that the files have. The expected side uses neither lspi's position mapper
// nor its decoding, so that a mistake there cannot be on both sides.
//
//	LSPI_COMPARE_POSITIONS=500   positions for each language; 8 by default, 80 with LSPI_TESTS=all
//	LSPI_COMPARE_COLD=10         cold starts for each language; 1 in Go by default, 3 in each with LSPI_TESTS=all
//	LSPI_COMPARE_SEED=7          another seed
//	LSPI_PARTIAL=500             questions of TestPartial for each of six repositories; a few of one by default, of
//	                             two with LSPI_TESTS=all
//	LSPI_PARTIAL_LOG=FILE        receives each of these questions with its answer
//	LSPI_TRIALS=200              moves of TestAuditTrial in each of six corpora; a few of one with LSPI_TESTS=own
//	LSPI_TRIAL_MOVES=macro       only the moves whose name matches
//	LSPI_SEARCHES=100            searches of TestSearchTrial in each of five corpora
//	LSPI_RENAMES=all             all renames of TestRenameReal; with LSPI_TESTS=all a few in one project
//
// texts_test.go asks the same servers about small projects with unusual texts: CRLF, byte order marks, Latin-1,
// symbolic links, five megabytes.
package compare
