//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// proxyEnv names what this binary does as a program between a host and server-everything: what any program there costs.
const proxyEnv = "LSPI_BENCH_PROXY"

const (
	copiesBytes = "bytes" // it knows nothing of MCP
	usesSDK     = "sdk"   // the SDK's server, whose tools call the SDK's client
)

// proxy is that program.
func proxy(how string) (code int) {
	cmd := exec.Command("mcp-server-everything")
	work := proxyBytes
	if how == usesSDK {
		work = proxySDK
	}
	if err := work(cmd); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func proxyBytes(cmd *exec.Cmd) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, os.Stdin)
		_ = in.Close()
	}()
	if _, err := io.Copy(os.Stdout, out); err != nil {
		return err
	}
	return cmd.Wait()
}

func proxySDK(cmd *exec.Cmd) error {
	ctx := context.Background()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "proxy", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	list, err := client.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "proxy", Version: "1"}, nil)
	for _, tool := range list.Tools {
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return client.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name,
				Arguments: json.RawMessage(r.Params.Arguments)})
		})
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}
