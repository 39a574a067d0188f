//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// echoEnv names the file with the answer of [echo]; with it the test binary is that server.
const echoEnv = "LSPI_BENCH_ECHO"

// echo is an MCP server with one tool, which gives the answer of a file, whatever it is asked.
func echo(file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			out := &mcp.CallToolResult{StructuredContent: result.StructuredContent}
			for _, c := range result.Content {
				out.Content = append(out.Content, &mcp.TextContent{Text: c.Text})
			}
			return out, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

// echoed is how long MCP itself takes with an answer: from the call of a host to the end of its result.
func echoed(b *testing.B, result json.RawMessage, samples int) (out times) {
	file := filepath.Join(testkit.TempDir(b), "result.json")
	testkit.Must(b, os.WriteFile(file, result, 0o600))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), echoEnv+"="+file)
	cmd.Stderr = os.Stderr
	host := testkit.StartHost(b, cmd)
	defer host.Close()
	for range samples {
		call := host.Start("echo", map[string]any{})
		raw := call.Wait(b)
		out = append(out, time.Since(call.Began))
		if len(raw) < len(result)/2 {
			b.Fatalf("the echo is not the answer: %.200s", raw)
		}
	}
	return out
}
