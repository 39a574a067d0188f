package answer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lspi/lsp"
)

// When the host hears what a call waits for. A warm call is over before the first report, which would only cost; and
// nobody reads more than two reports a second.
const (
	progressFirst = 250 * time.Millisecond
	progressEvery = 500 * time.Millisecond
)

// ReportProgress tells the host again and again what the call waits for, until stop is called; stop
// returns when no further report can come (MCP forbids progress after the response). The returned
// context has to be used for all that the call does: waits register in it ([lsp.WithWaits]).
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
