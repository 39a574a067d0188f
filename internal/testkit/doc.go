// Package testkit is what the tests of several packages share: the real language servers and corpora that scripts put
// beside the project, small projects on disk, and the choice between the tests of every day and the full matrix. Only
// tests import it.
//
// "make test" runs each feature against at least one real server, "make test-all" (LSPI_TESTS=all) against all of them:
// a test over several servers names those that it always runs with [Always].
package testkit
