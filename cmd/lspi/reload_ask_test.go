package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/tools"
)

// reloadQuestion is one call of a tool, with what each world has for an answer.
type reloadQuestion struct {
	tool      string // as it is called
	today     string // the tool that answers
	arguments map[string]any
	server    string // that it needs; "" for none
	// said is what matters of an answer; want is the same of a world that can be asked.
	said func(a *reloadAnswer) string
	want func(w *reloadWorld) string
}

// reloadAnswer is what the questions look at.
type reloadAnswer struct {
	OK                       bool
	ServerID                 string `json:"server_id"`
	Total                    int
	Signature, Documentation string
	Error                    struct {
		Data struct {
			Reason struct{ Kind contract.Kind } `json:"lspi_error"`
		}
	}
	ReadOnly bool     `json:"read_only"`
	ConfigOK bool     `json:"config_ok"`
	Tools    []string `json:"tools"`
	Preset   *struct{ Name string }
	Trust    struct{ Trusted bool }
	Limits   struct {
		Chars   int `json:"max_total_chars_default"`
		Hard    int `json:"max_total_chars_hard"`
		Timeout int `json:"call_timeout_ms"`
	}
}

func (a *reloadAnswer) kind() contract.Kind { return a.Error.Data.Reason.Kind }

// defaults that stand where no revision does.
const (
	defaultTimeout = 50_000
	defaultHardCap = 2_000_000
)

// current is get_current_config in the words of [reloadWorld.current].
func (a *reloadAnswer) current() string {
	var user, preset, project int
	if a.Limits.Timeout != defaultTimeout {
		user = a.Limits.Timeout - firstTimeout
	}
	if a.Preset != nil {
		preset = a.Limits.Chars - firstCap
	}
	if a.Limits.Hard != defaultHardCap {
		project = a.Limits.Hard - firstHardCap
	}
	return fmt.Sprintf("revisions %d %d %d, read-only %v, trusted %v, ok %v, %s", user, preset, project, a.ReadOnly,
		a.Trust.Trusted, a.ConfigOK, strings.Join(a.Tools, " "))
}

const currentConfig = "get_current_config"

var reloadQuestions = func() []*reloadQuestion {
	place := func(name string, more map[string]any) map[string]any {
		out := map[string]any{"file_path": "a." + name, "symbol_name": name, "line": 1}
		for key, value := range more {
			out[key] = value
		}
		return out
	}
	answered := func(a *reloadAnswer) string { return "by " + a.ServerID }
	by := func(id string) func(*reloadWorld) string { return func(*reloadWorld) string { return "by " + id } }
	total := func(w *reloadWorld) string {
		if w.user.shortReferences {
			return "1 reference"
		}
		return "2 references"
	}
	references := func(a *reloadAnswer) string {
		return strings.TrimSuffix(fmt.Sprintf("%d references", a.Total), map[bool]string{true: "s"}[a.Total == 1])
	}
	return []*reloadQuestion{
		{tool: currentConfig, today: currentConfig, said: (*reloadAnswer).current},
		{tool: "find_references", today: "find_references", server: "one", arguments: place("one", nil),
			said: references, want: total},
		{tool: "FIND_REFERENCES_AT", today: "find_references", server: "one",
			arguments: map[string]any{"file_path": "a.one", "line": 1, "character": 5}, said: references, want: total},
		{tool: "find_definition", today: "find_definition", server: "two", arguments: place("two", nil),
			said: answered, want: by("two")},
		{tool: "find_type_definition", today: "find_definition", server: "three", arguments: place("three", nil),
			said: answered, want: by("three")},
		{tool: "rename_symbol", today: "rename_symbol", server: "one",
			arguments: place("one", map[string]any{"new_name": "eins"}), said: answered, want: by("one")},
		{tool: "hover", today: "hover", server: "one", arguments: place("one", nil),
			said: func(a *reloadAnswer) string { return strings.TrimSpace(a.Signature + a.Documentation) },
			want: func(w *reloadWorld) string { return fmt.Sprintf("script %d", w.user.one) }},
		{tool: "lsp:hover", said: answered},
	}
}()

// nothingAnswers stands for an error of every tool that asks a server, whichever.
const nothingAnswers = "nothing"

// explains reports whether an answer is the expected one.
func (q *reloadQuestion) explains(expected, said string) bool {
	// what cannot be read now may have an MCP server of that name
	if q.today == "" && said == string(contract.KindConfigInvalid) {
		return true
	}
	if expected != nothingAnswers {
		return expected == said
	}
	return !strings.Contains(said, " ") || strings.Contains(said, "ok false")
}

// expected is what a world has for an answer; fallback is the last one that was not broken, which goes on in a
// broken one.
func (q *reloadQuestion) expected(w, fallback *reloadWorld) string {
	t, err := tools.Lookup(q.today)
	if err != nil {
		return string(contract.KindUnknownTool)
	}
	in := w
	if w.broken() {
		if in = fallback; !w.goesOn(fallback) {
			return nothingAnswers
		}
	}
	if refused := in.refusal(t); refused != "" {
		return string(refused)
	}
	if q.tool == currentConfig {
		return w.current(fallback)
	}
	if refused := in.server(q.server); refused != "" {
		return string(refused)
	}
	return q.want(in)
}

// ask calls the tool.
func (q *reloadQuestion) ask(ctx context.Context, s *mcp.ClientSession) (string, error) {
	var a reloadAnswer
	if err := callTool(ctx, s, q.tool, q.arguments, &a); err != nil {
		return "", err
	}
	if !a.OK {
		return string(a.kind()), nil
	}
	return q.said(&a), nil
}

// callTool decodes the envelope of a call.
func callTool(ctx context.Context, s *mcp.ClientSession, tool string, arguments map[string]any, into any) error {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	return err
}

// listedTools is tools/list.
func listedTools(ctx context.Context, s *mcp.ClientSession) ([]string, error) {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, t := range list.Tools {
		out = append(out, t.Name)
	}
	return out, nil
}
