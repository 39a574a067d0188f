package recall

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stamp is a time as most clients write it.
const stamp = "2026-03-04T12:00:00.000Z"

// madeUp is a session of each client that was made up after those of the real programs: its file, and those beside it.
// WORK stands for the workspace.
type madeUp struct {
	name   string
	beside map[string]string
	lines  []any // of the file; one for a document
	id     string
	want   []string
}

func (m madeUp) write(h *home, minutes int) string {
	h.Helper()
	for name, text := range m.beside {
		h.write(name, strings.ReplaceAll(text, "WORK", h.work), 0)
	}
	return h.write(m.name, strings.ReplaceAll(jsonLines(m.lines...), "WORK", h.work), minutes)
}

func copilotEvent(kind string, data object) object {
	return object{"type": kind, "data": data, "id": "e", "timestamp": stamp, "parentId": nil}
}

func copilotAsks(text string, more object) object {
	data := object{"content": text, "transformedContent": "<current_datetime>x</current_datetime>\n\n" + text}
	for k, v := range more {
		data[k] = v
	}
	return copilotEvent("user.message", data)
}

type qwenLineIn struct {
	UUID    string `json:"uuid"`
	Parent  any    `json:"parentUuid"`
	Time    string `json:"timestamp"`
	Type    string `json:"type"`
	Subtype string `json:"subtype,omitempty"`
	From    string `json:"provenance,omitempty"`
	Cwd     string `json:"cwd"`
	Message object `json:"message,omitempty"`
	Payload object `json:"systemPayload,omitempty"`
}

// qwen is a line behind another one.
func qwen(id string, parent any, kind, from string, texts ...string) qwenLineIn {
	parts := []any{}
	for _, s := range texts {
		parts = append(parts, object{"text": s})
	}
	return qwenLineIn{id, parent, stamp, kind, "", from, "WORK", object{"role": "user", "parts": parts}, nil}
}

// geminiLineIn has its members in the order in which the client writes them.
type geminiLineIn struct {
	ID      string `json:"id"`
	Time    string `json:"timestamp"`
	Type    string `json:"type"`
	Content any    `json:"content"`
	Display any    `json:"displayContent,omitempty"`
}

func geminiParts(texts ...string) (out []any) {
	for _, s := range texts {
		out = append(out, object{"text": s})
	}
	return out
}

func geminiAsks(id string, texts ...string) geminiLineIn {
	return geminiLineIn{id, stamp, "user", geminiParts(texts...), nil}
}

const geminiID = "be43b809-3c34-4a8e-9704-9e2297c70cec"

var geminiHead = object{"sessionId": geminiID, "projectHash": "x", "startTime": stamp, "kind": "main"}

// vscodeLineIn has its members in the order in which the client writes them.
type vscodeLineIn struct {
	Kind int   `json:"kind"`
	K    []any `json:"k,omitempty"`
	V    any   `json:"v,omitempty"`
	I    any   `json:"i,omitempty"`
}

func vscodeAsks(text string, more object) object {
	q := object{"requestId": "request_" + text, "timestamp": noon.UnixMilli(), "message": object{"text": text,
		"parts": []any{object{"text": "not asked", "kind": "text"}}}, "response": []any{object{"value": "not asked"}},
		"variableData": object{"variables": []any{}}}
	for k, v := range more {
		q[k] = v
	}
	return q
}

func vscodeSession(requests ...any) object {
	return object{"version": 3, "creationDate": noon.UnixMilli(), "sessionId": "s", "responderUsername": "GitHub Copilot",
		"requests": requests}
}

const (
	vscodeWindow = "vscode/Code/User/workspaceStorage/0a1b/"
	geminiFile   = "gemini/tmp/shop/chats/session-2026-03-04T12-00-be43b809"
)

var (
	vscodeBeside = map[string]string{vscodeWindow + "workspace.json": `{"folder": "file://WORK"}`}
	geminiBeside = map[string]string{"gemini/tmp/shop/.project_root": "WORK\n"}
	attachment   = object{"variableData": object{"variables": []any{object{"kind": "image", "value": object{}}}}}
)

