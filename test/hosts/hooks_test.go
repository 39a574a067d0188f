//go:build linux

package hosts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// hookSays is what the stand-in of lspi hook tells the model.
const hookSays = "what the hook says"

// hookedHost is a host with hooks.
type hookedHost struct {
	host   string
	change func(s *hostRun) question // the call by which its model changes a file
	answer string                    // of lspi hook after a change, as the host wants it
	events []string                  // that have to reach lspi hook, by hook_event_name
	more   []string                  // arguments of the host
}

// hookedHosts are all hosts with hooks.
var hookedHosts = []hookedHost{
	{"claude", func(s *hostRun) question {
		return question{tool: "Write", arguments: object{"file_path": s.newFile(), "content": "package shop\n"}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"},
		[]string{"--permission-mode", "acceptEdits"}},
	{"codex", func(*hostRun) question {
		return question{tool: "exec_command", arguments: object{"cmd": "echo package shop >new.go"}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"}, []string{"--dangerously-bypass-hook-trust"}},
	{"gemini", func(s *hostRun) question {
		return question{tool: "write_file", arguments: object{"file_path": s.newFile(), "content": "package shop\n"}}
	}, nested("AfterTool"), []string{"SessionStart", "AfterTool"}, nil},
	{"qwen", func(s *hostRun) question {
		return question{tool: "write_file", arguments: object{"file_path": s.newFile(), "content": "package shop\n"}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"}, nil},
	{"copilot", func(s *hostRun) question {
		return question{tool: "create", arguments: object{"path": s.newFile(), "file_text": "package shop\n"}}
	}, flat, []string{"SessionStart", "PostToolUse"}, nil},
	{"opencode", func(s *hostRun) question {
		return question{tool: "write", arguments: object{"filePath": s.newFile(), "content": "package shop\n"}}
	}, flat, []string{"SessionStart", "PostToolUse"}, nil},
}

// flat is an answer for the hosts that take it without the name of the event.
var flat = asJSON(object{"additionalContext": hookSays})

// nested is an answer as Claude Code wants it.
func nested(event string) string {
	return asJSON(object{"hookSpecificOutput": object{"hookEventName": event, "additionalContext": hookSays}})
}

// What lspi setup --hooks writes makes each host run lspi hook at the start and after a change, and show its model what
// that says; setup --undo takes all of it out.
func TestHooks(t *testing.T) {
	for _, c := range hookedHosts {
		t.Run(c.host, func(t *testing.T) {
			p := wanted(t, c.host)
			s := newSession(t, testkit.Program(t))
			s.model.script = []question{c.change(s)}
			start := p.start(s)
			if p.setup != nil {
				s.run(s.launcher(p), p.setup(s), start.environment)
			}
			s.setup(p)
			s.run(filepath.Join(s.bin, "lspi"), []string{"setup", p.name, "--hooks", "--yes", "--no-check"}, nil)
			heard := s.standInHook(c.answer)
			output := s.run(s.launcher(p), append(start.arguments, c.more...), start.environment)
			s.model.mu.Lock()
			defer s.model.mu.Unlock()
			events := heard()
			for _, want := range c.events {
				if !slices.ContainsFunc(events, func(e hookEvent) bool { return e.Host == c.host && e.Name == want }) {
					t.Errorf("lspi hook %s did not hear of %s, but of %+v; the model has %q\n%s", c.host, want, events,
						s.model.first, output)
				}
			}
			if !s.model.hooked {
				t.Errorf("the model was not told what the hook says; the host got %+v\n%s", events, output)
			}
			if _, err := os.Stat(s.newFile()); err != nil {
				t.Error(err)
			}
		})
	}
}

// newFile is the file that the model writes.
func (s *hostRun) newFile() string { return filepath.Join(s.project, "new.go") }

func (s *hostRun) launcher(p program) string {
	return filepath.Join(testkit.Dir(), "hosts", "bin", p.name)
}

// hookEvent is an event that a host gave to lspi hook HOST.
type hookEvent struct {
	Host string `json:"-"`
	Name string `json:"hook_event_name"`
	Tool string `json:"tool_name"`
	Dir  string `json:"cwd"`
}

// standInHook puts a program in the place of lspi that keeps the events of lspi hook and answers those that are not of
// the start of a session; everything else goes to lspi. It returns the events that were heard.
func (s *hostRun) standInHook(answer string) func() []hookEvent {
	s.Helper()
	lspi, folder := filepath.Join(s.bin, "lspi"), filepath.Join(s.home, "heard")
	real, err := os.Readlink(lspi)
	testkit.Must(s, err)
	testkit.Must(s, os.Mkdir(folder, 0o700))
	testkit.Must(s, os.Remove(lspi))
	testkit.WriteProgram(s, lspi, fmt.Sprintf(`#!/bin/sh
[ "$1" = hook ] || exec %s "$@"
file=$(mktemp %s/"$2".XXXXXX)
cat >"$file"
grep -q SessionStart "$file" || printf '%%s\n' '%s'
`, real, folder, answer))
	return func() (out []hookEvent) {
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		testkit.Must(s, err)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			testkit.Must(s, err)
			var e hookEvent
			testkit.Must(s, json.Unmarshal(raw, &e))
			e.Host, _, _ = strings.Cut(filepath.Base(file), ".")
			out = append(out, e)
		}
		return out
	}
}
