package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/recall"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// transcriber writes transcripts of sessions in a workspace, as their clients do.
type transcriber struct {
	testing.TB
	*session.Session
	dir string
}

// recalling turns the tools of recall on for a session, with folders of transcripts that are empty.
func recalling(t testing.TB, s *session.Session) *transcriber {
	t.Helper()
	h := &transcriber{t, s, t.TempDir()}
	s.Settings.Recall = true
	s.Settings.Transcripts = recall.Environment{Folders: recall.Folders{Codex: filepath.Join(h.dir, "codex"),
		Claude: filepath.Join(h.dir, "claude"), VSCode: filepath.Join(h.dir, "vscode")}}
	return h
}

// asked is when requests in transcripts were asked.
var asked = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// threadID and chatID are ids as Codex and Claude Code make them.
func threadID(n int) string { return fmt.Sprintf("01a20000-0000-7000-8000-%012d", n) }
func chatID(n int) string   { return fmt.Sprintf("c1a0de00-0000-4000-8000-%012d", n) }

// codex writes the thread with a number, and is its file; its last change was so long ago.
func (h *transcriber) codex(n int, cwd string, ago time.Duration, requests ...string) string {
	h.Helper()
	lines := []any{map[string]any{"timestamp": asked, "type": "session_meta",
		"payload": map[string]any{"id": threadID(n), "cwd": cwd, "timestamp": asked, "source": "cli"}}}
	for i, text := range requests {
		lines = append(lines, map[string]any{"timestamp": asked.Add(time.Duration(i) * time.Minute),
			"type": "event_msg", "payload": map[string]any{"type": "user_message", "message": text}})
	}
	return h.save("codex/sessions/2026/03/04/rollout-2026-03-04T12-00-00-"+threadID(n)+".jsonl", ago, lines)
}

// claude writes the session with a number; it calls the tool toolu_N behind its last request.
func (h *transcriber) claude(n int, cwd string, ago time.Duration, requests ...string) string {
	h.Helper()
	var lines []any
	var last any
	add := func(kind string, message map[string]any) {
		id := fmt.Sprintf("%s-%d", chatID(n), len(lines))
		lines = append(lines, map[string]any{"parentUuid": last, "isSidechain": false, "type": kind, "uuid": id,
			"cwd": cwd, "sessionId": chatID(n),
			"timestamp": asked.Add(time.Duration(len(lines)) * time.Minute), "message": message})
		last = id
	}
	for _, text := range requests {
		add("user", map[string]any{"role": "user", "content": text})
	}
	add("assistant",
		map[string]any{"role": "assistant",
			"content": []any{map[string]any{"type": "tool_use", "id": fmt.Sprint("toolu_", n),
				"input": map[string]any{}}}})
	return h.save("claude/projects/-work/"+chatID(n)+".jsonl", ago, lines)
}

// vscode writes a chat of VS Code, whose id it returns.
func (h *transcriber) vscode(id, cwd string, ago time.Duration, requests ...string) string {
	h.Helper()
	window := "vscode/Code/User/workspaceStorage/0a1b/"
	testkit.Write(h, filepath.Join(h.dir, filepath.FromSlash(window+"workspace.json")), `{"folder":"file://`+cwd+`"}`)
	var all []any
	for _, text := range requests {
		all = append(all, map[string]any{"timestamp": asked.UnixMilli(), "message": map[string]any{"text": text}})
	}
	h.save(window+"chatSessions/"+id+".json", ago, []any{map[string]any{"sessionId": id, "requests": all}})
	return id
}

func (h *transcriber) save(name string, ago time.Duration, lines []any) string {
	h.Helper()
	var text strings.Builder
	for _, line := range lines {
		raw, err := json.Marshal(line)
		testkit.Must(h, err)
		text.Write(append(raw, '\n'))
	}
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	testkit.Write(h, path, text.String())
	at := time.Now().Add(-ago)
	testkit.Must(h, os.Chtimes(path, at, at))
	return path
}

