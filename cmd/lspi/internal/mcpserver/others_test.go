package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// behind is a host that reaches a real MCP server in two ways: directly, and through lspi under the id "real".
type behind struct {
	direct, through *mcp.ClientSession
	service         *Service
}

func bareEnvironment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "TZ=UTC"}
}

// fullHost is a client of the SDK with all that a host may offer.
func fullHost() *mcp.Client {
	c := mcp.NewClient(&mcp.Implementation{Name: "host-of-the-test", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true},
			Sampling: &mcp.SamplingCapabilities{}},
		CreateMessageWithToolsHandler: func(context.Context,
			*mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m",
				Content: []mcp.Content{&mcp.TextContent{Text: "sampled"}}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	c.AddRoots(&mcp.Root{URI: "file:///home/me/app", Name: "app"})
	return c
}

// serving connects a host to a service with these other MCP servers.
func serving(t testing.TB, host *mcp.Client, settings session.Settings) (*mcp.ClientSession, *Service) {
	t.Helper()
	return servingWith(t, host, ServiceOptions{Settings: settings})
}

// servingWith is serving with more options.
func servingWith(t testing.TB, host *mcp.Client, o ServiceOptions) (*mcp.ClientSession, *Service) {
	t.Helper()
	settings := o.Settings
	o.Version, o.Log = "1", slog.New(slog.DiscardHandler)
	o.Open = func(context.Context, []string) (*session.Session, error) {
		opened := toolstest.Open(t, t.TempDir())
		opened.Settings.MCPServers, opened.Settings.Preset, opened.Settings.Defaults = settings.MCPServers,
			settings.Preset, settings.Defaults
		return opened, nil
	}
	s := NewService(o)
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(context.Background(), here) }()
	session, err := host.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	testkit.Must(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		s.Close(errors.New("over"))
	})
	return session, s
}

func real(t testing.TB, dir, command string, args ...string) behind {
	t.Helper()
	testkit.Need(t, command)
	cmd := exec.Command(command, args...)
	cmd.Env, cmd.Dir = bareEnvironment(), dir
	direct, err := fullHost().Connect(t.Context(), &mcp.CommandTransport{Command: cmd},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = direct.Close() })
	b := behind{direct: direct}
	b.through, b.service = serving(t, fullHost(), session.Settings{MaxChars: 1_000_000, MCPServers: []session.MCPServer{
		{MCPSpec: session.MCPSpec{ID: "real", Command: command, Args: args, Environ: bareEnvironment(), Cwd: dir}}}})
	// On a busy machine it starts in more time than a list waits for.
	testkit.Wait(t, "its tools", func() bool {
		got, err := b.through.ListTools(t.Context(), nil)
		return err == nil && slices.ContainsFunc(got.Tools, func(tool *mcp.Tool) bool {
			return strings.HasPrefix(tool.Name, "real__")
		})
	})
	return b
}

// passing are texts that no two answers share: times, and ids of a run.
var passing = regexp.MustCompile(`\d{1,2}:\d{2}:\d{2}( [AP]M)?|\d{4}-\d\d-\d\dT[\d:.]+Z?|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|\d{10,}`)

// shape is a value as JSON with its members in order, without what no two answers share.
func shape(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	testkit.Must(t, err)
	var value any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	testkit.Must(t, dec.Decode(&value))
	if members, ok := value.(map[string]any); ok { // which the SDK adds on its way to the host (go-sdk 1.8.0)
		delete(members, "cacheScope")
		delete(members, "ttlMs")
	}
	raw, err = json.Marshal(value)
	testkit.Must(t, err)
	return passing.ReplaceAllString(string(raw), "…")
}

