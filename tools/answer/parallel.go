package answer

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
)

// Parallel runs job for each number from 0 to n-1, at most limit at a time (0: all), and waits for all
// of them. Jobs end in any order; one with a result writes it to its own element of a slice, so that
// results keep the order of the questions.
//
// The first panic of a job goes on in the caller, where the call's own recover makes an internal_error
// of it. In the goroutine of the job it would end the process, and with it all other sessions.
func Parallel(n, limit int, job func(i int)) {
	if limit <= 0 {
		limit = n
	}
	room := make(chan struct{}, max(limit, 1))
	var group sync.WaitGroup
	var once sync.Once
	var broken any
	for i := range n {
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { broken = fmt.Sprintf("%v\n%s", p, debug.Stack()) })
				}
			}()
			job(i)
		})
	}
	group.Wait()
	if broken != nil {
		panic(broken)
	}
}

// Guarded runs a job that nobody waits for, such as one in the background; a panic in it is logged and
// ends there. log may be nil.
func Guarded(ctx context.Context, log *slog.Logger, what string, job func(context.Context)) {
	defer func() {
		if p := recover(); p != nil && log != nil {
			log.Error("panic", "in", what, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	job(ctx)
}

// ErrorOfAll returns the first error when every job failed; nil when one of them succeeded, or there
// were none.
func ErrorOfAll(errs []error) error {
	if i := slices.Index(errs, nil); i >= 0 || len(errs) == 0 {
		return nil
	}
	return errs[0]
}
