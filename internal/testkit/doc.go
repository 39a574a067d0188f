// Package testkit is what the tests of several packages share: the real language servers and corpora that scripts
// put beside the project (Need, Corpus, ServerEnv), small projects on disk (Project, Write), lspi as a program and
// a host for it (Program, StartHost), waiting for other processes (Wait, Processes), and the choice between the
// tests of every day and the full matrix. Only tests, and soak, import it.
//
// A package that starts lspi or scripted servers has a TestMain that calls lsptest.Play and then [Run].
// testkit/sessions opens a workspace with servers in the process of a test.
//
// "make test" runs each feature against at least one real server, "make test-all" (LSPI_TESTS=all) against all of them:
// a test over several servers names those that it always runs with [Always].
package testkit