var madeUps = map[string]madeUp{
	"copilot": {"copilot/session-state/c1/events.jsonl", nil, []any{
		copilotEvent("session.start", object{"sessionId": "c1", "startTime": stamp, "context": object{"cwd": "WORK"}}),
		copilotAsks("one", nil), copilotEvent("system.message", object{"content": "not asked"}),
		copilotEvent("assistant.message", object{"content": "not asked"}),
		copilotAsks("not asked", object{"source": "skill-pdf"}),
		copilotAsks("not asked", object{"isAutopilotContinuation": true}),
		object{"type": "user.message", "agentId": "a", "data": object{"content": "not asked"}, "timestamp": stamp},
		copilotEvent("session.resume", object{"context": object{"cwd": "/elsewhere"}}),
		copilotAsks("", object{"attachments": []any{object{"type": "blob"}}}), copilotAsks("two\nlines", nil)},
		"c1", []string{"one", "[Image]", "two\nlines"}},
	"qwen": {"qwen/projects/-work/chats/q1.jsonl", nil, []any{
		qwen("a", nil, "user", "real_user", "one"), qwen("b", "a", "assistant", "assistant_output", "not asked"),
		qwen("c", "b", "tool_result", "tool_result", "not asked"),
		qwenLineIn{"d", "c", stamp, "user", "goal_runtime", "goal_runtime", "WORK",
			object{"parts": []any{object{"text": "not asked"}}}, nil},
		qwen("e", "d", "user", "real_user", "taken back"), qwen("f", "e", "assistant", "assistant_output", "not asked"),
		qwenLineIn{"g", "d", stamp, "system", "rewind", "system", "WORK", nil, object{}},
		qwen("h", "g", "user", "real_user", "two @a.go", "\n"+referenced, "\nContent from a.go:\n", "package a"),
		qwenLineIn{"i", "h", stamp, "user", "mid_turn_user_message", "real_user", "WORK",
			object{"parts": []any{object{"text": "three"}}}, nil},
		qwenLineIn{"j", "i", stamp, "user", "", "real_user", "WORK",
			object{"parts": []any{object{"text": "four, and what a hook adds"}}}, object{"displayText": "four"}},
		qwen("k", "j", "user", "", "of an older version")},
		"q1", []string{"one", "two @a.go", "three", "four", "of an older version"}},
	"gemini": {geminiFile + ".jsonl", geminiBeside, []any{
		geminiHead, object{"$set": object{"messages": []any{geminiAsks("0", "<session_context>\nnot asked")}}},
		geminiAsks("1", "one"), geminiLineIn{"2", stamp, "gemini", "not asked", nil},
		geminiAsks("3", "taken back"), geminiLineIn{"4", stamp, "gemini", "", nil}, object{"$rewindTo": "3"},
		geminiLineIn{"5", stamp, "user", geminiParts("two @a.go", "\n"+referenced, "package a"), geminiParts("two @a.go")},
		geminiLineIn{"5", stamp, "user", geminiParts("two @a.go", "\n"+referenced, "package a"), nil},
		geminiLineIn{"6", stamp, "user", []any{object{"functionResponse": object{"text": "not asked"}}}, nil},
		// A compaction: a summary takes the place of the beginning.
		object{"$set": object{"messages": []any{geminiAsks("7", "<state_snapshot>not asked"), geminiAsks("8", "not asked"),
			geminiAsks("5", "two @a.go")}}},
		geminiLineIn{"9", stamp, "user", "three", nil},
		geminiLineIn{"10", stamp, "user", []any{object{"inlineData": object{"data": "QUJD"}}}, nil}},
		geminiID, []string{"one", "two @a.go", "three", "[Image]"}},
	"gemini, a document": {geminiFile + ".json", geminiBeside, []any{object{"sessionId": geminiID, "projectHash": "x",
		"startTime": stamp, "messages": []any{geminiAsks("1", "one"), geminiLineIn{"2", stamp, "gemini", "not asked", nil},
			geminiAsks("3", "two")}}}, geminiID, []string{"one", "two"}},
	"opencode": {"opencode/storage/session/p1/ses_1.json", map[string]string{
		"opencode/storage/session/p1/ses_2.json":    `{"id":"ses_2","parentID":"ses_1","directory":"WORK"}`,
		"opencode/storage/message/ses_1/msg_1.json": `{"role":"user","time":{"created":1772625600000}}`,
		"opencode/storage/message/ses_1/msg_2.json": `{"role":"assistant","time":{"created":1772625600000}}`,
		"opencode/storage/message/ses_1/msg_3.json": "{\n  \"role\": \"user\", \"time\": {\"created\": 1772625600000}\n}",
		"opencode/storage/message/ses_1/msg_4.json": `{"role":"user"`,
		"opencode/storage/message/ses_1/msg_5.json": `{"role":"user","time":{"created":1772625600000}}`,
		"opencode/storage/part/msg_1/prt_1.json":    `{"type":"text","text":"one"}`,
		"opencode/storage/part/msg_1/prt_2.json":    `{"type":"text","text":"not asked","synthetic":true}`,
		"opencode/storage/part/msg_2/prt_1.json":    `{"type":"text","text":"not asked"}`,
		"opencode/storage/part/msg_3/prt_1.json":    `{"type":"text","text":"not asked","synthetic":true}`,
		"opencode/storage/part/msg_3/prt_2.json":    `{"type":"text","text":"two"}`,
		"opencode/storage/part/msg_4/prt_1.json":    `{"type":"text","text":"of a broken message"}`,
		"opencode/storage/part/msg_5/prt_1.json":    `{"type":"text","text":"taken back"}`},
		[]any{object{"id": "ses_1", "directory": "WORK", "title": "not asked", "time": object{"created": noon.UnixMilli()},
			"revert": object{"messageID": "msg_5"}}}, "ses_1", []string{"one", "two"}},
	"vscode": {vscodeWindow + "chatSessions/v1.jsonl", vscodeBeside, []any{
		vscodeLineIn{0, nil, vscodeSession(vscodeAsks("one", nil), vscodeAsks("taken back", nil)), nil},
		vscodeLineIn{1, []any{"requests", 0, "response"}, []any{object{"text": "not asked", "message": "not asked"}}, nil},
		vscodeLineIn{1, []any{"inputState", "inputText"}, "not asked", nil},
		vscodeLineIn{2, []any{"requests"}, []any{vscodeAsks("two", nil), vscodeAsks("to be removed", nil),
			vscodeAsks("not asked", object{"isSystemInitiated": true})}, 1},
		vscodeLineIn{1, []any{"requests", 2, "shouldBeRemovedOnSend"}, object{"requestId": "x"}, nil},
		vscodeLineIn{2, []any{"requests", 0, "response"}, []any{object{"text": "not asked"}}, nil},
		vscodeLineIn{2, []any{"requests"}, []any{vscodeAsks("", attachment)}, nil},
		vscodeLineIn{2, []any{"requests"}, []any{vscodeAsks("thre", nil)}, nil},
		vscodeLineIn{1, []any{"requests", 5, "message"}, object{"text": "three"}, nil},
		vscodeLineIn{1, []any{"requests", 77, "message"}, object{"text": "nowhere"}, nil},
		vscodeLineIn{3, []any{"customTitle"}, nil, nil}},
		"v1", []string{"one", "two", "[Image]", "three"}},
	"vscode, a document": {vscodeWindow + "chatSessions/v1.json", vscodeBeside, []any{vscodeSession(vscodeAsks("one", nil),
		vscodeAsks("not asked", object{"isHidden": true}), vscodeAsks("two", object{"message": "two"}))}, "v1",
		[]string{"one", "two"}},
}

