package stdio

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
)

// A call is named by its id as the answer has it, however the host writes it: so the process that takes the place
// of this one names it, too (package share).
func TestNamesByID(t *testing.T) {
	for given, want := range map[string]string{"5": "5", "5.0": "5", "1e2": "100", "-0": "0", `"5"`: `"5"`,
		`"a\/b"`: `"a/b"`, `"<\u0061>"`: `"\u003ca\u003e"`, `"é"`: `"é"`} {
		in := strings.NewReader(`{"jsonrpc":"2.0","id":` + given + `,"method":"tools/call","params":{"name":"x"}}` +
			"\n")
		conn := NewConn(in, &kept{}, func(error) {}, slog.New(slog.DiscardHandler))
		named := make(chan string, 1)
		conn.NameCalls("key", func(id, tool string, _ json.RawMessage) string {
			named <- id
			return id
		})
		_, err := conn.Connect(t.Context())
		testkit.Must(t, err)
		_, err = conn.next(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, <-named, want, "the id of "+given)
		testkit.Must(t, conn.Close())
	}
}

// A call in a batch is named as well.
func TestNamesInABatch(t *testing.T) {
	in := strings.NewReader(`[{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}]` + "\n")
	conn := NewConn(in, &kept{}, func(error) {}, slog.New(slog.DiscardHandler))
	conn.NameCalls("key", func(id, tool string, _ json.RawMessage) string { return id + tool })
	_, err := conn.Connect(t.Context())
	testkit.Must(t, err)
	m, err := conn.next(t.Context())
	testkit.Must(t, err)
	testkit.Equal(t, string(m.(*jsonrpc.Request).Params), `{"_meta":{"key":"5x"},"name":"x"}`, "params")
	testkit.Must(t, conn.Close())
}