// sameTools compares the list of a server's tools, and a call of each.
func (b behind) sameTools(t *testing.T, calls map[string][]string) {
	t.Helper()
	want, err := b.direct.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	got, err := b.through.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	listed := map[string]*mcp.Tool{}
	for _, tool := range got.Tools {
		listed[tool.Name] = tool
	}
	for _, tool := range want.Tools {
		name := session.ServerTool("real", tool.Name)
		if listed[name] == nil {
			t.Errorf("%s is not listed", name)
			continue
		}
		same := *listed[name]
		same.Name = tool.Name
		testkit.Equal(t, shape(t, same), shape(t, tool), tool.Name)
		if calls[tool.Name] == nil {
			t.Errorf("no arguments for the tool %s", tool.Name)
		}
		for i, args := range calls[tool.Name] {
			want, wantErr := b.direct.CallTool(t.Context(),
				&mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(args)})
			if i == 1 {
				name = "real:" + tool.Name // the other spelling
			}
			got, err := b.through.CallTool(t.Context(),
				&mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
			testkit.Must(t, err)
			if wantErr != nil {
				if !got.IsError || !strings.Contains(shape(t, got), "mcp_server_refused") {
					t.Errorf("%s %s: %v is %s", tool.Name, args, wantErr, shape(t, got))
				}
				continue
			}
			testkit.Equal(t, shape(t, got), shape(t, want), tool.Name+" "+args)
		}
	}
}

// A host sees the same of server-everything through lspi as directly: each tool, prompt, resource and template.
func TestEverythingThroughLspi(t *testing.T) {
	b := real(t, t.TempDir(), "mcp-server-everything")
	b.sameTools(t, map[string][]string{
		"echo":           {`{"message":"hello ö😀"}`, `{"message":"x"}`, `{}`},
		"get-sum":        {`{"a":1,"b":2}`, `{"a":1.5,"b":-2}`, `{"a":"x"}`},
		"get-tiny-image": {`{}`},
		"get-annotated-message": {`{"messageType":"error","includeImage":true}`,
			`{"messageType":"success"}`},
		"get-env":                {`{}`},
		"get-resource-links":     {`{"count":3}`},
		"get-resource-reference": {`{"resourceType":"Text","resourceId":1}`},
		"get-roots-list":         {`{}`},
		"get-structured-content": {`{"location":"New York"}`},
		"gzip-file-as-resource": {
			`{"name":"x.gz","data":"data:text/plain;base64,aGVsbG8=","outputType":"resourceLink"}`},
		"simulate-research-query":           {`{"topic":"x"}`},
		"toggle-simulated-logging":          {`{}`, `{}`},
		"toggle-subscriber-updates":         {`{}`, `{}`},
		"trigger-elicitation-request":       {`{}`},
		"trigger-long-running-operation":    {`{"duration":0.01,"steps":2}`},
		"trigger-sampling-request":          {`{"prompt":"x","maxTokens":10}`},
		"trigger-sampling-request-async":    {`{"prompt":"x","maxTokens":10}`},
		"trigger-elicitation-request-async": {`{}`},
		"trigger-url-elicitation":           {`{}`},
	})
	wantPrompts, err := b.direct.ListPrompts(t.Context(), nil)
	testkit.Must(t, err)
	var gotPrompts *mcp.ListPromptsResult
	testkit.Wait(t, "its prompts", func() bool {
		gotPrompts, err = b.through.ListPrompts(t.Context(), nil)
		return err != nil || len(gotPrompts.Prompts) > 0
	})
	testkit.Must(t, err)
	testkit.Equal(t, len(gotPrompts.Prompts), len(wantPrompts.Prompts), "prompts")
	byName := map[string]*mcp.Prompt{}
	for _, p := range gotPrompts.Prompts {
		byName[strings.TrimPrefix(p.Name, "real__")] = p
	}
	for _, p := range wantPrompts.Prompts {
		same := *byName[p.Name]
		same.Name = p.Name
		testkit.Equal(t, shape(t, same), shape(t, p), p.Name)
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = "1"
		}
		want, wantErr := b.direct.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: args})
		for _, id := range []string{"real__", "real:"} {
			got, err := b.through.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: id + p.Name, Arguments: args})
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v, want %v", id+p.Name, err, wantErr)
			} else if err == nil {
				testkit.Equal(t, shape(t, got), shape(t, want), id+p.Name)
			}
		}
	}
	wantResources, err := b.direct.ListResources(t.Context(), nil)
	testkit.Must(t, err)
	var gotResources *mcp.ListResourcesResult
	testkit.Wait(t, "its resources", func() bool { // the tools that were called have made one more
		gotResources, err = b.through.ListResources(t.Context(), nil)
		return err != nil || len(gotResources.Resources) == len(wantResources.Resources)
	})
	testkit.Must(t, err)
	testkit.Equal(t, len(gotResources.Resources), len(wantResources.Resources), "resources")
	byURI := map[string]*mcp.Resource{}
	for _, r := range gotResources.Resources {
		byURI[r.URI] = r
	}
	for _, r := range wantResources.Resources {
		testkit.Equal(t, shape(t, byURI[r.URI]), shape(t, r), r.URI)
		want, err := b.direct.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		testkit.Must(t, err)
		got, err := b.through.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		testkit.Must(t, err)
		testkit.Equal(t, shape(t, got), shape(t, want), r.URI)
	}
	wantTemplates, err := b.direct.ListResourceTemplates(t.Context(), nil)
	testkit.Must(t, err)
	var gotTemplates *mcp.ListResourceTemplatesResult
	testkit.Wait(t, "its templates", func() bool {
		gotTemplates, err = b.through.ListResourceTemplates(t.Context(), nil)
		return err != nil || len(gotTemplates.ResourceTemplates) > 0
	})
	testkit.Must(t, err)
	slices.SortFunc(wantTemplates.ResourceTemplates, func(a, b *mcp.ResourceTemplate) int {
		return strings.Compare(a.URITemplate, b.URITemplate)
	})
	testkit.Equal(t, shape(t, gotTemplates.ResourceTemplates), shape(t, wantTemplates.ResourceTemplates), "templates")
	for _, uri := range []string{"demo://resource/dynamic/text/3", "demo://resource/dynamic/blob/2"} {
		read := func(s *mcp.ClientSession) string {
			r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			testkit.Must(t, err)
			return shape(t, r)
		}
		// They have the time of day, in seconds: the answer is held to those before and behind it in one second.
		testkit.Wait(t, "three answers in one second", func() bool {
			before, got, behind := read(b.direct), read(b.through), read(b.direct)
			if before == behind {
				testkit.Equal(t, got, before, uri)
			}
			return before == behind
		})
	}
	complete := mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"},
		Argument: mcp.CompleteParamsArgument{Name: "department", Value: "E"}}
	want, err := b.direct.Complete(t.Context(), &complete)
	testkit.Must(t, err)
	complete.Ref.Name = "real__completable-prompt"
	got, err := b.through.Complete(t.Context(), &complete)
	testkit.Must(t, err)
	testkit.Equal(t, shape(t, got), shape(t, want), "completion")
}

