package lsp

import (
	"context"
	"runtime"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lsp/process"
)

// quietRounds is how many rounds of a fence in turn must bring no push. One is enough unless the system holds up the
// thread with the last push for as long as the others take for their answers; where the system tells, none is held up.
const quietRounds = 3

// restPatience bounds the wait for a server whose threads want to run for something else; that much a busy system holds one up.
const restPatience = 200 * time.Millisecond

// fence returns when the pushes have come that the server had decided on. Where one thread writes all, an answer, be it a
// refusal, follows them. A server that leaves them to several threads (Check.Fence) is asked, as often at once as it has
// threads, for something that the same threads answer: they take up pushes and requests in their order, so that with the
// first answer every push is at least begun; it is asked until no more come.
func (s *Server) fence(ctx context.Context) {
	method := s.spec.Diagnostics.Check.Fence
	if method == "" {
		_ = s.conn.Call(ctx, methodFence, nil, nil)
		return
	}
	path := s.SomeFile(s.root)
	if path == "" {
		path = s.root
	}
	patience, cancel := context.WithTimeout(ctx, restPatience)
	defer cancel()
	params := protocol.TextDocumentIdentifier{URI: uri.File(path)}
	for quiet := 0; quiet < quietRounds && ctx.Err() == nil && s.life.Err() == nil; quiet++ {
		before := s.diagnostics.count()
		var round sync.WaitGroup
		for range runtime.NumCPU() {
			round.Go(func() { _ = s.conn.Call(ctx, method, params, nil) })
		}
		round.Wait()
		held := s.proc != nil && !process.AtRest(s.proc.PID()) && BackOff(patience, 1)
		if held || s.diagnostics.count() != before {
			quiet = -1
		}
	}
}
