// Package hosts runs the real MCP hosts with lspi and a stand-in for their model, and looks at what the model gets. It
// has only tests; they run with LSPI_HOSTS (make hosts) and write docs/hosts.md.
//
// Life of one test: it makes a small Go project and builds lspi. The stand-in listens on the loopback, answers each
// request of the host with the next call of a script, and keeps what comes back. lspi setup configures the host, in a
// home folder of its own; the stand-in is its provider, and its proxy for everything else. Time and memory are limited.
// Then the test compares what the model got with lspi's answer, and with the table in tools/session/host.go.
package hosts
