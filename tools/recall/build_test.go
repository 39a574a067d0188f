package recall

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// object is a JSON object.
type object = map[string]any

// home is a folder with transcripts that a test makes.
type home struct {
	testing.TB
	dir, work string // work is the workspace
	store     *Store
}

// noon is when the tests play.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func newHome(t testing.TB) *home {
	t.Helper()
	dir := t.TempDir()
	h := &home{TB: t, dir: dir, work: filepath.Join(dir, "work")}
	h.must(os.Mkdir(h.work, 0o700))
	in := func(name string) string { return filepath.Join(dir, name) }
	h.store = Open(Folders{Codex: in("codex"), Claude: in("claude"), VSCode: in("vscode"), Copilot: in("copilot"),
		Gemini: in("gemini"), Qwen: in("qwen"), Opencode: in("opencode")})
	return h
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// write puts a file into the home, written so many minutes after noon, and is its path.
func (h *home) write(name, text string, minutes int) string {
	h.Helper()
	path := filepath.Join(h.dir, name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	h.must(os.WriteFile(path, []byte(text), 0o600))
	h.written(path, minutes)
	return path
}

func (h *home) written(path string, minutes int) {
	h.Helper()
	at := noon.Add(time.Duration(minutes) * time.Minute)
	h.must(os.Chtimes(path, at, at))
}

// add appends to a file.
func (h *home) add(path, text string) {
	h.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	h.must(err)
	_, err = f.WriteString(text)
	h.must(err)
	h.must(f.Close())
}

// uuid is the n-th id, in the order of time.
func uuid(n int) string { return fmt.Sprintf("01a20000-0000-7000-8000-%012d", n) }

// jsonLines are values, one a line.
func jsonLines(values ...any) string {
	var b strings.Builder
	for _, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	return b.String()
}

// rolloutLine has its members in the order in which Codex writes them.
type rolloutLine struct {
	Timestamp string `json:"timestamp"`
	Ordinal   int    `json:"ordinal"`
	Type      string `json:"type"`
	Payload   object `json:"payload"`
}

// rollout makes lines as Codex writes them.
type rollout struct {
	lines   []any
	ordinal int
}

func (r *rollout) add(kind string, payload object) *rollout {
	r.lines = append(r.lines, rolloutLine{noon.Add(time.Duration(len(r.lines)) * time.Second).Format(time.RFC3339Nano),
		r.ordinal, kind, payload})
	r.ordinal++
	return r
}

func newRollout(id int, cwd string, more ...object) *rollout {
	meta := object{"id": uuid(id), "session_id": uuid(id), "timestamp": noon.Format(time.RFC3339Nano), "cwd": cwd,
		"source": "cli", "base_instructions": object{"text": strings.Repeat("be good ", 2000)}}
	for _, m := range more {
		for k, v := range m {
			meta[k] = v
		}
	}
	r := &rollout{}
	if base, ok := meta["history_base"].(object); ok {
		r.ordinal = base["end_ordinal_exclusive"].(int)
	}
	return r.add("session_meta", meta)
}

// message is what the model gets.
func (r *rollout) message(role, text string) *rollout {
	return r.add("response_item",
		object{"type": "message", "role": role, "content": []any{object{"type": "input_text", "text": text}}})
}

// ask is a turn of an unpaginated thread.
func (r *rollout) ask(text string) *rollout {
	r.add("event_msg", object{"type": "task_started"}).message("user", text).add("event_msg",
		object{"type": "user_message", "message": text, "images": []any{}})
	return r.answer()
}

// item is a turn of a paginated thread.
func (r *rollout) item(text string) *rollout {
	r.message("user", text).add("event_msg",
		object{"type": "item_completed", "item": object{"type": "UserMessage", "id": "x",
			"content": []any{object{"type": "text", "text": text}}}})
	return r.answer()
}

func (r *rollout) answer() *rollout {
	r.add("response_item", object{"type": "function_call_output", "call_id": "c",
		"output": "user_message \"type\":\"user_message\""})
	r.add("event_msg",
		object{"type": "item_completed",
			"item": object{"type": "AgentMessage", "content": []any{object{"type": "Text", "text": "not asked"}}}})
	r.add("event_msg", object{"type": "agent_message", "message": "not asked"})
	return r.message("assistant", "not asked")
}

func (r *rollout) String() string { return jsonLines(r.lines...) }

// live is the path of a rollout below the home.
func live(id int) string {
	return "codex/sessions/2026/03/04/rollout-2026-03-04T12-00-00-" + uuid(id) + ".jsonl"
}

// chat makes lines as Claude Code writes them.
type chat struct {
	lines   []any
	session string
	cwd     string
	last    any
}

func newChat(session, cwd string) *chat {
	c := &chat{session: session, cwd: cwd}
	c.lines = append(c.lines, object{"type": "mode", "mode": "normal", "sessionId": session},
		object{"type": "queue-operation", "operation": "enqueue", "content": "not asked",
			"timestamp": noon.Format(time.RFC3339Nano)})
	return c
}

// add is a line of the tree behind the last one; its members come after those of all.
func (c *chat) add(kind string, more object) *chat {
	id := fmt.Sprintf("%s-%d", c.session, len(c.lines))
	line := object{"parentUuid": c.last, "isSidechain": false, "type": kind, "uuid": id,
		"timestamp": noon.Add(time.Duration(len(c.lines)) * time.Second).Format(time.RFC3339Nano), "cwd": c.cwd,
		"sessionId": c.session}
	for k, v := range more {
		line[k] = v
	}
	c.lines = append(c.lines, line)
	if line["isSidechain"] == false {
		c.last = line["uuid"]
	}
	return c
}

func (c *chat) user(content any, more ...object) *chat {
	line := object{"message": object{"role": "user", "content": content}}
	for _, m := range more {
		for k, v := range m {
			line[k] = v
		}
	}
	return c.add("user", line)
}

// ask is a turn with a call of a tool.
func (c *chat) ask(content any) *chat {
	c.user(content).add("attachment", object{"attachment": object{"type": "skill_listing", "content": "not asked"}})
	call := fmt.Sprintf("toolu_%s_%d", c.session, len(c.lines))
	c.add("assistant",
		object{"message": object{"content": []any{object{"type": "text", "text": "not asked"},
			object{"type": "tool_use", "id": call, "input": object{"text": "not asked"}}}, "role": "assistant"}})
	return c.user([]any{object{"tool_use_id": call, "type": "tool_result", "content": "not asked"}},
		object{"toolUseResult": "not asked", "sourceToolAssistantUUID": c.last})
}

// rewind goes back to the line before a number of lines.
func (c *chat) rewind(lines int) *chat {
	c.last = c.lines[len(c.lines)-lines].(object)["parentUuid"]
	return c
}

func (c *chat) String() string { return jsonLines(c.lines...) }

func project(session string) string { return "claude/projects/-any-slug/" + session + ".jsonl" }

// pack compresses a file as Codex does with cold ones.
func (h *home) pack(path string) {
	h.Helper()
	raw, err := os.ReadFile(path)
	h.must(err)
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	h.must(err)
	h.must(os.WriteFile(path+zst, e.EncodeAll(raw, nil), 0o600))
	h.must(e.Close())
	h.must(os.Remove(path))
}

// texts are the requests of a session.
func (h *home) texts(s Session) (out []string) {
	h.Helper()
	all, err := s.Requests(h.Context())
	h.must(err)
	for i, r := range all {
		if r.Index != i+1 || r.Time.IsZero() {
			h.Errorf("%+v", r)
		}
		out = append(out, r.Text)
	}
	if s.Count != len(all) {
		h.Errorf("%d requests, %d counted", len(all), s.Count)
	}
	return out
}

// asked is what a session's requests say.
func (h *home) asked(id string, want ...string) {
	h.Helper()
	s, err := h.store.Session(h.Context(), h.work, id)
	h.must(err)
	if got := h.texts(s); strings.Join(got, "|") != strings.Join(want, "|") {
		h.Errorf("%s: %q, want %q", id, got, want)
	}
}

// listed are the ids of the workspace's sessions.
func (h *home) listed(limit int) (ids []string) {
	h.Helper()
	l, err := h.store.Sessions(h.Context(), h.work, limit)
	h.must(err)
	for _, s := range l.Sessions {
		ids = append(ids, s.ID)
	}
	return ids
}
