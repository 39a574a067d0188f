package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

// What a call through the client takes longer than one by a plain client of the SDK, to the same server program,
// one after the other in one run: added-µs/op is the difference of the medians. The goal for the whole way through
// lspi is under 300.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchmarkCall(b, size) })
	}
}

func benchmarkCall(b *testing.B, size int) {
	path, env := mcptest.Program("plain")
	cmd := exec.Command(path)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	connection, err := mcp.NewClient(&mcp.Implementation{Name: "x"}, nil).Connect(b.Context(),
		&mcp.CommandTransport{Command: cmd},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	testkit.Must(b, err)
	defer connection.Close()
	c := program(b, "plain")
	args := json.RawMessage(fmt.Sprintf(`{"path":"/home/me/app/x","text":%q}`, fmt.Sprintf("%0*d", size, 1)))
	ways := []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := connection.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: args})
			return err
		},
		func(ctx context.Context) error {
			_, err := c.CallTool(ctx, mcpclient.Call{Name: "echo", Arguments: args})
			return err
		},
	}
	times := make([][]time.Duration, len(ways))
	for _, call := range ways {
		testkit.Must(b, call(b.Context()))
	}
	for b.Loop() {
		for i, call := range ways {
			begun := time.Now()
			testkit.Must(b, call(b.Context()))
			times[i] = append(times[i], time.Since(begun))
		}
	}
	medians := make([]float64, len(ways))
	for i, t := range times {
		slices.Sort(t)
		medians[i] = float64(t[len(t)/2].Nanoseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(medians[0], "direct-µs/op")
	b.ReportMetric(medians[1], "client-µs/op")
	b.ReportMetric(medians[1]-medians[0], "added-µs/op")
}
