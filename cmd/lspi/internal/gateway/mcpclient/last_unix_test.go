//go:build unix

package mcpclient_test

import (
	"context"
	"sync"
	"testing"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/testkit"
)

// What a server has answered before it ends counts.
func TestLastWords(t *testing.T) {
	for range 20 {
		c := program(t, "last words", func(_ *spec, _ *host, o *opts) { o.InFlight = 2000 })
		testkit.Must(t, echo(t.Context(), c))
		var all, others sync.WaitGroup
		more, cancel := context.WithCancel(t.Context())
		for range 20 {
			all.Go(func() {
				if _, err := c.CallTool(t.Context(), mcpclient.Call{Name: "held"}); err != nil {
					t.Error(err)
				}
			})
		}
		for range 1000 { // of which some may find that nobody reads any more
			others.Go(func() { _, _ = c.CallTool(more, mcpclient.Call{Name: "more"}) })
		}
		all.Wait()
		cancel()
		others.Wait()
		c.Close()
	}
}
