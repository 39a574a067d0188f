// Package servers is what lspi knows about language servers without configuration: one row of [spec.Spec] per
// server, in one file per family of languages (servers_*.go), and the functions that rows refer to. A configured
// server is laid over its row.
//
// What several rows say of different servers by one rule is beside them, by the id of the row: which code of a
// project a server runs and what keeps it from that (project_code.go), where the sources of dependencies lie
// (sources.go), which variables its tools read (environment.go), which versions the tests run ([Servers]).
package servers