// from calls a tool as a host with a name, whose call is part of a conversation.
func (h *transcriber) from(host string, origin answer.Origin, tool string, arguments string) reply {
	h.Helper()
	r := Run(h.Context(), h.Session, nil, answer.Request{Tool: tool, Arguments: json.RawMessage(arguments),
		Host: session.Host{Name: host}, Origin: origin})
	validAnswer(h, tool, r.Structured)
	var a reply
	testkit.Must(h, json.Unmarshal(r.Structured, &a))
	return a
}

func (h *transcriber) call(tool, arguments string) reply {
	h.Helper()
	return h.from("claude-code", answer.Origin{}, tool, arguments)
}

const (
	claudeHost = "claude-code"
	codexHost  = "codex-mcp-client"
)

func recallSession(t testing.TB) *transcriber {
	t.Helper()
	return recalling(t,
		toolstest.Open(t, testkit.Project(t, map[string]string{"a.w": "def alpha\n", "sub/b.w": "def beta\n"})))
}

// The session is found by the argument, by what the host says with the call, by the environment, and else by time;
// an answer says how.
func TestSessionOfACall(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	root := h.Workspace.Root
	h.codex(1, root, time.Hour, "mend the parser", "and test it")
	h.codex(2, filepath.Join(root, "sub"), 2*time.Hour, "another thread")
	h.claude(3, root, 3*time.Hour, "write the docs")
	h.claude(4, root, 4*time.Hour, "translate the docs")
	h.codex(5, filepath.Dir(root), time.Minute, "of another workspace")
	chat := h.vscode("5c0de", root, 5*time.Hour, "draw the plan")
	h.Settings.Transcripts.SessionIDs = map[recall.Client]string{recall.Claude: chatID(4)}
	for name, c := range map[string]struct {
		host      string
		origin    answer.Origin
		arguments string
		id, by    string
		warnings  string
	}{
		"argument": {codexHost, answer.Origin{CodexThread: threadID(1)}, `{"session_id":"` +
			chatID(3) + `"}`, chatID(3), "session_id", "[]"},
		"thread": {codexHost, answer.Origin{CodexThread: threadID(2)}, `{}`, threadID(2),
			"codex_thread", "[]"},
		"tool use": {claudeHost, answer.Origin{ClaudeToolUse: "toolu_3"}, `{}`, chatID(3),
			"claude_tool_use", "[]"},
		"chat":          {"Visual Studio Code", answer.Origin{VSCodeConversation: chat}, `{}`, chat, "vscode_conversation", "[]"},
		"the last chat": {"Visual Studio Code", answer.Origin{}, `{}`, chat, "newest", "[session_guessed]"},
		"environment":   {claudeHost, answer.Origin{}, `{}`, chatID(4), "environment", "[]"},
		"a tool use nobody wrote yet": {claudeHost, answer.Origin{ClaudeToolUse: "toolu_9"}, `{}`, chatID(4),
			"environment", "[]"},
		"from a shell of Claude Code": {"lspi call", answer.Origin{}, `{}`, chatID(4), "environment", "[]"},
		"Codex in a shell of it":      {codexHost, answer.Origin{}, `{}`, threadID(1), "newest", "[session_guessed]"},
	} {
		a := h.from(c.host, c.origin, "get_first_request", c.arguments)
		if a["session_id"] != any(c.id) || a["found_by"] != any(c.by) || fmt.Sprint(a.kinds()) != c.warnings {
			t.Errorf("%s: %v", name, a)
		}
	}
	if a := h.from("gemini-cli-mcp-client", answer.Origin{}, "get_first_request", `{}`); a.fault() != "no_dialog" {
		t.Errorf("another host in a shell of Claude Code: %v", a)
	}
	guessed := h.from(codexHost, answer.Origin{}, "get_request", `{"index":2}`)
	warning := firstOf(guessed, "warnings")
	if guessed["request"] != any("and test it") || warning["session_id"] != any(threadID(1)) ||
		firstOf(guessed, "next_steps")["tool"] != any("list_sessions") {
		t.Errorf("%v", guessed)
	}
	h.Settings.Transcripts.SessionIDs = nil
	if a := h.from("lspi call", answer.Origin{}, "get_first_request", `{}`); a["session_id"] != any(threadID(1)) ||
		a["found_by"] != any("newest") {
		t.Errorf("from a shell of nobody: %v", a)
	}
}

