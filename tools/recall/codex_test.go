package recall

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodexRequests(t *testing.T) {
	injected := []string{"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>",
		"<environment_context>\n<cwd>/w</cwd></environment_context>", "<user_instructions>x</user_instructions>",
		"<turn_aborted>x</turn_aborted>", "<subagent_notification>x</subagent_notification>",
		"<skill>\n<name>x</name></skill>", "<user_shell_command>ls</user_shell_command>"}
	ide := "# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix it\n"
	for name, c := range map[string]struct {
		lines *rollout
		want  []string
	}{
		"events": {func() *rollout {
			r := newRollout(1, "WORK")
			for _, i := range injected {
				r.message("user", i)
			}
			return r.ask("one").ask(ide).add("compacted", object{"message": "not asked"}).ask("one").add("event_msg",
				object{"type": "user_message", "message": "", "images": []any{"data:x"}})
		}(), []string{"one", "fix it", "one", "[Image]"}},
		"rolled back": {newRollout(1, "WORK").ask("one").ask("two").ask("three").add("event_msg",
			object{"type": "thread_rolled_back", "num_turns": 2}).ask("four"), []string{"one", "four"}},
		"all rolled back": {newRollout(1, "WORK").ask("one").add("event_msg",
			object{"type": "thread_rolled_back", "num_turns": 4294967295}), nil},
		"items": {newRollout(1, "WORK", object{"history_mode": "paginated"}).item("one").item(ide).
			add("event_msg",
				object{"type": "item_completed",
					"item": object{"type": "UserMessage",
						"content": []any{object{"type": "image", "image_url": "x"}}}}),
			[]string{"one", "fix it", "[Image]"}},
		"items first": {newRollout(1, "WORK", object{"history_mode": "paginated"}).item("one").ask("old"),
			[]string{"one"}},
		"messages only": {func() *rollout {
			r := newRollout(1, "WORK").message("developer", "not asked")
			for _, i := range injected {
				r.message("user", i)
			}
			return r.message("user", "one").message("assistant", "not asked").message("user", "<b>two</b> lines")
		}(), []string{"one", "<b>two</b> lines"}},
		"copied fork": {newRollout(1, "WORK").add("session_meta", object{"id": uuid(9), "cwd": "/elsewhere"}).ask(
			"one"), []string{"one"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.write(live(1), strings.ReplaceAll(c.lines.String(), "WORK", h.work), 0)
			h.asked(uuid(1), c.want...)
		})
	}
}

// The order of members does not matter.
func TestCodexMembersInAnotherOrder(t *testing.T) {
	h := newHome(t)
	r := newRollout(1, h.work, object{"history_mode": "paginated"}).item("one").item("two")
	for i, l := range r.lines {
		line := l.(rolloutLine)
		// sorted when written
		r.lines[i] = object{"payload": line.Payload, "type": line.Type, "timestamp": line.Timestamp,
			"ordinal": line.Ordinal}
	}
	h.write(live(1), r.String(), 0)
	h.asked(uuid(1), "one", "two")
}

// Codex 0.169.0 begins a new file when turns of a paginated thread are taken back, and a fork has only its own turns.
func TestCodexContinuations(t *testing.T) {
	h := newHome(t)
	mode := object{"history_mode": "paginated"}
	first := newRollout(1, h.work, mode).item("one").item("two")
	kept := first.ordinal
	first.item("taken back")
	base := func(part, end int) object {
		return object{"history_base": object{"thread_id": uuid(part), "end_ordinal_exclusive": end},
			"timestamp": noon.AddDate(0, 0, 1)}
	}
	second := newRollout(1, h.work, mode, base(1, kept)).item("three")
	forkAt := second.ordinal
	second.item("four")
	segment := strings.TrimSuffix(live(1), ".jsonl") + "_" + uuid(5) + ".jsonl"
	path := h.write(live(1), first.String(), 0)
	h.write(segment, second.String(), 5)
	h.write(live(6), newRollout(6, h.work, mode, base(5, forkAt)).item("in the fork").String(), 6)
	h.asked(uuid(1), "one", "two", "three", "four")
	h.asked(uuid(6), "one", "two", "three", "in the fork")
	if got := strings.Join(h.listed(0), " "); got != uuid(6)+" "+uuid(1) {
		t.Error(got)
	}
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	h.must(err)
	if s.Path != filepath.Join(h.dir, filepath.FromSlash(segment)) || !s.Started.Equal(noon) || s.Preview != "one" ||
		s.Partial != "" {
		t.Errorf("%+v", s)
	}
	h.must(os.Remove(path))
	h.asked(uuid(1), "three", "four")
	if s, err = h.store.Session(t.Context(), h.work, uuid(1)); err != nil || !strings.Contains(s.Partial, uuid(1)) {
		t.Errorf("%v %q", err, s.Partial)
	}
}

