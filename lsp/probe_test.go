//go:build unix

package lsp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

// A server that answers nothing any more is ended, and all that wait hear that; one that is only slow at one thing
// lives.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []lsptest.Rule
		stop  bool
		want  contract.Kind
		lives bool
	}{
		{"slow at one request", []lsptest.Rule{rule(MethodReferences, lsptest.Action{Hang: true})}, false,
			contract.KindRequestTimeout, true},
		{"stopped", nil, true, contract.KindServerCrashed, false},
		{"says what is no message",
			[]lsptest.Rule{rule(MethodReferences, lsptest.Action{Stdout: "Content-Length: 10000000\r\n\r\n{"},
				lsptest.Action{Hang: true})},
			false, contract.KindServerCrashed, false},
		{"stuck in one request", []lsptest.Rule{rule(MethodReferences, lsptest.Action{StopReading: true})}, false,
			contract.KindServerCrashed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, words(c.rules...), "a.w", sample)
			f.spec.Timeouts.Request = 300 * time.Millisecond
			s := f.start()
			if _, err := s.docs.Open(t.Context(), f.path("a.w")); err != nil {
				t.Fatal(err)
			}
			if c.stop {
				stopProcess(t, s.proc.PID())
			}
			var kinds []contract.Kind
			done := make(chan error)
			for range 3 {
				go func() {
					_, err := s.Unverified().References(t.Context(), f.path("a.w"), load, true)
					done <- err
				}()
			}
			for range 3 {
				err := <-done
				kinds = append(kinds, kindOf(err))
				if !c.lives && (err == nil || !strings.Contains(err.Error(), "did not answer any more")) {
					t.Errorf("error %v", err)
				}
			}
			for _, k := range kinds {
				testkit.Equal(t, k, c.want, kinds)
			}
			if _, err := s.Unverified().Locate(t.Context(), MethodDefinition, f.path("a.w"),
				load); (err == nil) != c.lives {
				t.Errorf("the next call: %v", err)
			}
			if !c.lives {
				gone(t, f.starts()...)
			}
		})
	}
}

// A hung server is found while a request without a limit of its own waits, so that its successor can answer within
// the call.
func TestProbeWhileARequestWaits(t *testing.T) {
	t.Parallel()
	f := newFake(t, words(), "a.w", sample)
	s := f.start()
	if _, err := s.docs.Open(t.Context(), f.path("a.w")); err != nil {
		t.Fatal(err)
	}
	stopProcess(t, s.proc.PID())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err := s.Unverified().References(ctx, f.path("a.w"), load, true)
	testkit.Equal(t, kindOf(err), contract.KindServerCrashed, err)
	if ctx.Err() != nil {
		t.Error("only when the time of the call was over")
	}
}

// A request has the time of its call; a configured limit is narrower, and none is for good.
func TestRequestLimit(t *testing.T) {
	call, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	perMethod := map[string]time.Duration{MethodHover: time.Second}
	for _, c := range []struct {
		ctx      context.Context
		timeouts spec.Timeouts
		want     time.Duration
	}{
		{call, spec.Timeouts{}, 0},
		{t.Context(), spec.Timeouts{}, unboundedRequest},
		{call, spec.Timeouts{Request: 2 * time.Second}, 2 * time.Second},
		{t.Context(), spec.Timeouts{Request: 2 * time.Hour}, 2 * time.Hour},
		{call, spec.Timeouts{Request: 2 * time.Second, Requests: perMethod}, time.Second},
		{call, spec.Timeouts{Requests: perMethod}, time.Second},
	} {
		got := (&Connection{spec: &spec.Spec{Timeouts: c.timeouts}}).requestLimit(c.ctx, MethodHover)
		testkit.Equal(t, got, c.want, c.timeouts)
	}
}

// stopProcess stops a process, and where the system tells of threads it waits until all have stopped: on a busy
// machine a thread that has not heard of the signal still answers.
func stopProcess(t *testing.T, pid int) {
	t.Helper()
	testkit.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return !slices.ContainsFunc(threads, func(stat string) bool {
			raw, err := os.ReadFile(stat)
			end := bytes.LastIndexByte(raw, ')') // behind the name of the program (proc_pid_stat(5))
			return err == nil && end >= 0 && !bytes.HasPrefix(raw[end+1:], []byte(" T"))
		})
	}))
}

// Work is a sign of life where the system tells of it.
func TestProbeOfABusyServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells")
	}
	p, err := process.Spawn(mustLook(t, "sh"), []string{"-c", "while :; do :; done"}, t.TempDir(), nil)
	testkit.Must(t, err)
	spec := &spec.Spec{ID: "busy", Timeouts: spec.Timeouts{Request: time.Millisecond}}
	s := newServer(Options{Spec: spec, Root: t.TempDir(), Log: slog.New(slog.DiscardHandler)}, p, "sh")
	s.open(wire.Options{})
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*s.probe.idleLimit())
	defer cancel()
	if !s.probe.lives(ctx) {
		t.Error("it was ended")
	}
}

// Work of a server that runs elsewhere is seen by a shell of that machine, and that it does nothing, too.
func TestProbeElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells")
	}
	for does, lives := range map[string]bool{"while :; do :; done": true, "while :; do sleep 1; done": false} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			name := "lspi-test-" + map[bool]string{true: "busy", false: "idle"}[lives]
			args := []string{"sh", "-c", does, name} // the name of the program stands in its command line alone
			p, err := process.Spawn(mustLook(t, "env"), args, t.TempDir(), nil)
			testkit.Must(t, err)
			s := newServer(Options{Spec: &spec.Spec{ID: "far", Commands: []spec.Command{{Name: "env", Args: []string{name}}},
				Elsewhere: spec.Elsewhere{Before: []string{}, Paths: source.NewPathPairs(map[string]string{"/a": "/b"})}},
				Root: t.TempDir(), Log: slog.New(slog.DiscardHandler)}, p, mustLook(t, "env"))
			s.open(wire.Options{})
			defer s.Close()
			testkit.Equal(t, s.elsewhere.works(t.Context()), lives, does)
		})
	}
}