// What was asked is read, by the id and by the list, and nothing that the client added.
func TestMadeUpSessions(t *testing.T) {
	for name, m := range madeUps {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			m.write(h, 0)
			h.asked(m.id, m.want...)
			l, err := h.store.Sessions(t.Context(), h.work, 0)
			if err != nil || len(l.Sessions) != 1 || l.Unread > 0 {
				t.Fatalf("%+v %v", l, err)
			}
			client, _, _ := strings.Cut(name, ",")
			if s := l.Sessions[0]; s.ID != m.id || s.Client != Client(client) || s.Cwd != h.work ||
				!s.Started.Equal(noon) || s.Preview != m.want[0] || s.Count != len(m.want) {
				t.Errorf("%+v", s)
			}
			if got, err := h.store.Sessions(t.Context(), h.dir+"/vscode", 0); err == nil && got.Total > 0 {
				t.Errorf("it is of another workspace: %+v", got)
			}
		})
	}
}

// A file that is cut anywhere, or has another line for one of its own, loses only what is there: nothing else of the
// store, and no request that stands before it.
func TestUnfinishedSessions(t *testing.T) {
	for name, m := range madeUps {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.write(project("whole"), newChat("whole", h.work).ask("whole").String(), 1)
			path := m.write(h, 0)
			raw, err := os.ReadFile(path)
			h.must(err)
			for end := 0; end < len(raw); end += 1 + len(raw)/60 {
				h.must(os.WriteFile(path, raw[:end], 0o600))
				h.isPrefix(m, end)
				h.must(os.WriteFile(path, append(slices.Clone(raw[:end]), "\n{\"kind\":[{}],\"garbage\n"...), 0o600))
				h.isPrefix(m, end)
			}
			h.must(os.WriteFile(path, raw, 0o600))
			h.asked(m.id, m.want...)
		})
	}
}

