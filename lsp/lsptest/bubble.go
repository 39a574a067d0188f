package lsptest

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// Bubble is synctest.Test for code that uses lsp/wire. go.lsp.dev/jsonrpc2 v1.0.1 keeps channels in a sync.Pool.
// One that was made in a bubble is a fatal error outside it, and one from outside blocks a bubble's clock, so the
// pool is emptied on both sides. A test in a bubble must not be parallel to another one.
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
