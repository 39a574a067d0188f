//go:build linux

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// flatVariable makes TestFlat longer: calls and restarts, "10000,50".
const flatVariable = "LSPI_FLAT"

// Nothing of lspi grows with the number of calls and of servers: file descriptors, goroutines and memory are those of
// when it was warm. Calls are of several kinds, some at once, some given up, with edits in between; every other server
// is killed, the rest restarted.
func TestFlat(t *testing.T) {
	testkit.OwnServer(t)
	calls, restarts := testkit.Times(150, 400), testkit.Times(4, 6)
	if long := os.Getenv(flatVariable); long != "" {
		if _, err := fmt.Sscanf(strings.ReplaceAll(long, ",", " "), "%d %d", &calls, &restarts); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("scripted", func(t *testing.T) {
		s := newScripted(t, nil, []*lsptest.Script{{Language: "words"}}, "a.w", "def X\n  body\n", "b.w", "X\n")
		flat(t, s.Session, s.dir, calls, restarts, "a.w", "b.w", "X\n")
	})
	t.Run("gopls", func(t *testing.T) {
		needServer(t, "gopls")
		session := toolstest.Real(t,
			project(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc X() {}\n",
				"b.go": "package m\n\nvar _ = X\n"}), "gopls")
		flat(t, session, session.Workspace.Root, calls/4, max(restarts/6, 1), "a.go", "b.go",
			"package m\n\nvar _ = X\n")
	})
}

// held is what the process has.
type held struct{ files, goroutines, heap int }

// measure waits until what ends has ended, then looks.
func measure(t *testing.T) held {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fds, err := os.ReadDir("/proc/self/fd")
	testkit.Must(t, err)
	return held{len(fds), runtime.NumGoroutine(), int(m.HeapAlloc)}
}

// The growth that is none: caches fill up to their bounds.
const (
	flatFiles      = 4
	flatGoroutines = 4
	flatHeap       = 6 << 20
)

// flat asks about X, which the file at defines and the file uses uses.
func flat(t *testing.T, session *session.Session, dir string, calls, restarts int, at, uses, text string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	questions := []answer.Request{
		{Tool: "find_references", Arguments: json.RawMessage(`{"file_path":"` + at + `","symbol_name":"X"}`)},
		{Tool: "find_definition", Arguments: json.RawMessage(`{"file_path":"` + uses + `","symbol_name":"X"}`)},
		{Tool: "get_document_symbols", Arguments: json.RawMessage(`{"file_path":"` + at + `"}`)},
		{Tool: "search_workspace_symbols", Arguments: json.RawMessage(`{"query":"X","match":"exact"}`)},
		{Tool: "hover", Arguments: json.RawMessage(`{"symbol_name":"X"}`)},
		{Tool: "get_diagnostics", Arguments: json.RawMessage(`{"file_path":"` + uses + `"}`)},
		{Tool: "find_references", Arguments: json.RawMessage(`{"symbol_name":"NoSuchThing"}`)},
	}
	ask := func(n int) {
		for range n {
			answer.Parallel(1+r.IntN(3), 0, func(int) { // the random source is not used in here
				Run(t.Context(), session, nil, questions[n%len(questions)])
			})
			n--
			if r.IntN(10) == 0 {
				ctx, giveUp := context.WithTimeout(t.Context(), time.Duration(r.IntN(2000))*time.Microsecond)
				Run(ctx, session, nil, questions[n%len(questions)])
				giveUp()
			}
			if r.IntN(8) == 0 {
				testkit.Must(t, os.WriteFile(filepath.Join(dir, uses), []byte(text+strings.Repeat("\n", r.IntN(9))),
					0o600))
			}
		}
	}
	renew := func(n int) {
		for i := range n {
			ask(1)
			running := session.Workspace.Pool.Running()
			if len(running) == 0 {
				t.Fatal("no server runs")
			}
			for _, s := range running {
				if i%2 == 0 {
					_ = syscall.Kill(s.State().PID, syscall.SIGKILL)
					<-s.Done()
				}
				session.Workspace.Pool.Restart(s, true)
			}
		}
		ask(5)
	}
	ask(calls / 10)
	renew(2)
	warm := measure(t)
	ask(calls)
	renew(restarts)
	after := measure(t)
	for deadline := time.Now().Add(10 * time.Second); after.goroutines > warm.goroutines+flatGoroutines &&
		time.Now().Before(deadline); {
		runtime.Gosched() // what was given up may still be on its way
		after = measure(t)
	}
	t.Logf("%d calls and %d restarts: %d to %d files, %d to %d goroutines, %d to %d kB", calls, restarts, warm.files,
		after.files,
		warm.goroutines, after.goroutines, warm.heap>>10, after.heap>>10)
	if after.files > warm.files+flatFiles || after.goroutines > warm.goroutines+flatGoroutines ||
		after.heap > warm.heap+flatHeap {
		t.Errorf("grown from %+v to %+v", warm, after)
	}
}