// A base that leads back to itself ends.
func TestCodexContinuationsInARing(t *testing.T) {
	h := newHome(t)
	for i := 1; i <= 2; i++ {
		h.write(live(i),
			newRollout(i, h.work, object{"history_mode": "paginated", "history_base": object{"thread_id": uuid(3 - i),
				"end_ordinal_exclusive": 1 << 20}}).item("one").String(), 0)
	}
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	if err != nil || s.Partial == "" || s.Count > maxLinks+1 {
		t.Errorf("%v %+v", err, s)
	}
}

func TestCodexSubagents(t *testing.T) {
	h := newHome(t)
	spawned := func(parent int) object {
		return object{"source": object{"subagent": object{"thread_spawn": object{"parent_thread_id": uuid(parent),
			"depth": 1}}}}
	}
	h.write(live(1), newRollout(1, h.work).ask("the task").String(), 0)
	h.write(live(2), newRollout(2, h.work, spawned(1)).ask("not of the user").String(), 1)
	h.write(live(3), newRollout(3, h.work, spawned(2)).ask("not of the user").String(), 2)
	h.write(live(4),
		newRollout(4, h.work, object{"source": object{"subagent": "review"}}).ask("not of the user").String(), 3)
	h.write(live(5),
		newRollout(5, h.work, object{"thread_source": "memory_consolidation"}).ask("not of the user").String(), 4)
	if got := h.listed(0); len(got) != 1 || got[0] != uuid(1) {
		t.Error(got)
	}
	for _, id := range []int{1, 2, 3} {
		s, rule, err := h.store.Current(t.Context(), Hints{Root: h.work, CodexThreadID: uuid(id)})
		if err != nil || rule != ByThread || s.ID != uuid(1) {
			t.Errorf("%d: %v %v %s", id, err, rule, s.ID)
		}
	}
	if _, err := h.store.Session(t.Context(), h.work, uuid(4)); !isNotFound(err) {
		t.Error(err)
	}
}

// A transcript may be plain or compressed, at its place or in the archive; where there are two, the plain one counts.
func TestCodexFiles(t *testing.T) {
	h := newHome(t)
	h.pack(h.write(live(1), newRollout(1, h.work).ask("cold").ask("colder").String(), 0))
	h.write("codex/archived_sessions/"+filepath.Base(live(2)), newRollout(2, h.work).ask("archived").String(), 1)
	h.pack(h.write(live(3), newRollout(3, h.work).ask("stale").String(), 2))
	h.write(live(3), newRollout(3, h.work).ask("plain").String(), 2)
	h.write("codex/sessions/2026/03/04/rollout-2026-03-04T12-00-00-short.jsonl",
		newRollout(7, h.work).ask("no id").String(), 9)
	h.write("codex/sessions/2026/03/04/deep/er/"+filepath.Base(live(8)),
		newRollout(8, h.work).ask("too deep").String(), 9)
	h.asked(uuid(1), "cold", "colder")
	h.asked(uuid(1), "cold", "colder")
	h.asked(uuid(2), "archived")
	h.asked(uuid(3), "plain")
	if got := h.listed(0); len(got) != 3 {
		t.Error(got)
	}
}