func TestRequestFields(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	long := strings.Repeat("täsk ", 30) + "\nsecond line\u202e"
	h.claude(1, h.Workspace.Root, time.Minute, long, "then this")
	a := h.call("get_first_request", `{}`)
	preview, _ := a["first_request"].(string)
	if utf8.RuneCountInString(preview) > recall.PreviewRunes ||
		!strings.HasPrefix(long, strings.TrimSuffix(preview, "…")) {
		t.Errorf("%q", preview)
	}
	want := strings.Replace(long, "\u202e", `\u{202E}`, 1)
	if a["full"] != any(want) || a["timestamp_ms"] != any(float64(asked.UnixMilli())) || a["requests_count"] != 2.0 ||
		a["truncated"] != false || a["total_chars"] != any(float64(utf8.RuneCountInString(long))) {
		t.Errorf("%v", a)
	}
	b := h.call("get_request", `{"index":2}`)
	if b["request"] != any("then this") || b["index"] != 2.0 || b["total_requests"] != 2.0 ||
		b["timestamp_ms"] != any(float64(asked.Add(time.Minute).UnixMilli())) {
		t.Errorf("%v", b)
	}
	if a["completeness"] != nil || a["server_id"] != nil {
		t.Errorf("no server was asked: %v", a)
	}
}

// The examples in the descriptions are calls that are taken, and name fields that answers have.
func TestRecallExamples(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	h.claude(1, h.Workspace.Root, time.Minute, "one", "two")
	field := regexp.MustCompile(`(\w+): `)
	for _, name := range []string{"get_first_request", "get_request", "list_sessions"} {
		_, example, _ := strings.Cut(byName(name).Description, "Example: ")
		arguments, answer, ok := strings.Cut(example, " → ")
		answer, _, _ = strings.Cut(answer, "Of another")
		a := h.call(name, arguments)
		if !ok || a["ok"] != true {
			t.Errorf("%s: the example %s gives %v", name, arguments, a)
		}
		raw, err := json.Marshal(a)
		testkit.Must(t, err)
		for _, f := range field.FindAllStringSubmatch(answer, -1) {
			testkit.Holds(t, string(raw), `"`+f[1]+`":`, name+" has no such field in its answer")
		}
	}
}

