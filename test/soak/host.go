//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// host is an MCP host and the lspi that it has started.
type host struct {
	cmd     *exec.Cmd
	session *mcp.ClientSession
	family  *family
}

// handshakeLimit is far longer than lspi needs.
const handshakeLimit = 20 * time.Second

// startHost starts lspi with variables added to the environment. By default lspi does not share; env may change that.
func startHost(ctx context.Context, program, root, logFile string, env ...string) (*host, error) {
	arguments := []string{"mcp", "--workspace-root", root, "--trust", "all"}
	if logFile != "" {
		arguments = append(arguments, "--log-level", "debug", "--log-file", logFile)
	}
	h := &host{cmd: exec.Command(program, arguments...)}
	h.cmd.Stderr = os.Stderr
	// CARGO_TARGET_DIR, because builds would leave files among the sources.
	h.cmd.Env = append(os.Environ(), "LSPI_SHARE=off", "CARGO_TARGET_DIR="+root+"-target")
	h.cmd.Env = append(h.cmd.Env, env...)
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	var err error
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil)
	if h.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: h.cmd, TerminateDuration: 10 * time.Second},
		nil); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	h.family = &family{root: h.cmd.Process.Pid}
	return h, nil
}

// answer is the answer to a call.
type answer struct {
	testkit.Envelope
	raw  json.RawMessage
	took time.Duration
	err  error // the call failed: it was cancelled, or the connection broke; nil for an error in the envelope
}

// callLimit is more than lspi's own limit for a call (50 s): a call that takes longer hangs.
const callLimit = 60 * time.Second

// errHang is the error of a call without an answer.
var errHang = errors.New("no answer within the limit")

func (h *host) call(ctx context.Context, tool string, arguments map[string]any) (a answer) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errHang)
	defer cancel()
	r, err := h.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	a.took = time.Since(began)
	if err != nil {
		a.err = err
		if ctx.Err() != nil {
			a.err = context.Cause(ctx)
		}
		return a
	}
	if a.raw, a.err = json.Marshal(r.StructuredContent); a.err == nil {
		a.err = json.Unmarshal(a.raw, &a.Envelope)
	}
	if a.err == nil && (a.OK == r.IsError || a.OK != (a.Error == nil)) {
		a.err = fmt.Errorf("ok is %v, isError %v", a.OK, r.IsError)
	}
	return a
}

// close ends lspi as hosts do and returns which of its processes still run 5 s later.
func (h *host) close(ctx context.Context) (left []string, err error) {
	h.family.look()
	err = h.session.Close()
	return h.family.left(ctx, 5*time.Second), err
}
