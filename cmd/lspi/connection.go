package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainLimit is how long a host may take to read the answers that it is still owed when lspi ends.
const drainLimit = 500 * time.Millisecond

// hostConn is a transport that tells of the end of its input before the SDK hears of it, and lets the SDK hear only when
// the calls in flight have been answered: the SDK drops every answer that is not written by then (go-sdk 1.8.0). Those
// who pipe some requests into lspi would see none of their answers.
type hostConn struct {
	mcp.Transport
	ended context.CancelCauseFunc

	mu       sync.Mutex
	owed     int           // requests without an answer, guarded by mu
	answered chan struct{} // closed and replaced when nothing is owed any more, guarded by mu
}

func newHostConn(t mcp.Transport, ended context.CancelCauseFunc) *hostConn {
	return &hostConn{Transport: t, ended: ended, answered: make(chan struct{})}
}

// Connect is part of mcp.Transport.
func (c *hostConn) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := c.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &hostLine{inner, c}, nil
}

// hostLine is the connection of a hostConn.
type hostLine struct {
	mcp.Connection
	host *hostConn
}

// Read is part of mcp.Connection. It is called from one goroutine.
func (l *hostLine) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := l.Connection.Read(ctx)
	if err == nil {
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			l.host.owe(1)
		}
		return m, nil
	}
	l.host.ended(endOfInput(err))
	l.host.drain()
	return nil, err
}

// endOfInput is why there is nothing more to read.
func endOfInput(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errHostLeft
	}
	return fmt.Errorf("reading from the host: %w", err)
}

// Write is part of mcp.Connection.
func (l *hostLine) Write(ctx context.Context, m jsonrpc.Message) error {
	err := l.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		l.host.owe(-1)
	}
	if err != nil && ctx.Err() == nil {
		l.host.ended(fmt.Errorf("writing to the host: %w", err))
	}
	return err
}

func (c *hostConn) owe(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed += n
	if c.owed == 0 {
		close(c.answered)
		c.answered = make(chan struct{})
	}
}

// drain waits until nothing is owed to the host any more, or it does not read.
func (c *hostConn) drain() {
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	for {
		c.mu.Lock()
		owed, answered := c.owed, c.answered
		c.mu.Unlock()
		if owed == 0 {
			return
		}
		select {
		case <-answered:
		case <-limit.C:
			return
		}
	}
}
