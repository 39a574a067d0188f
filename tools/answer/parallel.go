package answer

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
)

// Parallel runs a job for each of the numbers 0 to n-1, at most limit at a time (0: all), and waits for all of
// them, also when one panics. Jobs may end in any order; one that has a result writes it to its own element of a
// slice. The first panic in a job goes on in the caller, where the call's own recover makes an envelope of it; in a
// goroutine of its own it would end the process.
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

// Guarded runs what nobody waits for: a panic in it is logged.
func Guarded(ctx context.Context, log *slog.Logger, what string, job func(context.Context)) {
	defer func() {
		if p := recover(); p != nil && log != nil {
			log.Error("panic", "in", what, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	job(ctx)
}

// UnlessOneDid is the first of the errors of jobs, when every job has one; nil when one of them did what it should.
func UnlessOneDid(errs []error) error {
	if i := slices.Index(errs, nil); i >= 0 || len(errs) == 0 {
		return nil
	}
	return errs[0]
}
