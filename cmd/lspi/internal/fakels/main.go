// Command fakels is the scripted server of lsptest as a program of its own: "make test" builds it without the race
// detector, beside which the binary of a test, which plays it elsewhere, takes 60 ms of CPU to start, and several
// times as long for each message.
package main

import (
	"os"

	"lspi/lsp/lsptest"
)

func main() { os.Exit(lsptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
