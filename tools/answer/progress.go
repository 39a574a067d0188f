package answer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lspi/lsp"
)

// When the host hears what a call waits for: a warm one is over before the first time, and nobody reads more than
// two a second.
const (
	progressFirst = 250 * time.Millisecond
	progressEvery = 500 * time.Millisecond
)

// ReportProgress tells the host again and again what a call waits for, until stop is called, after which it hears
// no more. The context is for all that the call does.
func ReportProgress(ctx context.Context, r Request) (_ context.Context, stop func()) {
	if r.Progress == nil {
		return ctx, func() {}
	}
	ctx, waits := lsp.WithWaits(ctx)
	over := make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		began, timer := time.Now(), time.NewTimer(progressFirst)
		defer timer.Stop()
		for {
			select {
			case <-over:
				return
			case <-timer.C:
			}
			timer.Reset(progressEvery)
			percent, message := waits.Now()
			if message == "" { // it waits for no server, such as while it looks for the projects of a large workspace
				message = fmt.Sprintf("lspi: %s (%d s)", r.Tool, int(time.Since(began).Seconds()))
			}
			r.Progress(percent, message)
		}
	})
	return ctx, func() { close(over); told.Wait() }
}
