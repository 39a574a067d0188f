// Package bench measures what lspi costs beside the language server that it asks: the same question directly, through
// tools.Run in this process, and through the real binary over MCP, turn by turn in one run, so that whatever else the
// machine does falls on all three.
//
//	go test -run '^$' -bench . -benchtime 200x ./bench
//
// BenchmarkRows asks five servers, each alone and through the binary, what an agent asks: it has a table of rows,
// runs by itself with -bench Rows, selects with -bench Rows/SERVER/ROW, and with -update writes docs/benchmarks.md
// from all rows of one run. The server alone gets what lspi sends to its own at the start, and is then asked for
// the one thing that a client has to ask.
//
// The sources of the other benchmarks are golang.org/x/tools (scripts/corpora.sh), the question that of the
// comparison with other bridges: the uses of packages.Load; beside it the same two questions about names all over
// the module, as they come. Goals: at the median lspi adds at most 500 µs; start to initialize 20 ms; 40 MB
// resident with 10,000 files; the references with their lines below 14.8 kB.
package bench
