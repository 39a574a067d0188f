package lsptest

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// Bubble is synctest.Test for code that uses lsp/wire. go.lsp.dev/jsonrpc2 v1.0.1 keeps channels in a sync.Pool: a
// channel that was made in a bubble is a fatal error outside of it, and one from outside blocks the clock of a
// bubble. So the pool is emptied before and after. A test in a bubble must not run in parallel with another one.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	emptyPools()
	defer emptyPools()
	synctest.Test(t, f)
}

// emptyPools empties every sync.Pool: what is in one survives the first collection and not the second.
func emptyPools() {
	runtime.GC()
	runtime.GC()
}
