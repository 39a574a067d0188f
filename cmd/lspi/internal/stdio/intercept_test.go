package stdio

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
)

// Who takes messages sees them one after the other and in their order, also those that Read is to see: a host may use the id of a call again as soon as
// it has the answer, behind a cancellation that came too late.
func TestInterceptInOrder(t *testing.T) {
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"x"}}` + "\n"
	}
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	for _, c := range []struct{ in, want string }{
		{call("7") + cancel + "\n" + call("7"), "[tools/call notifications/cancelled tools/call]"},
		{call("7") + call(`"8"`) + call("7"), "[tools/call tools/call tools/call]"},
		{call("7") + "[" + cancel + "," + strings.Replace(ping, "7", "9", 1) + "]\n" + call("7"), "[tools/call notifications/cancelled tools/call]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			in, host := io.Pipe()
			out := &kept{}
			conn := NewConn(in, out, func(error) {}, slog.New(slog.DiscardHandler))
			conn.QuietWhenCancelled()
			var seen []string
			under := 0
			conn.Intercept(func(r *jsonrpc.Request) bool {
				if under++; under > 1 {
					t.Errorf("%s is shown beside another message", r.Method)
				}
				seen = append(seen, r.Method)
				time.Sleep(time.Millisecond) // until nobody can do anything beside it
				under--
				if r.IsCall() {
					testkit.Must(t, conn.Write(context.Background(), &jsonrpc.Response{ID: r.ID, Result: []byte("{}")}))
				}
				return true
			})
			_, err := conn.Connect(t.Context())
			testkit.Must(t, err)
			go func() {
				for {
					if _, err := conn.next(context.Background()); err != nil {
						return
					}
				}
			}()
			_, err = io.WriteString(host, c.in)
			testkit.Must(t, err)
			time.Sleep(time.Second)
			synctest.Wait()
			testkit.Equal(t, fmt.Sprint(seen), c.want, "order")
			testkit.Equal(t, len(conn.pending.gone), 0, "answers that are not written")
			host.Close()
			conn.Close()
		})
	}
}
