package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"lspi/internal/mcptest"
	"lspi/lsp/lsptest"
)

// playMCPServer is an MCP server of a script test:
//
//	fakemcp EVENTS TOOL...
//
// EVENTS is a file of [lsptest.Event], which gets a line for each start, and one for each call, whose method is the
// tool. Each TOOL is one of
//
//	echo    answers with its arguments; it only reads
//	env     answers with the environment; it only reads
//	write   answers with its arguments; it does not say that it only reads
//	wait    answers when the file that its argument until names is there
//	die     ends the process, with the environment's SECRET on stderr
//	more    has one more tool from now on, and says so
//
// With a tool resources it has the resources a:1 and a:2. It notes what the host subscribes to, and the level of
// log messages.
//
// A tool whose name has a suffix (echo-2) does the same.
func playMCPServer(args []string) {
	events := args[0]
	note := func(e lsptest.Event) {
		f, err := os.OpenFile(events, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		line, _ := json.Marshal(e)
		_, _ = f.Write(append(line, '\n'))
	}
	note(lsptest.Event{Kind: lsptest.EventStart, PID: os.Getpid()})
	tools := args[1:]
	set := func(c *mcptest.Conn, m mcptest.Message) {
		note(lsptest.Event{Kind: "set", Method: m.Method, Params: m.Params})
		c.Result(m, "{}")
	}
	mcptest.Stdio(mcptest.Handlers{
		"logging/setLevel":      set,
		"resources/subscribe":   set,
		"resources/unsubscribe": set,
		"resources/list": func(c *mcptest.Conn, m mcptest.Message) {
			if !slices.Contains(tools, "resources") {
				c.Result(m, `{"resources":[]}`)
				return
			}
			c.Result(m, `{"resources":[{"uri":"a:1","name":"one"},{"uri":"a:2","name":"two"}]}`)
		},
		"tools/list": func(c *mcptest.Conn, m mcptest.Message) {
			var list []string
			for _, name := range tools {
				hint := `"readOnlyHint":true`
				if strings.HasPrefix(name, "write") {
					hint = `"destructiveHint":false`
				}
				list = append(list,
					fmt.Sprintf(
						`{"name":%q,"description":"Does %s. And more.","annotations":{%s},"inputSchema":{"type":"object","required":["needed"],`+
							`"properties":{"needed":{"type":"string"},"n":{"type":"number"},"flag":{"type":"boolean"},"list":{"type":"array","items":{"type":"integer"}},"until":{"type":"string"}}}}`, name, name, hint))
			}
			c.Result(m, `{"tools":[`+strings.Join(list, ",")+`]}`)
		},
		"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			var p struct {
				Arguments json.RawMessage
			}
			_ = json.Unmarshal(m.Params, &p)
			tool := mcptest.ToolName(m)
			note(lsptest.Event{Kind: "call", Method: tool})
			verb, _, _ := strings.Cut(tool, "-")
			switch verb {
			case "env":
				raw, _ := json.Marshal(os.Environ())
				c.Result(m, fmt.Sprintf(`{"content":[],"structuredContent":{"env":%s}}`, raw))
			case "wait":
				go waitFor(c, m, p.Arguments)
			case "die":
				fmt.Fprintln(os.Stderr, "fatal: the token is", os.Getenv("SECRET"))
				endFakeMCP(3)
			case "refuse":
				c.Result(m, `{"content":[{"type":"text","text":"it refuses"}],"isError":true}`)
			case "more":
				tools = append(tools, fmt.Sprintf("echo-%d", len(tools)))
				c.Result(m, `{"content":[]}`)
				c.Notify("notifications/tools/list_changed", "{}")
			default:
				c.Result(m, fmt.Sprintf(
					`{"content":[{"type":"text","text":"did %s"}],"structuredContent":{"sent":%s,"pid":%d}}`, tool,
					p.Arguments, os.Getpid()))
			}
		},
	}.Serve)
}

func waitFor(c *mcptest.Conn, m mcptest.Message, arguments json.RawMessage) {
	var p struct{ Until string }
	_ = json.Unmarshal(arguments, &p)
	err := eventually(func() (bool, error) {
		_, err := os.Stat(p.Until)
		return err == nil, nil
	})
	c.Result(m, fmt.Sprintf(`{"content":[{"type":"text","text":"waited"}],"structuredContent":{"pid":%d,"error":%q}}`,
		os.Getpid(), fmt.Sprint(err)))
}
