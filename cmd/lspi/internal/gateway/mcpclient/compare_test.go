package mcpclient_test

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/testkit"
)

// direct is a plain client of the SDK, and what it read: the results as they were sent.
type direct struct {
	*mcp.ClientSession
	mu   sync.Mutex
	last json.RawMessage // under mu; of the newest response with a result
}

// Connect makes it a transport that keeps the raw results.
func (d *direct) Connect(ctx context.Context, t mcp.Transport) (mcp.Connection, error) {
	conn, err := t.Connect(ctx)
	return &keeping{conn, d}, err
}

type keeping struct {
	mcp.Connection
	d *direct
}

func (k *keeping) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := k.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok {
		k.d.mu.Lock()
		defer k.d.mu.Unlock()
		k.d.last = r.Result
	}
	return m, err
}

func (d *direct) raw() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.last)
}

type keepingTransport struct {
	d *direct
	t mcp.Transport
}

func (k keepingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	return k.d.Connect(ctx, k.t)
}

// bare is the environment of both servers.
func bare() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "TZ=UTC"} }

// twice starts a real server twice: for a plain client of the SDK and for ours, with the same host.
func twice(t testing.TB, dir, command string, args ...string) (*direct, *mcpclient.Client) {
	t.Helper()
	testkit.Need(t, command)
	var s spec
	var h host
	fullHost(&s, &h, nil)
	// Of an answer that accepts, the SDK's plain client fills in defaults of the form; ours passes on what the host
	// said.
	h.Elicit = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	cmd := exec.Command(command, args...)
	cmd.Env, cmd.Dir = bare(), dir
	d := &direct{}
	plainClient := mcp.NewClient(&mcp.Implementation{Name: "lspi"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true},
			Sampling: &mcp.SamplingCapabilities{}},
		CreateMessageWithToolsHandler: func(ctx context.Context,
			r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return h.CreateMessage(ctx, r.Params)
		},
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return h.Elicit(ctx, r.Params)
		},
	})
	plainClient.AddRoots(&mcp.Root{URI: "file:///home/me/app", Name: "app"})
	connection, err := plainClient.Connect(t.Context(), keepingTransport{d, &mcp.CommandTransport{Command: cmd}},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	d.ClientSession = connection
	c, err := mcpclient.New(spec{ID: "real", Command: command, Args: args, Environ: bare(), Cwd: dir}, h, opts{})
	testkit.Must(t, err)
	t.Cleanup(c.Close)
	return d, c
}

// passing are texts that no two answers share: times, and ids of a run.
var passing = regexp.MustCompile(`\d{1,2}:\d{2}:\d{2}( [AP]M)?|\d{4}-\d\d-\d\dT[\d:.]+Z?|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|\d{10,}`)

// blob is a text in base64, which may hold a time.
var blob = regexp.MustCompile(`"blob":"[A-Za-z0-9+/]+=*"`)

func steady(s string) string {
	s = blob.ReplaceAllStringFunc(s, func(member string) string {
		text, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(member, `"blob":`), `"`))
		if err != nil {
			return member
		}
		return `"blob":` + strconv.Quote(string(text))
	})
	return passing.ReplaceAllString(s, "…")
}

// sameAnswer compares what ours got with what the plain client got: the bytes, and what the SDK makes of them.
func sameAnswer[T any](t *testing.T, what string, d *direct, want *T, wantErr error, got *mcpclient.Result[T],
	gotErr error) {
	t.Helper()
	if wantErr != nil || gotErr != nil {
		var w *jsonrpc.Error
		var g *mcpclient.Error
		if !errors.As(wantErr, &w) || !errors.As(gotErr, &g) || int(w.Code) != g.Code ||
			!strings.HasSuffix(g.Message, w.Message) {
			t.Errorf("%s: got the error %v, want %v", what, gotErr, wantErr)
		}
		return
	}
	testkit.Equal(t, got.Undecoded, "", what+": undecoded")
	testkit.Equal(t, steady(string(got.Raw)), steady(d.raw()), what+": bytes")
	wantJSON, err := json.Marshal(want)
	testkit.Must(t, err)
	gotJSON, err := json.Marshal(got.Decoded)
	testkit.Must(t, err)
	testkit.Equal(t, steady(canonical(t, gotJSON)), steady(canonical(t, wantJSON)), what+": decoded")
}

// canonical is JSON with its members in order.
func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	testkit.Must(t, dec.Decode(&v))
	out, err := json.Marshal(v)
	testkit.Must(t, err)
	return string(out)
}

