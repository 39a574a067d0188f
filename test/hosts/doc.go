// Package hosts runs the real MCP hosts with lspi and a stand-in for their model, and looks at what the model gets.
// It is tests only, they run with LSPI_HOSTS (make hosts), and write docs/hosts.md.
//
// Life of one test: a small Go project and the binary of lspi; the stand-in on the loopback, which answers each
// request of the host with the next call of a script and keeps what comes back; the host, configured as its users
// do it, in a home of its own, with the stand-in as its provider and as the proxy for everything else, bounded in
// time and memory. What the model got is then held against what the answer was, and against the table in
// workspace/host.go.
package hosts