// isPrefix holds that a session has no request that it does not have when it is whole, and that the whole session
// beside it is there. Before a rewind a session also has what is taken back.
func (h *home) isPrefix(m madeUp, end int) {
	h.Helper()
	l, err := h.store.Sessions(h.Context(), h.work, 0)
	h.must(err)
	if !slices.ContainsFunc(l.Sessions, func(s Session) bool { return s.ID == "whole" }) || l.Unread > 0 {
		h.Errorf("at %d: %+v", end, l)
	}
	for _, s := range l.Sessions {
		for _, text := range h.texts(s) {
			known := append([]string{"whole", "taken back", "to be removed", "thre"}, m.want...)
			if !slices.Contains(known, text) {
				h.Errorf("at %d: %q", end, text)
			}
		}
	}
}

// A client whose folder cannot be read costs the others nothing, and is told; with its id or its host it is the error.
func TestUnreadableClient(t *testing.T) {
	for _, broken := range programs {
		h := newHome(t)
		for name, m := range madeUps {
			if client, _, _ := strings.Cut(name, ","); Client(client) != broken.client {
				m.write(h, 0)
			}
		}
		for _, folder := range broken.folders(h.store.folders) {
			h.must(os.RemoveAll(folder))
			h.must(os.MkdirAll(filepath.Dir(folder), 0o700))
			h.must(os.WriteFile(folder, nil, 0o600))
		}
		l, err := h.store.Sessions(t.Context(), h.work, 0)
		if err != nil || len(l.Overlooked) != 1 || l.Overlooked[0].Client != broken.client || len(l.Sessions) < 4 {
			t.Errorf("%s: %+v %v", broken.client, l, err)
		}
		var unreadable *SourceError
		_, _, err = h.store.Current(t.Context(), Hints{Root: h.work, Client: broken.client})
		_, other := h.store.Session(t.Context(), h.work, "unknown")
		if !errors.As(err, &unreadable) || !errors.As(other, &unreadable) {
			t.Errorf("%s: %v, %v", broken.client, err, other)
		}
	}
}

// A document that is written anew is read anew, and only then; lines that take its place count.
func TestDocumentIsReplaced(t *testing.T) {
	for _, name := range []string{"gemini, a document", "vscode, a document"} {
		h := newHome(t)
		m := madeUps[name]
		path := m.write(h, 0)
		h.asked(m.id, m.want...)
		parsed := func() (n int64) {
			for _, r := range h.store.known {
				n += r.parsed
			}
			return n
		}
		before := parsed()
		h.asked(m.id, m.want...)
		if parsed() != before {
			t.Errorf("%s: it was read again", name)
		}
		raw, err := os.ReadFile(path)
		h.must(err)
		h.must(os.WriteFile(path, []byte(strings.Replace(string(raw), `"one"`, `"One"`, 2)), 0o600))
		h.written(path, 1)
		h.asked(m.id, "One", "two")
		program, _, _ := strings.Cut(name, ",")
		lines := madeUps[program]
		lines.write(h, 0) // older than the document
		h.asked(m.id, lines.want...)
	}
}

// Folders of other machines, of several folders and of other workspaces are not read, nor files at other places.
func TestOtherFiles(t *testing.T) {
	for name, c := range map[string]struct {
		of     string
		file   string
		beside map[string]string
	}{
		"a remote window": {"vscode", "", map[string]string{vscodeWindow + "workspace.json": `{"folder":"vscode-remote://wsl/WORK"}`}},
		"several folders": {"vscode", "", map[string]string{vscodeWindow + "workspace.json": `{"workspace":"file://WORK"}`}},
		"no folder":       {"vscode", "", map[string]string{}},
		"broken":          {"vscode", "", map[string]string{vscodeWindow + "workspace.json": `{"folder":"file://WORK"`}},
		"elsewhere":       {"vscode", "", map[string]string{vscodeWindow + "workspace.json": `{"folder":"file:///"}`}},
		"another product": {"vscode", "vscode/Zed/User/workspaceStorage/0a1b/chatSessions/v1.jsonl", nil},
		"edits":           {"vscode", vscodeWindow + "chatEditingSessions/v1.jsonl", nil},
		"a sub-agent":     {"gemini", "gemini/tmp/shop/chats/be43b809/session-2026-03-04T12-00-be43b809.jsonl", nil},
		"no project":      {"gemini", "", map[string]string{}},
		"agents":          {"qwen", "qwen/projects/-work/subagents/q1/a.jsonl", nil},
		"logs":            {"copilot", "copilot/session-state/c1/files/events.jsonl", nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			m := madeUps[c.of]
			if c.file != "" {
				m.name = c.file
			}
			if c.beside != nil {
				m.beside = c.beside
			}
			m.write(h, 0)
			if got := h.listed(0); len(got) > 0 {
				t.Error(got)
			}
			if _, err := h.store.Session(t.Context(), h.work, m.id); Message(err) != "Session not found: "+m.id {
				t.Error(err)
			}
		})
	}
}