// sameList compares a list that ours got with the items of the plain client's one page.
func sameList(t *testing.T, what string, d *direct, member string, raws []json.RawMessage, warnings []string) {
	t.Helper()
	var page map[string]json.RawMessage
	testkit.Must(t, json.Unmarshal([]byte(d.raw()), &page))
	var want []json.RawMessage
	testkit.Must(t, json.Unmarshal(page[member], &want))
	testkit.Equal(t, len(raws), len(want), what)
	for i := range min(len(raws), len(want)) {
		testkit.Equal(t, string(raws[i]), string(want[i]), what)
	}
	testkit.Equal(t, len(warnings), 0, fmt.Sprint(what, " warnings ", warnings))
}

// compareTools compares the tools of a server and a call of each, with the arguments given; one without arguments
// in the table fails the test.
func compareTools(t *testing.T, d *direct, c *mcpclient.Client, calls map[string][]string) {
	t.Helper()
	listed, err := d.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	l, err := c.Tools(t.Context())
	testkit.Must(t, err)
	var raws []json.RawMessage
	for i, tool := range l.Items {
		raws = append(raws, tool.Raw)
		want, _ := json.Marshal(listed.Tools[i])
		got, _ := json.Marshal(tool.Item)
		testkit.Equal(t, canonical(t, got), canonical(t, want), "tool "+tool.Name)
	}
	sameList(t, "tools", d, "tools", raws, l.Warnings)
	for _, tool := range listed.Tools {
		if calls[tool.Name] == nil {
			t.Errorf("no arguments for the tool %s", tool.Name)
		}
		for _, args := range calls[tool.Name] {
			want, wantErr := d.CallTool(t.Context(),
				&mcp.CallToolParams{Name: tool.Name, Arguments: json.RawMessage(args)})
			got, gotErr := c.CallTool(t.Context(), mcpclient.Call{Name: tool.Name, Arguments: json.RawMessage(args)})
			sameAnswer(t, tool.Name+" "+args, d, want, wantErr, got, gotErr)
		}
		delete(calls, tool.Name)
	}
	if len(calls) > 0 {
		t.Errorf("no such tools: %v", slices.Collect(maps.Keys(calls)))
	}
}

// A host sees the same of server-everything through the client as directly: every tool, prompt, resource and
// template, byte by byte.
func TestEverything(t *testing.T) {
	d, c := twice(t, t.TempDir(), "mcp-server-everything")
	compareTools(t, d, c, everythingCalls())

	prompts, err := d.ListPrompts(t.Context(), nil)
	testkit.Must(t, err)
	p, err := c.Prompts(t.Context())
	testkit.Must(t, err)
	var raws []json.RawMessage
	for _, item := range p.Items {
		raws = append(raws, item.Raw)
	}
	sameList(t, "prompts", d, "prompts", raws, p.Warnings)
	arguments := map[string][]map[string]string{
		"simple-prompt":      {nil},
		"args-prompt":        {{"city": "Paris"}, {"city": "Paris", "state": "F"}, nil},
		"completable-prompt": {{"department": "Engineering", "name": "Alice"}},
		"resource-prompt": {{"resourceType": "Text", "resourceId": "1"},
			{"resourceType": "Blob", "resourceId": "2"}, {"resourceType": "x", "resourceId": "y"}},
	}
	for _, prompt := range prompts.Prompts {
		if arguments[prompt.Name] == nil {
			t.Errorf("no arguments for the prompt %s", prompt.Name)
		}
		for _, args := range arguments[prompt.Name] {
			want, wantErr := d.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt.Name, Arguments: args})
			got, gotErr := c.GetPrompt(t.Context(), prompt.Name, args)
			sameAnswer(t, prompt.Name, d, want, wantErr, got, gotErr)
		}
	}

	resources, err := d.ListResources(t.Context(), nil)
	testkit.Must(t, err)
	r, err := c.Resources(t.Context())
	testkit.Must(t, err)
	raws = nil
	for _, item := range r.Items {
		raws = append(raws, item.Raw)
	}
	sameList(t, "resources", d, "resources", raws, r.Warnings)
	uris := []string{"demo://resource/dynamic/text/7", "demo://resource/dynamic/blob/8", "demo://resource/none"}
	for _, resource := range resources.Resources {
		uris = append(uris, resource.URI)
	}
	for _, uri := range uris {
		want, wantErr := d.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		got, gotErr := c.ReadResource(t.Context(), uri)
		sameAnswer(t, uri, d, want, wantErr, got, gotErr)
	}

	_, err = d.ListResourceTemplates(t.Context(), nil)
	testkit.Must(t, err)
	templates, err := c.ResourceTemplates(t.Context())
	testkit.Must(t, err)
	raws = nil
	for _, item := range templates.Items {
		raws = append(raws, item.Raw)
	}
	sameList(t, "templates", d, "resourceTemplates", raws, templates.Warnings)

	for _, params := range []*mcp.CompleteParams{
		{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"},
			Argument: mcp.CompleteParamsArgument{Name: "department", Value: "E"}},
		{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "demo://resource/dynamic/text/{resourceId}"},
			Argument: mcp.CompleteParamsArgument{Name: "resourceId", Value: "1"}},
	} {
		want, wantErr := d.Complete(t.Context(), params)
		got, gotErr := c.Complete(t.Context(), params)
		sameAnswer(t, "completion", d, want, wantErr, got, gotErr)
	}
	testkit.Must(t, c.SetLevel(t.Context(), "debug"))
	testkit.Must(t, c.Subscribe(t.Context(), "demo://resource/dynamic/text/1"))
	testkit.Must(t, c.Unsubscribe(t.Context(), "demo://resource/dynamic/text/1"))
	testkit.Equal(t, c.Status().Decodes, 0, "what could not be decoded")
}

