package main

import (
	"errors"
	"fmt"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/hooks"
)

// Each host's own form of an event is read, and answered in the form that the host reads.
func TestHookFormats(t *testing.T) {
	told := hooks.Answer{Text: `new "errors"`}
	for _, c := range []struct {
		about, host, in string
		want            hooks.Event
		out             string
	}{
		{"Claude Code", "claude", `{"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"default",` +
			`"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/w/a.go","old_string":"a","new_string":"b"},` +
			`"tool_response":{"filePath":"/w/a.go"},"tool_use_id":"toolu_1","duration_ms":3}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Paths: []string{"/w/a.go"}},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUse"}}`},
		{"a command of Claude Code that failed", "claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUseFailure",` +
			`"tool_name":"Bash","tool_input":{"command":"sed -i s/a/b/ a.go && false"},"error":"exit 1"}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Command: "sed -i s/a/b/ a.go && false"},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUseFailure"}}`},
		{"the end of a turn", "claude", `{"session_id":"s","cwd":"/w","hook_event_name":"Stop","stop_hook_active":true}`,
			hooks.Event{Kind: hooks.TurnEnds, Session: "s", Dir: "/w", Continued: true},
			`{"decision":"block","reason":"new \"errors\""}`},
		{"a start prints nothing", "claude", `{"session_id":"s","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}`,
			hooks.Event{Kind: hooks.SessionStart, Session: "s", Dir: "/w"}, ""},
		{"a read of some lines", "claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Read",` +
			`"tool_input":{"file_path":"/w/a.go","offset":10,"limit":5}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Paths: []string{"/w/a.go"}, Lines: [2]int{10, 14}, Reads: true},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUse"}}`},
		{"a read of some lines, from 0 or 1", "qwen", `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"read_file",` +
			`"tool_input":{"file_path":"/w/a.go","offset":10,"limit":5}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Paths: []string{"/w/a.go"}, Lines: [2]int{10, 15}, Reads: true},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUse"}}`},
		{"a patch of Codex", "codex", `{"session_id":"s","turn_id":"t","cwd":"/w","hook_event_name":"PostToolUse","model":"m",` +
			`"permission_mode":"default","tool_name":"apply_patch","tool_use_id":"1","transcript_path":null,"tool_response":"ok",` +
			`"tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** Add File: new.go\n+c\n*** End Patch"}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Paths: []string{"a.go", "new.go"},
				Command: "*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n*** Add File: new.go\n+c\n*** End Patch"},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUse"}}`},
		{"a search of Gemini CLI", "gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"AfterTool","timestamp":"x",` +
			`"tool_name":"search_file_content","tool_input":{"pattern":"Sum"},"tool_response":{"llmContent":"x"}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Pattern: "Sum", Reads: true},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"AfterTool"}}`},
		{"the end of a turn of Gemini CLI", "gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"AfterAgent","prompt":"p"}`,
			hooks.Event{Kind: hooks.TurnEnds, Session: "s", Dir: "/w"}, `{"decision":"block","reason":"new \"errors\""}`},
		{"Qwen Code", "qwen", `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"run_shell_command",` +
			`"tool_input":{"command":"git checkout ."}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Command: "git checkout ."},
			`{"hookSpecificOutput":{"additionalContext":"new \"errors\"","hookEventName":"PostToolUse"}}`},
		{"Copilot in camelCase", "copilot", `{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"bash",` +
			`"toolArgs":"{\"command\":\"rg Sum\"}","toolResult":{"resultType":"success","textResultForLlm":"x"}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Command: "rg Sum"},
			`{"additionalContext":"new \"errors\""}`},
		{"the end of a turn of Copilot", "copilot", `{"sessionId":"s","timestamp":1,"cwd":"/w","transcriptPath":"/t",` +
			`"stopReason":"end_turn","stop_hook_active":false}`,
			hooks.Event{Kind: hooks.TurnEnds, Session: "s", Dir: "/w"}, `{"decision":"block","reason":"new \"errors\""}`},
		{"the start of Copilot", "copilot", `{"sessionId":"s","timestamp":1,"cwd":"/w","source":"new","initialPrompt":"p"}`,
			hooks.Event{Kind: hooks.SessionStart, Session: "s", Dir: "/w"}, ""},
		{"Copilot in PascalCase", "copilot", `{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"t","cwd":"/w",` +
			`"tool_name":"Edit","tool_input":{"path":"a.go","view_range":[3,9]},"tool_result":{"result_type":"success"}}`,
			hooks.Event{Kind: hooks.AfterTool, Session: "s", Dir: "/w", Paths: []string{"a.go"}, Lines: [2]int{3, 9}, Reads: true},
			`{"additionalContext":"new \"errors\""}`},
	} {
		t.Run(c.about, func(t *testing.T) {
			c.want.Host = c.host
			e, name, err := readEvent(c.host, []byte(c.in))
			testkit.Must(t, err)
			testkit.Equal(t, fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", c.want))
			want := c.out
			if want != "" {
				want += "\n"
			}
			testkit.Equal(t, string(writeAnswer(c.host, name, e.Kind, told)), want)
			testkit.Equal(t, string(writeAnswer(c.host, name, e.Kind, hooks.Answer{})), "")
		})
	}
	for _, in := range []string{`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w"}`, `{}`} {
		if _, _, err := readEvent("claude", []byte(in)); !errors.Is(err, errOtherEvent) {
			t.Errorf("%s: %v", in, err)
		}
	}
}