// A window with a name that is not plain, and a session that was copied into the storage of another window.
func TestWindows(t *testing.T) {
	h := newHome(t)
	h.must(os.Mkdir(filepath.Join(h.work, "a b"), 0o700))
	m := madeUps["vscode"]
	m.beside = map[string]string{vscodeWindow + "workspace.json": `{"folder": "file:///elsewhere"}`}
	m.write(h, 5)
	m.name = strings.Replace(m.name, "0a1b", "copy", 1)
	m.beside = map[string]string{strings.Replace(vscodeWindow, "0a1b", "copy", 1) + "workspace.json": `{"folder": "file://WORK/a%20b"}`}
	m.write(h, 0)
	h.asked(m.id, m.want...)
}

// Each host that is known finds its own sessions: by what it says with the call, by what it started lspi with, else
// the one that was written last. Where there is none, the error says where it was looked.
func TestCurrentOfEachClient(t *testing.T) {
	h := newHome(t)
	h.write(project("of Claude Code"), newChat("of Claude Code", h.work).ask("one").String(), 60)
	_, _, err := h.store.Current(t.Context(), Hints{Root: h.work, Client: ClientOf("gemini-cli-mcp-client")})
	var none *NoDialogError
	if !errors.As(err, &none) || len(none.Looked) != 1 || none.Looked[0].Title != "Gemini CLI" ||
		len(none.Looked[0].Folders) > 0 {
		t.Errorf("%+v", none)
	}
	h.must(os.RemoveAll(filepath.Join(h.dir, "claude")))
	h.must(os.MkdirAll(filepath.Join(h.dir, "copilot", "session-state"), 0o700))
	_, _, err = h.store.Current(t.Context(), Hints{Root: h.work})
	if !errors.As(err, &none) || len(none.Looked) != len(programs) || none.Looked[0].Title != "Copilot CLI" ||
		!slices.Equal(none.Looked[0].Folders, []string{filepath.Join(h.dir, "copilot", "session-state")}) {
		t.Errorf("%+v", none)
	}
	_, _, err = h.store.Current(t.Context(), Hints{Root: h.work, Client: ClientOf("unknown")})
	if !errors.As(err, &none) || len(none.Looked) > 0 {
		t.Errorf("%+v", none)
	}
	for i, name := range []string{"gemini", "qwen", "copilot", "vscode"} {
		madeUps[name].write(h, i*10)
	}
	for host, id := range map[string]string{"gemini-cli-mcp-client": geminiID, "qwen-cli-mcp-client-lspi": "q1",
		"copilot-cli": "c1", "Visual Studio Code": "v1", "Visual Studio Code - Insiders": "v1", "": "v1"} {
		s, rule, err := h.store.Current(t.Context(), Hints{Root: h.work, Client: ClientOf(host)})
		if err != nil || s.ID != id || rule != ByTime {
			t.Errorf("%s: %s by %s, %v", host, s.ID, rule, err)
		}
	}
	for rule, hints := range map[Rule]Hints{ByEnvironment: {SessionIDs: map[Client]string{Qwen: "q1"}},
		ByConversation: {VSCodeConversationID: "v1", SessionIDs: map[Client]string{Qwen: "q1"}},
		ByTime:         {VSCodeConversationID: "unknown", SessionIDs: map[Client]string{Qwen: "v1"}}} {
		hints.Root = h.work
		s, by, err := h.store.Current(t.Context(), hints)
		if want := map[Rule]string{ByEnvironment: "q1"}[rule]; err != nil || by != rule || want != "" && s.ID != want {
			t.Errorf("%+v: %s by %s, %v", hints, s.ID, by, err)
		}
	}
}