// The errors have the words that are promised, and each has a step.
func TestRecallErrors(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	root := h.Workspace.Root
	want := func(what string, a reply, kind, message string) {
		t.Helper()
		if fault, _, _ := strings.Cut(a.fault(), " "); a["ok"] != false || fault != kind ||
			a["message"] != any(message) || len(a["next_steps"].([]any)) == 0 {
			t.Errorf("%s: %s %v, want %s %s; %v", what, a.fault(), a["message"], kind, message, a["next_steps"])
		}
	}
	none := h.call("get_first_request", `{}`)
	want("nothing there", none, "no_dialog", "No active dialog found")
	if said := fmt.Sprint(none["next_steps"]); !strings.Contains(said, "There are no transcripts of Claude Code. ") {
		t.Error(said)
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(h.dir, "codex", "sessions"), 0o700))
	none = h.from("", answer.Origin{}, "get_first_request", `{}`)
	if said := fmt.Sprint(none["next_steps"]); !strings.Contains(said, "is in the transcripts of Codex CLI ("+
		filepath.Join(h.dir, "codex", "sessions")+"). There are no transcripts of Claude Code, VS Code. ") {
		t.Error(said)
	}
	h.claude(1, root, time.Hour, "only this")
	want("no index", h.call("get_request", `{}`), "missing_argument", "Index parameter is required")
	want("index null", h.call("get_request", `{"index":null}`), "missing_argument", "Index parameter is required")
	want("index 0", h.call("get_request", `{"index":0}`), "invalid_argument", "Index must be 1 or greater")
	want("index below", h.call("get_request", `{"index":-7,"session_id":"x"}`), "invalid_argument",
		"Index must be 1 or greater")
	beyond := h.call("get_request", `{"index":7}`)
	want("index beyond", beyond, "request_not_found", "Index 7 exceeds total requests (1)")
	step := firstOf(beyond, "next_steps")
	if raw, _ := json.Marshal(step["arguments"]); h.call("get_request", string(raw))["request"] != any("only this") {
		t.Errorf("the step %v", step)
	}
	want("unknown session", h.call("get_first_request", `{"session_id":"nope"}`), "session_not_found",
		"Session not found: nope")
	h.claude(2, filepath.Dir(root), time.Hour, "elsewhere")
	want("session of another workspace", h.call("get_request", `{"index":1,"session_id":"`+chatID(2)+`"}`),
		"session_not_found", "Session not found: "+chatID(2))
	want("unknown thread", h.from(codexHost, answer.Origin{CodexThread: threadID(9)}, "get_first_request", `{}`),
		"session_not_found", "Session not found: "+threadID(9))
	testkit.Write(t, filepath.Join(h.dir, "claude", "history.jsonl"),
		fmt.Sprintf(`{"display":"only this","project":%q,"sessionId":"gone"}`+"\n", root))
	gone := h.call("get_first_request", `{"session_id":"gone"}`)
	want("transcript gone", gone, "chat_data_unavailable", "Chat data not available for session")
	if step := firstOf(gone, "next_steps"); step["tool"] != any("list_sessions") {
		t.Errorf("the first step is %v", step)
	}
	h.codex(3, root, time.Hour)
	empty := `{"session_id":"` + threadID(3) + `"}`
	want("no request", h.call("get_first_request", empty), "request_not_found", "First request not available")
	want("unreadable", rereadable(h, root), "chat_data_unavailable", "Chat data not available for session")

	h.codex(4, root, time.Second, "one")
	h.codex(5, root, 2*time.Second, "two", "three")
	two := h.from(codexHost, answer.Origin{}, "get_first_request", `{}`)
	want("two fresh ones", two, "ambiguous_session", "2 sessions of this workspace are active: name one by session_id")
	for i, id := range []string{threadID(4), threadID(5)} {
		candidate := two["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)["candidates"].([]any)[i].(map[string]any)
		step := two["next_steps"].([]any)[i].(map[string]any)
		raw, _ := json.Marshal(step["arguments"])
		if candidate["session_id"] != any(id) || candidate["client"] != any("codex") ||
			h.from(codexHost, answer.Origin{}, "get_first_request", string(raw))["session_id"] != any(id) {
			t.Errorf("%v, %v", candidate, step)
		}
	}
	want("unknown argument", h.call("get_request", `{"index":1,"sessionId":"x"}`), "unknown_argument",
		`unknown argument "sessionId": did you mean session_id?`)
	testkit.Must(t, os.RemoveAll(filepath.Join(h.dir, "codex")))
	testkit.Write(t, filepath.Join(h.dir, "codex", "sessions"), "no folder")
	h.claude(1, root, time.Hour, "only this")
	for tool, host := range map[string]string{"list_sessions": codexHost, "get_first_request": ""} {
		a := h.from(host, answer.Origin{}, tool, `{}`)
		if said := fmt.Sprint(a["warnings"]); a["ok"] != any(true) || !strings.Contains(said, "part_failed") ||
			!strings.Contains(said, "the sessions of codex could not be looked at") {
			t.Errorf("%s: %v", tool, a)
		}
	}
	if a := h.from(claudeHost, answer.Origin{}, "get_first_request", `{}`); strings.Contains(fmt.Sprint(a["warnings"]),
		"part_failed") {
		t.Errorf("what Codex lacks is told to Claude Code, whose session it is not: %v", a)
	}
	testkit.Must(t, os.WriteFile(filepath.Join(h.dir, "file"), nil, 0o600))
	h.Settings.Transcripts.Folders = recall.Folders{Claude: filepath.Join(h.dir, "file")}
	want("no folder", h.call("list_sessions", `{}`), "recall_unavailable", "Service temporarily unavailable")
}

