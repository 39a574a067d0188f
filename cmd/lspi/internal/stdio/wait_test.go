package stdio

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
)

// WaitForOpen waits for the requests that are there, not for those that come meanwhile; Wait waits for all, and for
// a line that nobody has taken yet.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, host := io.Pipe()
		conn := NewConn(in, &kept{}, func(error) {}, slog.New(slog.DiscardHandler))
		_, err := conn.Connect(t.Context())
		testkit.Must(t, err)
		asks := func(id string) {
			_, err := io.WriteString(host, strings.Replace(ping, "7", id, 1)+"\n")
			testkit.Must(t, err)
			synctest.Wait() // the pipe has it before it is counted
		}
		take := func() jsonrpc.ID {
			m, err := conn.Read(t.Context())
			testkit.Must(t, err)
			return m.(*jsonrpc.Request).ID
		}
		answers := func(id jsonrpc.ID) {
			testkit.Must(t, conn.Write(t.Context(), &jsonrpc.Response{ID: id, Result: []byte("{}")}))
		}
		waits := func(wait func(context.Context)) (over chan struct{}) {
			over = make(chan struct{})
			go func() {
				wait(t.Context())
				close(over)
			}()
			synctest.Wait()
			return over
		}
		isOver := func(over chan struct{}, want bool, when string) {
			t.Helper()
			synctest.Wait()
			select {
			case <-over:
				testkit.Equal(t, true, want, "the wait is over "+when)
			default:
				testkit.Equal(t, false, want, "the wait is over "+when)
			}
		}
		asks("1")
		first := take()
		asks("2")
		second := take()
		forOpen, forAll := waits(conn.WaitForOpen), waits(conn.Wait)
		asks("3")
		third := take()
		answers(first)
		isOver(forOpen, false, "with one of two requests answered")
		testkit.Equal(t, conn.Open(), 2, "open requests")
		answers(second)
		isOver(forOpen, true, "with both answered")
		asks("4")
		answers(third)
		isOver(forAll, false, "with a line that was not taken")
		fourth := take()
		isOver(forAll, false, "with a request that came meanwhile")
		answers(fourth)
		isOver(forAll, true, "with nothing left")

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		asks("5")
		fifth := take()
		over := waits(func(context.Context) { conn.Wait(ctx) })
		isOver(over, false, "with a request")
		time.Sleep(time.Minute)
		isOver(over, true, "at its limit")
		answers(fifth)
		host.Close()
		conn.Close()
	})
}
