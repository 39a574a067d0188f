// Package testkit has what the tests of several packages share: the real language servers and corpora that scripts
// install beside the project (Need, Corpus, ServerEnv), small projects on disk (Project, Write), lspi as a program and
// a host for it (Program, StartHost), waiting for other processes (Wait, Processes), and the choice between the tests
// of make test and the full matrix. Only tests, and soak, import it.
//
// A package that starts lspi or scripted servers has a TestMain that calls lsptest.Play and then [Run].
// tools/toolstest opens a session with servers in the process of a test.
//
// "make test" runs each feature with at least one real server, .ci/run (LSPI_TESTS=own) also what starts a server for
// one rule ([OwnServer]), "make test-all" (LSPI_TESTS=all) every feature with all servers: a test over several servers
// names those that it always runs with [Always].
package testkit