// rereadable is the answer about a transcript that nobody may read, or that is replaced where everybody may.
func rereadable(h *transcriber, root string) reply {
	path := h.codex(6, root, time.Hour, "secret")
	testkit.Must(h, os.Remove(path))
	testkit.Must(h, os.WriteFile(path+".zst", []byte("no zstd"), 0o600))
	return h.call("get_first_request", `{"session_id":"`+threadID(6)+`"}`)
}

// A call that is cancelled, or out of time, is no error of the transcripts.
func TestRecallIsCancelled(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	h.claude(1, h.Workspace.Root, time.Hour, "x")
	h.Settings.CallTimeout = 1
	if a := h.call("get_first_request", `{}`); a.fault() != "request_timeout" {
		t.Errorf("%v", a)
	}
}

// A long text comes in parts that fit, at whole characters, and the steps lead through all of it.
func TestLongRequestComesInParts(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	text := strings.TrimSpace(strings.Repeat("Ünïcödé 𝒳 \"quoted\"\n", 900))
	h.claude(1, h.Workspace.Root, time.Hour, "short", text)
	for _, host := range []string{claudeHost, codexHost, "opencode", "@cline/core", "copilot-cli", ""} {
		got, arguments := "", `{"index":2,"session_id":"`+chatID(1)+`"}`
		for range 100 {
			r := Run(t.Context(), h.Session, nil,
				answer.Request{Tool: "get_request", Arguments: json.RawMessage(arguments),
					Host: session.Host{Name: host}})
			var a reply
			testkit.Must(t, json.Unmarshal(r.Structured, &a))
			part, _ := a["request"].(string)
			if !r.OK || !utf8.ValidString(part) || part == "" || strings.ContainsRune(part, utf8.RuneError) {
				t.Fatalf("%s: %s", host, r.Structured)
			}
			got += part
			if a["truncated"] != true {
				break
			}
			next, err := json.Marshal(firstOf(a, "next_steps")["arguments"])
			testkit.Must(t, err)
			arguments = string(next)
		}
		if got != text {
			t.Errorf("%s: %d of %d characters, the last arguments are %s", host, len(got), len(text), arguments)
		}
	}
	behind := h.call("get_request", `{"index":2,"offset":1000000}`)
	if behind["ok"] != true || behind["request"] != any("") || behind["truncated"] != false {
		t.Errorf("%v", behind)
	}
	tight := h.call("get_request", `{"index":2,"max_total_chars":500}`)
	if tight["ok"] == true || tight.fault() != "response_too_large" {
		t.Errorf("%v", tight)
	}
}

// Of a text that is longer than lspi reads the answer says that the end is missing.
func TestRequestThatIsLongerThanLspiReads(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	h.claude(1, h.Workspace.Root, time.Hour, strings.Repeat("x", recall.MaxText+1))
	a := h.call("get_first_request", fmt.Sprintf(`{"offset":%d}`, recall.MaxText-10))
	if a["full"] != any(strings.Repeat("x", 10)) || a["truncated"] != true ||
		fmt.Sprint(a.kinds()) != "[session_guessed truncated]" &&
			fmt.Sprint(a.kinds()) != "[truncated session_guessed]" {
		t.Errorf("%v", a)
	}
	began := time.Now()
	if a := h.call("get_first_request", `{}`); a["ok"] != true || time.Since(began) > 5*time.Second {
		t.Errorf("it took %v: %.300v", time.Since(began), a)
	}
}

