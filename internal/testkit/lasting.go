package testkit

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Lasting is a testing.TB that ends when all tests of the package have ended. It owns what several tests share, such as
// a session with a server that starts slowly. A package that uses it has a TestMain that calls [Run]. Its Fatal panics.
var Lasting testing.TB = &packageTest{}

// packageTest has the methods that helpers for sessions use; the other methods of testing.TB panic.
type packageTest struct {
	testing.TB
	mu   sync.Mutex
	undo []func() // guarded by mu
}

func (*packageTest) Helper()                  {}
func (*packageTest) Context() context.Context { return context.Background() }
func (*packageTest) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }

func (l *packageTest) Cleanup(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undo = append(l.undo, f)
}

func (l *packageTest) TempDir() string {
	dir, err := os.MkdirTemp("", "lspi-tests")
	if err != nil {
		panic(err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// end calls the functions given to Cleanup, the last one first.
func (l *packageTest) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.undo {
		l.undo[len(l.undo)-1-i]()
	}
	l.undo = nil
}
