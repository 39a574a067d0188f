//go:build unix

package tools

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// control calls a tool that controls servers and shows its answer in one line, with "old" and "new" for process ids.
func (s *scripted) control(tool string, arguments map[string]any) string {
	s.Helper()
	a := run(s.TB, s.Session, tool, arguments)
	if a["ok"] != true {
		return s.brief(a)
	}
	var out []string
	for _, entry := range a["servers"].([]any) {
		m := entry.(map[string]any)
		line := fmt.Sprint(m["server_id"], " ", m["root"], " ", m["was"], "→", m["state"])
		if m["pid_before"] != nil {
			line += " old"
		}
		if m["pid"] != nil && m["pid"] != m["pid_before"] {
			line += " new"
		}
		out = append(out, line)
	}
	if a["note"] != nil {
		out = append(out, fmt.Sprint(a["note"]))
	}
	return strings.Join(out, "; ")
}

var fake1 = map[string]any{"server_id": "fake1"}

func TestRestartServer(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	const none = "No fake1 was running; "
	s.want(s.control("stop_server", fake1), none+"nothing was stopped.")
	s.want(s.control("restart_server", fake1), none+"it starts with the first call that needs it.")
	s.want(s.references(), "fake1 complete 2")
	s.want(s.control("restart_server", fake1), "fake1 . running→ready old new")
	s.want(s.control("restart_server", map[string]any{"extensions": []string{".W"}}), "fake1 . running→ready old new")
	s.want(s.control("stop_server", fake1), "fake1 . running→stopped old")
	s.want(s.control("stop_server", fake1), none+"nothing was stopped.")
	s.want(s.references(), "fake1 complete 2")
	s.want(s.control("stop_server", fake1), "fake1 . running→stopped old")
	s.want(s.control("restart_server", fake1), "fake1 . stopped→ready new")
}

// A call in flight is answered by the process that takes the place of the one that was ended.
func TestRestartServerDuringACall(t *testing.T) {
	for tool, want := range map[string]string{"restart_server": "fake1 . running→ready old new",
		"stop_server": "fake1 . running→stopped old"} {
		s := newScripted(t, nil, playing(inRun(1, on(lsp.MethodReferences, hangs))), two...)
		var group sync.WaitGroup
		group.Go(func() { s.want(s.references(), "fake1 complete 2 server_restarted") })
		until(t, "the question", func() bool { return len(s.got(0, lsp.MethodReferences)) == 1 })
		s.want(s.control(tool, fake1), want)
		group.Wait()
	}
}

// A server that was given up is started again, and its error says how.
func TestRestartServerThatIsDisabled(t *testing.T) {
	t.Parallel()
	s := newScripted(t, nil, playing(on(lsp.MethodReferences, dies)), two...)
	var a reply
	for range 3 {
		a = run(t, s.Session, "find_references", map[string]any{"file_path": "a.w", "line": 1, "character": 5})
	}
	s.want(s.brief(a), "fake1 server_disabled")
	var step map[string]any
	for _, next := range a["next_steps"].([]any) {
		if m := next.(map[string]any); m["tool"] == "restart_server" {
			step = m["arguments"].(map[string]any)
		}
	}
	s.want(s.control("restart_server", step), "fake1 . disabled→ready new")
}

func TestRestartServerThatCannotStart(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) { specs[0].Commands[0].Name = "lspi-test-no-such-program" },
		playing(), two...)
	s.references()
	s.want(s.control("restart_server", fake1), "fake1 server_not_installed")
}

func TestControlArguments(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	for _, tool := range []string{"restart_server", "stop_server"} {
		for _, c := range []struct {
			arguments map[string]any
			kind      contract.Kind
		}{
			{map[string]any{"server_id": "fake2"}, contract.KindUnknownServer},
			{map[string]any{"extensions": []string{"zzz"}}, contract.KindNoServerForExtension},
			{map[string]any{}, contract.KindMissingArgument},
			{map[string]any{"server_id": "fake1", "extensions": []string{"w"}}, contract.KindInvalidArgument},
		} {
			a := run(t, s.Session, tool, c.arguments)
			if got := s.brief(a); !strings.HasSuffix(got, " "+string(c.kind)) || len(a["next_steps"].([]any)) == 0 {
				t.Errorf("%s %v: %s", tool, c.arguments, got)
			}
		}
		if a := run(t, s.Session, tool, map[string]any{"server_id": "fake2"}); !strings.Contains(
			fmt.Sprint(a["message"]), `the closest is "fake1"`) {
			t.Errorf("%v", a["message"])
		}
		s.Settings.ReadOnly = true
		s.want(s.control(tool, fake1), "<nil> read_only")
		for _, served := range Served(&s.Settings) {
			if served.Name == tool {
				t.Errorf("%s is served read-only", tool)
			}
		}
		s.Settings.ReadOnly = false
	}
}
