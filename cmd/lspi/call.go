package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

func newCallCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "call TOOL [KEY=VALUE ... | JSON | -]",
		Short: "Call a tool from the shell",
		Long: "call runs one tool as a host would. Where a shared process runs (lspi daemon) it asks its warm servers; else it starts\n" +
			"the servers that it needs and ends them again.\n\n" +
			"Arguments are KEY=VALUE words, read by the tool's schema: lists are repeated or separated by commas, and a\n" +
			"file_path that exists is relative to the current folder, else to the workspace. Or they are one JSON object,\n" +
			"taken as it is; - reads it from stdin.\n\n" +
			"lspi call TOOL --help shows the arguments of a tool.\n\n" +
			"The tools of other MCP servers (mcp_servers of the configuration) are called by the names that hosts see, ID__tool.\n\n" +
			"Exit status: 0 when the tool answered, 1 when its answer is an error, 2 when the command line is wrong.",
		Example: "  lspi call find_references file_path=main.go symbol_name=run\n" +
			"  lspi call search_workspace_symbols query=Client kinds=struct,interface\n" +
			"  lspi call hover '{\"symbol_name\": \"Client.Call\"}' --json",
		Args:              positional(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := readArguments(cmd.InOrStdin(), args[1:])
			if err == nil {
				err = words.repeated(args[0])
			}
			if err != nil {
				return &usageError{err, cmd.CommandPath()}
			}
			return call(cmd, &f, args[0], words, asJSON)
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print the envelope as JSON, as hosts get it; of another MCP server the result")
	cmd.SetHelpFunc(helpOfCall(&f, cmd.HelpFunc()))
	return cmd
}

// call calls one tool and prints the answer. It asks the shared process when one runs, else servers of its own.
func call(cmd *cobra.Command, f *sessionFlags, tool string, words arguments, asJSON bool) error {
	return callTo(cmd, f, tool, words, asJSON, func(result tools.Result) error {
		return printResult(cmd.OutOrStdout(), cmd.ErrOrStderr(), result, asJSON)
	})
}

// callTo is [call] with print in place of printResult. The result of another MCP server is always printed as call
// prints it.
func callTo(cmd *cobra.Command, f *sessionFlags, tool string, words arguments, asJSON bool,
	print func(tools.Result) error) error {
	end := watchSignals()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(end.ctx, cancel)() // a signal cancels the call
	s := newWiring(f, cmd.ErrOrStderr())
	defer s.events.Close()
	l, err := s.listing()
	if err != nil {
		return err
	}
	if _, ok := mcpserver.IsOthers(&l.settings, tool); ok {
		done, err := s.callOther(ctx, cmd, f, l, tool, words, asJSON)
		switch {
		case end.ctx.Err() != nil:
			return end.code()
		case err != nil:
			return err
		}
		return failedUnless(done)
	}
	root := ""
	if l.config != nil {
		root = l.config.Workspace
	}
	r := answer.Request{Tool: tool, Arguments: words.json(tool, root), Host: session.CallHost()}
	line := newProgressLine(cmd.ErrOrStderr())
	if line != nil {
		r.Progress = line.Progress
	}
	result, asked := s.askShared(ctx, f, l, r)
	if !asked {
		result = s.callHere(ctx, r)
	}
	line.Clear()
	if err := print(result); err != nil {
		return fmt.Errorf("printing the answer: %w", err)
	}
	if end.ctx.Err() != nil {
		return end.code()
	}
	return failedUnless(result.OK)
}

// callHere calls the tool in this process and ends the servers that it started.
func (s *wiring) callHere(ctx context.Context, r answer.Request) tools.Result {
	session, broken := s.open(ctx, nil)
	if session != nil {
		defer session.Close()
	}
	began := time.Now()
	result := mcpserver.RunRecorded(ctx, s.events, r, func(ctx context.Context) tools.Result {
		return tools.Run(ctx, session, broken, r)
	})
	mcpserver.LogCall(s.logs.log, r, result, time.Since(began))
	return result
}

// askShared calls the tool in the shared process, which it does not start. It returns false when the call should be
// made here instead: no shared process runs, or it did not answer a call that only reads. A call that may change files
// is never repeated; when its answer did not come, the result says what the journal of edits knows about it.
func (s *wiring) askShared(ctx context.Context, f *sessionFlags, l listing, r answer.Request) (tools.Result, bool) {
	c, h := s.reachShared(ctx, f, l)
	if c == nil {
		return tools.Result{}, false
	}
	defer c.Close()
	a, err := stdio.Ask(ctx, c, stdio.Question{Host: r.Host.Name, Version: version().Version, Tool: r.Tool,
		Arguments: r.Arguments, Progress: r.Progress})
	edits, id := tools.Edits(r.Tool, r.Arguments), callName(h.Session, stdio.AskID)
	switch {
	case err == nil:
		if edits {
			s.forget(id)
		}
		return tools.Result{Structured: a.Structured, Text: a.Text, OK: !a.IsError}, true
	case !edits:
		return tools.Result{}, false
	}
	return s.interrupted(context.WithoutCancel(ctx), r, id), true // also when a signal has ended the call
}

// printResult prints an answer to out and an error to errs, as text; with asJSON it prints either envelope to out.
func printResult(out, errs io.Writer, result tools.Result, asJSON bool) error {
	if asJSON {
		return printJSON(out, result.Structured)
	}
	if !result.OK {
		out = errs
	}
	_, err := io.WriteString(out, result.Text+"\n")
	return err
}
