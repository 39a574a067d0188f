package testkit

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Lasting stands for a test that is over when all tests of the package are: it owns what several of them share,
// such as a session over a server that starts slowly. A package that uses it has a TestMain that calls [Run]. What
// fails there panics.
var Lasting testing.TB = &lasting{}

// lasting has what makers of sessions use; the other methods of testing.TB panic.
type lasting struct {
	testing.TB
	mu   sync.Mutex
	undo []func() // guarded by mu
}

func (*lasting) Helper()                  {}
func (*lasting) Context() context.Context { return context.Background() }
func (*lasting) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }

func (l *lasting) Cleanup(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undo = append(l.undo, f)
}

func (l *lasting) TempDir() string {
	dir, err := os.MkdirTemp("", "lspi-tests")
	if err != nil {
		panic(err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// end undoes in the order of defer.
func (l *lasting) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.undo {
		l.undo[len(l.undo)-1-i]()
	}
	l.undo = nil
}