// The same of server-filesystem, which may do what the host's roots allow, and of a server in Python.
func TestFilesThroughLspi(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o644))
	b := real(t, dir, "mcp-server-filesystem", dir)
	path := func(more string) []string {
		return []string{`{"path":"` + filepath.ToSlash(filepath.Join(dir, more)) + `"}`}
	}
	calls := map[string][]string{}
	list, err := b.direct.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	for _, tool := range list.Tools {
		calls[tool.Name] = path("a.txt")
	}
	b.sameTools(t, calls)
}

func TestTimeThroughLspi(t *testing.T) {
	b := real(t, t.TempDir(), "mcp-server-time", "--local-timezone", "UTC")
	b.sameTools(t, map[string][]string{
		"get_current_time": {`{"timezone":"Europe/Berlin"}`, `{"timezone":"nowhere"}`},
		"convert_time":     {`{"source_timezone":"UTC","time":"12:30","target_timezone":"Asia/Tokyo"}`, `{}`},
	})
}

// A server that is no lspi does what it does directly, also where lspi knows the workspace and the host has no
// roots: it hears of none.
func TestNoRootsThroughLspi(t *testing.T) {
	testkit.Need(t, "mcp-server-filesystem")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	root := filepath.Join(dir, "workspace")
	testkit.Must(t, os.Mkdir(root, 0o755))
	c, _ := serving(t, mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}), session.Settings{Root: root,
		MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "files", Command: "mcp-server-filesystem",
			Args: []string{dir}, Environ: bareEnvironment(), Cwd: dir}}}})
	got, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "files__list_allowed_directories"})
	testkit.Must(t, err)
	if said := textOf(got); !strings.Contains(said, dir) || strings.Contains(said, root) {
		t.Error(said)
	}
}
