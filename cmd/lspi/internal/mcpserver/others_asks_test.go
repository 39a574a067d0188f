package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// titledChoices is a form of the specification (2025-11-25, Elicitation, multi-select enums) that the SDK refuses,
// because the items name their type.
const titledChoices = `{"type":"object","properties":{"several":{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}}}}`

// otherServers are the MCP servers that this test binary plays.
var otherServers = map[string]mcptest.Script{
	"sends":                    sender,
	"many":                     many,
	"slow when told":           slowWhenTold,
	"tools of the environment": toolsOfEnvironment,
	"unbound":                  unbound,
	"asks": func(c *mcptest.Conn) {
		level := ""
		var calls []mcptest.Message
		mcptest.Handlers{
			"tools/list": mcptest.Answer(
				`{"tools":[{"name":"log","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}}]}`),
			"prompts/list":        mcptest.Answer(`{"prompts":[{"name":"broken"}]}`),
			"prompts/get":         func(c *mcptest.Conn, m mcptest.Message) { c.Refuse(m, -32042, "not today") },
			"resources/list":      mcptest.Answer(`{"resources":[{"uri":"a:1","name":"one"}]}`),
			"resources/subscribe": mcptest.Answer(`{}`),
			"logging/setLevel": func(c *mcptest.Conn, m mcptest.Message) {
				level = string(m.Params)
				c.Result(m, "{}")
			},
			"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
				if mcptest.ToolName(m) == "ask" {
					calls = append(calls, m)
					c.Ask(1, "elicitation/create", `{"message":"which?","requestedSchema":`+titledChoices+`}`)
					return
				}
				c.Notify("notifications/message", `{"level":"info","data":"called"}`)
				c.Result(m, fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, level))
			},
			"": func(c *mcptest.Conn, m mcptest.Message) { // the host's answer
				text, _ := json.Marshal(string(m.Result) + string(m.Error))
				c.Result(calls[0], fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text))
			},
		}.Serve(c)
	},
}

// scripted connects a host to a service with one of these servers behind it, under the id "fake".
func scripted(t *testing.T, host *mcp.Client, script string) *mcp.ClientSession {
	t.Helper()
	path, env := mcptest.Program(script)
	session, _ := serving(t, host,
		session.Settings{MaxChars: 100_000,
			MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env,
				Environ: os.Environ()}}}})
	return session
}

// A level that the host sets before anything else holds for servers that begin because of it.
func TestLevelBeforeTheFirstCall(t *testing.T) {
	heard := make(chan string, 1)
	session := scripted(t, mcp.NewClient(&mcp.Implementation{Name: "x"},
		&mcp.ClientOptions{LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			heard <- fmt.Sprint(r.Params.Level, " ", r.Params.Data)
		}}), "asks")
	testkit.Must(t, session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}))
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__log"})
	testkit.Must(t, err)
	testkit.Equal(t, textOf(got), `{"level":"debug"}`, "the level that the server knows")
	testkit.Equal(t, <-heard, "info called", "what the host heard")
}

// A host that knows a URI subscribes without asking for a list.
func TestSubscribeBeforeTheFirstList(t *testing.T) {
	session := scripted(t, fullHost(), "asks")
	testkit.Must(t, session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "a:1"}))
	wantCode(t, session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "a:2"}), mcp.CodeResourceNotFound)
}

// Errors about prompts and resources have the codes that the servers gave.
func TestCodesOfErrors(t *testing.T) {
	session := scripted(t, fullHost(), "asks")
	_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "fake__broken"})
	wantCode(t, err, -32042)
	_, err = session.Complete(t.Context(),
		&mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "nobody"},
			Argument: mcp.CompleteParamsArgument{Name: "a"}})
	wantCode(t, err, jsonrpc.CodeInvalidParams)
}

func wantCode(t *testing.T, err error, code int64) {
	t.Helper()
	if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != code {
		t.Errorf("got the error %#v, want one with the code %d", err, code)
	}
}

