package recall

import (
	"strings"
	"testing"
)

func TestClaudeRequests(t *testing.T) {
	words := func(texts ...string) (out []any) {
		for _, s := range texts {
			out = append(out, object{"type": "text", "text": s})
		}
		return out
	}
	image := object{"type": "image", "source": object{"type": "base64", "data": strings.Repeat("QUJD", 5000)}}
	queued := func(prompt any, mode string) object {
		return object{"attachment": object{"type": "queued_command", "prompt": prompt, "commandMode": mode}}
	}
	command := "<command-name>/%s</command-name>\n            <command-message>%s</command-message>\n            <command-args>%s</command-args>"
	named := func(name, args string) string {
		return strings.NewReplacer("/%s", "/"+name, ">%s</command-a", ">"+args+"</command-a", "%s",
			name).Replace(command)
	}
	c := func() *chat { return newChat("s", "WORK") }
	for name, x := range map[string]struct {
		chat *chat
		want []string
	}{
		"turns": {c().ask("one").ask(words("two", "lines")).ask([]any{image}).ask(
			[]any{object{"type": "text", "text": "see"}, image}), []string{"one", "two\nlines", "[Image]", "see"}},
		"typed mid-turn": {c().ask("one").add("attachment", queued("two", "prompt")).add("attachment",
			queued([]any{object{"type": "text", "text": "three"}, image}, "prompt")).add("attachment",
			queued("not asked", "task-notification")), []string{"one", "two", "three"}},
		"not typed": {c().user("not asked", object{"isMeta": true}).user("not asked",
			object{"isCompactSummary": true}).user("not asked", object{"isVisibleInTranscriptOnly": true}).
			user("not asked", object{"isSidechain": true}).user("not asked",
			object{"promptSource": "system"}).user("not asked", object{"origin": object{"kind": "task-notification"}}).
			user("[Request interrupted by user for tool use]").user("<bash-stdout>x</bash-stdout>").user(
			"<task-notification>x</task-notification>").user(words("[Request interrupted by user]")).
			add("system", object{"content": "not asked"}).ask("one"), []string{"one"}},
		"injected": {
			c().ask("<system-reminder>not asked</system-reminder>\n<ide_opened_file>x</ide_opened_file> one").ask(
				words("<ide_selection>x</ide_selection>", "two")), []string{"one", "two"}},
		"commands": {c().ask("<bash-input>ls -l</bash-input>").ask(named("review", "the parser")).ask(named("init",
			"")), []string{"!ls -l", "/review the parser", "/init"}},
		"commands of the host": {
			c().user(named("clear", "")).user("<local-command-stdout></local-command-stdout>").ask("one").user(
				named("cost", "")).add("system",
				object{"subtype": "local_command", "content": "<local-command-stdout>$0</local-command-stdout>"}).
				user(named("usage", "")).add("assistant", object{"message": object{"model": "<synthetic>"}}).add(
				"system",
				object{"subtype": "local_command", "content": "<local-command-stdout>$0</local-command-stdout>"}).
				ask("two").user("<local-command-stdout>of no command</local-command-stdout>"), []string{"one", "two"}},
		"rewound":              {c().ask("one").ask("two").rewind(4).ask("three"), []string{"one", "three"}},
		"rewound to the begin": {c().ask("one").ask("two").rewind(8).ask("three"), []string{"three"}},
		"branch that is noted": {func() *chat {
			x := c().ask("one").ask("two").rewind(4).ask("three")
			x.lines = append(x.lines, object{"type": "last-prompt", "lastPrompt": "two", "leafUuid": "s-9"})
			return x
		}(), []string{"one", "two"}},
		"noted in the middle": {func() *chat {
			x := c().ask("one").ask("two")
			x.lines = append(x.lines, object{"type": "last-prompt", "lastPrompt": "one", "leafUuid": "s-2"})
			return x
		}(), []string{"one", "two"}},
		"compacted": {func() *chat {
			x := c().ask("one")
			last := x.last
			return x.add("system", object{"subtype": "compact_boundary", "parentUuid": nil,
				"logicalParentUuid": last}).user("not asked", object{"isCompactSummary": true}).ask("two")
		}(), []string{"one", "two"}},
		"parents that are gone, themselves, or twice": {c().ask("one").user("two",
			object{"parentUuid": "gone"}).user("three", object{"parentUuid": "x", "uuid": "x"}).user("three again",
			object{"uuid": "x"}).ask("four"), []string{"one", "two", "three", "four"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.write(project("s"), strings.ReplaceAll(x.chat.String(), "WORK", h.work), 0)
			h.asked("s", x.want...)
		})
	}
}

func TestClaudeFiles(t *testing.T) {
	h := newHome(t)
	h.write(project("one"), newChat("one", h.work).ask("one").String(), 0)
	h.write(project("agent-0"), newChat("agent-0", h.work).ask("not of the user").String(), 1)
	h.write("claude/projects/-any-slug/one/subagents/agent-1.jsonl",
		newChat("agent-1", h.work).ask("not of the user").String(), 2)
	h.write("claude/projects/-any-slug/one/tool-results/x.jsonl", newChat("x", h.work).ask("not of the user").String(),
		3)
	h.write("claude/projects/two.jsonl", newChat("two", h.work).ask("not at its place").String(), 4)
	h.write(project("empty"), newChat("empty", h.work).String(), 5)
	if got := h.listed(0); len(got) != 1 || got[0] != "one" {
		t.Error(got)
	}
}
