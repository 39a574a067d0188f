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
	change func(path, text string) question // the call by which its model writes a file
	answer string                           // of lspi hook after a change, as the host wants it
	events []string                         // that have to reach lspi hook, by hook_event_name
	more   []string                         // arguments of the host
}

// hookedHosts are all hosts with hooks.
var hookedHosts = []hookedHost{
	{"claude", func(path, text string) question {
		return question{tool: "Write", arguments: object{"file_path": path, "content": text}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"},
		[]string{"--permission-mode", "acceptEdits"}},
	{"codex", func(path, text string) question {
		return question{tool: "exec_command", arguments: object{"cmd": "echo '" + text + "' >" + filepath.Base(path)}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"}, []string{"--dangerously-bypass-hook-trust"}},
	{"gemini", func(path, text string) question {
		return question{tool: "write_file", arguments: object{"file_path": path, "content": text}}
	}, nested("AfterTool"), []string{"SessionStart", "AfterTool"}, nil},
	{"qwen", func(path, text string) question {
		return question{tool: "write_file", arguments: object{"file_path": path, "content": text}}
	}, nested("PostToolUse"), []string{"SessionStart", "PostToolUse"}, nil},
	{"copilot", func(path, text string) question {
		return question{tool: "create", arguments: object{"path": path, "file_text": text}}
	}, flat, []string{"SessionStart", "PostToolUse"}, nil},
	{"opencode", func(path, text string) question {
		return question{tool: "write", arguments: object{"filePath": path, "content": text}}
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
			s.model.script = []question{c.change(s.newFile("new.go"), "package shop\n")}
			start := s.setupHooks(p)
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
			if _, err := os.Stat(s.newFile("new.go")); err != nil {
				t.Error(err)
			}
		})
	}
}

// The whole way: the host's model writes a file that does not compile, and is told of its error, and not of the one
// that was there before. Where gopls needs longer than the budget, that comes behind one of the next changes.
func TestHooksTell(t *testing.T) {
	for _, c := range hookedHosts {
		t.Run(c.host, func(t *testing.T) {
			p := wanted(t, c.host)
			s := newSession(t, testkit.Program(t))
			s.model.script = []question{c.change(s.newFile("new.go"), "package shop\n\nvar fresh = Absent\n")}
			s.model.play = func([]byte) (question, bool) { // under the lock of the model
				n := len(s.model.script)
				clean := c.change(s.newFile(fmt.Sprintf("clean%d.go", n)), "package shop\n")
				return clean, n < 4 || !s.model.hooked && n < 100
			}
			s.model.waitsFor, s.model.unwanted = "undefined: Absent", "undefined: Missing"
			start := s.setupHooks(p)
			output := s.run(s.launcher(p), append(start.arguments, c.more...), start.environment)
			s.model.mu.Lock()
			defer s.model.mu.Unlock()
			if !s.model.hooked || s.model.misled {
				t.Errorf("told of the new error: %v; of the old one: %v\n%s", s.model.hooked, s.model.misled, output)
			}
		})
	}
}

// setupHooks writes the server and the hooks into the host's configuration.
func (s *hostRun) setupHooks(p program) start {
	s.Helper()
	begin := p.start(s)
	if p.setup != nil {
		s.run(s.launcher(p), p.setup(s), begin.environment)
	}
	s.setup(p)
	s.run(filepath.Join(s.bin, "lspi"), []string{"setup", p.name, "--hooks", "--yes", "--no-check"}, nil)
	return begin
}

// newFile is a file that the model writes.
func (s *hostRun) newFile(name string) string { return filepath.Join(s.project, name) }

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
