// Command demo shows what lspi does: it starts the binary named by its argument as a host would, asks it over stdio
// about lspi's own source, and prints the questions and answers for a person. With -record FILE it writes the session
// that README shows, and its picture, instead; with -draw FILE only the picture of the session that is there.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// limit bounds the whole demonstration; the first question waits until gopls has loaded the module.
const limit = 3 * time.Minute

func main() {
	var err error
	switch {
	case len(os.Args) == 2:
		err = show(os.Args[1])
	case len(os.Args) == 4 && os.Args[2] == "-record":
		err = recordInto(os.Args[3], os.Args[1])
	case len(os.Args) == 3 && os.Args[1] == "-draw":
		err = draw(os.Args[2])
	default:
		fmt.Fprintln(os.Stderr, "usage: demo PATH-OF-LSPI [-record FILE], or demo -draw FILE")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type question struct {
	words     string // the question for a person
	tool      string
	arguments map[string]any
	fails     bool // the answer is an error, which is shown for its next steps
}

var questions = []question{
	{"Where is the function that runs every tool call, and what does it look like?", "find_definition",
		map[string]any{"file_path": "cmd/lspi/internal/mcpserver/receive.go", "symbol_name": "Run"}, false},
	{"Who uses Caller.Get, the one way to a running server?", "find_references",
		map[string]any{"file_path": "router/exclusive.go", "symbol_name": "Caller.Get"}, false},
	{"What is the type Spec?", "hover", map[string]any{"file_path": "lsp/spec/spec.go", "symbol_name": "Spec"}, false},
	{"Who calls Server.Sync, directly and through others?", "call_hierarchy",
		map[string]any{"file_path": "lsp/sync.go", "symbol_name": "Server.Sync", "max_depth": 2}, false},
	{"What is declared in the journal's barrier?", "get_document_symbols",
		map[string]any{"file_path": "lsp/watch/barrier.go"}, false},
	{"Does the package that decides about completeness have problems?", "get_diagnostics",
		map[string]any{"file_path": "contract/envelope.go"}, false},
	{"What does lspi say to a symbol that does not exist?", "find_references",
		map[string]any{"file_path": "router/exclusive.go", "symbol_name": "Caller.Gett"}, true},
}

func show(program string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// --trust all, because gopls is in .servers of this workspace and lspi runs programs of a workspace only when it is
	// trusted. Who runs the demo runs code of this repository anyway.
	cmd := exec.Command(program, "mcp", "--workspace-root", ".", "--log-level", "error", "--trust", "all", "--share",
		"off")
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "lspi-demo", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	fmt.Printf("lspi serves %d tools: %s\n", len(names), strings.Join(names, ", "))
	for _, q := range questions {
		if err := ask(ctx, session, q); err != nil {
			return err
		}
	}
	return nil
}

func ask(ctx context.Context, session *mcp.ClientSession, q question) error {
	arguments, _ := json.Marshal(q.arguments)
	fmt.Printf("\n%s\n→ %s %s\n", bold(q.words), q.tool, arguments)
	began := time.Now()
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: q.tool, Arguments: q.arguments})
	if err != nil {
		return err
	}
	took := time.Since(began).Round(100 * time.Microsecond)
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return err
	}
	text := r.Content[0].(*mcp.TextContent).Text
	fmt.Printf("← %v, %d bytes; in words:\n  %s\n", took, len(raw), strings.ReplaceAll(text, "\n", "\n  "))
	if r.IsError != q.fails {
		return fmt.Errorf("%s: got isError %v, want %v", q.tool, r.IsError, q.fails)
	}
	return nil
}

// bold makes a text bold when stdout is a terminal.
func bold(s string) string {
	if info, err := os.Stdout.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("NO_COLOR") != "" {
		return s
	}
	return "\033[1m" + s + "\033[0m"
}