// everythingCalls has arguments for every tool of server-everything 2026.8.31, of a host with sampling, elicitation
// and roots.
func everythingCalls() map[string][]string {
	return map[string][]string{
		"echo": {`{"message":"<a> & \u00e4 🎉"}`, `{}`, `{"message":7}`},
		"get-annotated-message": {`{"messageType":"error","includeImage":true}`, `{"messageType":"success"}`,
			`{"messageType":"debug"}`},
		"get-env":            {`{}`},
		"get-resource-links": {`{"count":10}`, `{}`},
		"get-resource-reference": {`{"resourceType":"Text","resourceId":1}`,
			`{"resourceType":"Blob","resourceId":2}`},
		"get-structured-content": {`{"location":"New York"}`, `{"location":"nowhere"}`},
		"get-sum":                {`{"a":1.50,"b":2e3}`},
		"get-tiny-image":         {`{}`},
		"get-roots-list":         {`{}`},
		"gzip-file-as-resource": {
			`{"name":"x.gz","data":"data:text/plain;base64,aGVsbG8=","outputType":"resource"}`},
		"toggle-simulated-logging":       {`{}`},
		"toggle-subscriber-updates":      {`{}`},
		"trigger-long-running-operation": {`{"duration":0.2,"steps":2}`},
		"trigger-sampling-request":       {`{"prompt":"p","maxTokens":3}`},
		"trigger-elicitation-request":    {`{}`},
		"simulate-research-query":        {`{"topic":"x"}`},
	}
}

// The same of server-filesystem, which has roots in the place of allowed folders, and errors of its own.
func TestFilesystem(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.txt": "one\ntwo\n", "sub/b.md": "# b\n"})
	d, c := twice(t, dir, "mcp-server-filesystem", dir)
	in := func(rel string) string { return filepath.Join(dir, rel) }
	one := func(format string, paths ...any) []string { return []string{fmt.Sprintf(format, paths...)} }
	a, sub := in("a.txt"), in("sub")
	compareTools(t, d, c, map[string][]string{
		"read_file": one(`{"path":%q}`, a),
		"read_text_file": {fmt.Sprintf(`{"path":%q,"head":1}`, a), `{"path":"/etc/passwd"}`,
			fmt.Sprintf(`{"path":%q}`, in("none"))},
		"read_media_file":           one(`{"path":%q}`, a),
		"read_multiple_files":       one(`{"paths":[%q,%q]}`, a, in("none")),
		"write_file":                one(`{"path":%q,"content":"c"}`, in("c.txt")),
		"edit_file":                 one(`{"path":%q,"edits":[{"oldText":"one","newText":"1"}],"dryRun":true}`, a),
		"create_directory":          one(`{"path":%q}`, in("d")),
		"list_directory":            one(`{"path":%q}`, sub),
		"list_directory_with_sizes": one(`{"path":%q}`, sub),
		"directory_tree":            one(`{"path":%q}`, sub),
		"move_file":                 one(`{"source":%q,"destination":%q}`, in("none"), in("e")),
		"search_files":              one(`{"path":%q,"pattern":"**/*.md"}`, dir),
		"get_file_info":             one(`{"path":%q}`, in("sub/b.md")),
		"list_allowed_directories":  {`{}`},
	})
}

// The same of a server in Python.
func TestTime(t *testing.T) {
	d, c := twice(t, t.TempDir(), "mcp-server-time", "--local-timezone", "Etc/UTC")
	compareTools(t, d, c, map[string][]string{
		"get_current_time": {`{"timezone":"Europe/Berlin"}`, `{"timezone":"nowhere"}`, `{}`},
		"convert_time":     {`{"source_timezone":"Etc/UTC","time":"12:30","target_timezone":"Asia/Tokyo"}`},
	})
}