func TestListSessions(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	root := h.Workspace.Root
	for i := range 7 {
		h.codex(i, root, time.Duration(i+1)*time.Hour, fmt.Sprint("task ", i), "more")
	}
	h.claude(1, filepath.Join(root, "sub"), time.Minute, "of a folder")
	h.claude(2, filepath.Dir(root), time.Minute, "elsewhere")
	testkit.Write(t, filepath.Join(h.dir, "codex/sessions/2026/03/04/rollout-2026-03-04T12-00-00-"+threadID(90)+
		".jsonl.zst"), "no zstd")
	a := h.call("list_sessions", `{"limit":3}`)
	first := firstOf(a, "sessions")
	if a["total"] != 8.0 || a["returned"] != 3.0 || a["truncated"] != true || first["session_id"] != any(chatID(1)) ||
		first["client"] != any("claude") || first["cwd"] != any("sub") || first["requests_count"] != 1.0 {
		t.Errorf("%v", a)
	}
	if !strings.Contains(fmt.Sprint(a["warnings"]), "1 transcript could not be read") {
		t.Errorf("%v", a["warnings"])
	}
	seen, arguments := map[any]bool{}, map[string]any{"limit": 3}
	for range 5 {
		raw, err := json.Marshal(arguments)
		testkit.Must(t, err)
		a := h.call("list_sessions", string(raw))
		for _, s := range a["sessions"].([]any) {
			seen[s.(map[string]any)["session_id"]] = true
		}
		if a["truncated"] != true {
			break
		}
		arguments = firstOf(a, "next_steps")["arguments"].(map[string]any)
	}
	if len(seen) != 8 {
		t.Errorf("%v", seen)
	}
}

// The tools are off unless the configuration says otherwise, can be left out, and are kept by nothing.
func TestRecallIsOff(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	h.claude(1, h.Workspace.Root, time.Hour, "task")
	listed := func(s *session.Settings) bool {
		names := strings.Join(known{}.Names(s), " ")
		return strings.Contains(names, "get_first_request") && strings.Contains(names, "get_request") &&
			strings.Contains(names, "list_sessions")
	}
	for name, c := range map[string]struct {
		change func(*session.Settings)
		kind   string
	}{
		"on":          {func(*session.Settings) {}, ""},
		"read-only":   {func(s *session.Settings) { s.ReadOnly = true }, ""},
		"off":         {func(s *session.Settings) { s.Recall = false }, "tool_disabled"},
		"not allowed": {func(s *session.Settings) { s.Allow = []string{"hover"} }, "tool_disabled"},
		"excluded":    {func(s *session.Settings) { s.Exclude = []string{"get_*", "list_*"} }, "tool_disabled"},
	} {
		s := &session.Session{Workspace: h.Workspace, Settings: h.Settings}
		c.change(&s.Settings)
		testkit.Equal(t, listed(&s.Settings), c.kind == "", name, "they are listed")
		for tool, arguments := range map[string]map[string]any{"get_first_request": {}, "get_request": {"index": 1},
			"list_sessions": {}} {
			a := run(t, s, tool, arguments)
			// of a host without a name, of any client
			if a.fault() != c.kind && !(c.kind == "" && a.fault() == "no_dialog") {
				t.Errorf("%s: %s: %v", name, tool, a)
			}
		}
	}
	off := &session.Session{Workspace: h.Workspace}
	if a := run(t, off, "get_request", map[string]any{"index": 1}); !strings.Contains(fmt.Sprint(a["next_steps"]),
		"recall.enabled") {
		t.Errorf("%v", a["next_steps"])
	}
}

// Whoever has no session because the configuration is broken can look the task up all the same; who has no
// workspace cannot.
func TestRecallWithoutServers(t *testing.T) {
	t.Parallel()
	h := recallSession(t)
	h.claude(1, h.Workspace.Root, time.Hour, "task")
	broken := &session.SessionError{Settings: h.Settings, Table: h.Workspace.Table,
		Err: contract.Errorf(contract.KindConfigInvalid, nil, "line 7")}
	ask := func(broken error) Result {
		return Run(t.Context(), nil, broken, answer.Request{Tool: "get_first_request",
			Arguments: json.RawMessage(`{}`)})
	}
	if r := ask(broken); !r.OK || !strings.Contains(r.Text, "\n task") || !strings.Contains(r.Text, "line 7") {
		t.Errorf("%s", r.Text)
	}
	if r := ask(errors.New("no workspace")); r.OK || !strings.Contains(r.Text, "no workspace") {
		t.Errorf("%s", r.Text)
	}
	broken.Settings.Recall = false
	if r := ask(broken); r.OK || strings.Contains(r.Text, "task") {
		t.Errorf("%s", r.Text)
	}
}