// A host that takes a call back has no answer to it, and the service goes on.
func TestCallTakenBack(t *testing.T) {
	taken, takeBack := context.WithCancel(t.Context())
	t.Cleanup(takeBack)
	ended := make(chan struct{})
	host := fullHost()
	host.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if _, ok := req.(*mcp.ElicitRequest); ok {
				takeBack() // the server has the call, and waits for this answer
				<-ended
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
			return next(ctx, method, req)
		}
	})
	session := scripted(t, host, "asks")
	_, err := session.CallTool(taken, &mcp.CallToolParams{Name: "fake__ask"})
	close(ended)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v, want that it was taken back", err)
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__log"})
	testkit.Must(t, err)
	testkit.Equal(t, got.IsError, false, textOf(got))
}

// A preset that there is not leaves in no prompts and resources either.
func TestNoPresetNoPrompts(t *testing.T) {
	path, env := mcptest.Program("asks")
	session, _ := serving(t, fullHost(), session.Settings{
		Preset: &session.Preset{Name: "lok", Tools: []string{}, Missing: &session.MissingPreset{From: "--preset"}},
		MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env,
			Environ: os.Environ()}}}})
	prompts, err := session.ListPrompts(t.Context(), nil)
	testkit.Must(t, err)
	testkit.Equal(t, len(prompts.Prompts), 0, "prompts")
	resources, err := session.ListResources(t.Context(), nil)
	testkit.Must(t, err)
	testkit.Equal(t, len(resources.Resources), 0, "resources")
	_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "fake__broken"})
	wantCode(t, err, jsonrpc.CodeInvalidParams)
}

// A preset leaves in the prompts and resources that it names, and no others can be had.
func TestPresetOfPromptsAndResources(t *testing.T) {
	path, env := mcptest.Program("asks")
	for _, c := range []struct {
		preset             session.Preset
		prompts, resources int
	}{
		{session.Preset{Name: "p", Prompts: []string{"fake__*"}, Resources: []string{}}, 1, 0},
		{session.Preset{Name: "p", Prompts: []string{"other__*"}, Resources: []string{"a:*"}}, 0, 1},
	} {
		host, _ := serving(t, fullHost(), session.Settings{Preset: &c.preset,
			MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env,
				Environ: os.Environ()}}}})
		var prompts *mcp.ListPromptsResult
		var resources *mcp.ListResourcesResult
		testkit.Wait(t, "what the preset leaves in", func() bool {
			var err error
			prompts, err = host.ListPrompts(t.Context(), nil)
			testkit.Must(t, err)
			resources, err = host.ListResources(t.Context(), nil)
			testkit.Must(t, err)
			return len(prompts.Prompts)+len(resources.Resources) > 0
		})
		testkit.Equal(t, len(prompts.Prompts), c.prompts, "prompts")
		testkit.Equal(t, len(resources.Resources), c.resources, "resources")
		if _, err := host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "a:1"}); c.resources == 0 && err == nil {
			t.Error("a resource that the preset leaves out was read")
		}
	}
}

// The nearest of a server's tools is told by the names that it gave them, not by the id that they share.
func TestNearestOfOthers(t *testing.T) {
	session := scripted(t, fullHost(), "asks")
	for name, near := range map[string]string{"fake__aks": "fake__ask", "fake:asks": "fake__ask", "fake__nope": ""} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		testkit.Must(t, err)
		raw, err := json.Marshal(got.StructuredContent)
		testkit.Must(t, err)
		var e struct {
			Error struct {
				Data struct {
					LspiError struct{ Kind, Closest string } `json:"lspi_error"`
				}
			}
		}
		testkit.Must(t, json.Unmarshal(raw, &e))
		testkit.Equal(t, e.Error.Data.LspiError.Kind, "unknown_tool", name)
		testkit.Equal(t, e.Error.Data.LspiError.Closest, near, name)
	}
}

// The host sees the form that the server sent, and the server what the host answers, also where the SDK would
// refuse it.
func TestFormsPass(t *testing.T) {
	var form string
	host := fullHost()
	host.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.ElicitRequest); ok {
				form = shape(t, r.Params.RequestedSchema)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"several": []any{"a"}}}, nil
			}
			return next(ctx, method, req)
		}
	})
	got, err := scripted(t, host, "asks").CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__ask"})
	testkit.Must(t, err)
	testkit.Equal(t, form, shape(t, json.RawMessage(titledChoices)), "the form")
	testkit.Equal(t, textOf(got), `{"action":"accept","content":{"several":["a"]}}`, "the answer")
}
