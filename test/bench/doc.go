// Package bench measures what lspi costs beside the language server that it asks. Each question is asked in three ways:
// directly, through tools.Run in this process, and through the real binary over MCP. The ways take turns within one
// run, so that other load of the machine affects all of them alike.
//
//	go test -run '^$' -bench . -benchtime 200x ./test/bench
//
// BenchmarkRows asks five servers, each alone and through the binary, what an agent asks. -bench Rows/SERVER/ROW
// selects; -update writes docs/benchmarks.md from a run of all rows. The server alone gets what lspi sends to its own
// server at the start, and is then asked for the one thing that a client has to ask.
//
// The other benchmarks ask about golang.org/x/tools (scripts/corpora.sh): the uses of packages.Load, as in the
// comparison with other bridges, and the definitions and references of names all over the module. Goals: lspi adds at
// most 500 µs at the median; 20 ms from start to initialize; 40 MB resident with 10,000 files; the references with
// their lines below 14.8 kB.
package bench
