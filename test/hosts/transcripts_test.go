//go:build linux

package hosts

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/recall"
)

// talks are the hosts whose transcripts package recall reads. Each function has some conversations with its host and
// returns what was asked in them.
var talks = map[string]func(s *talk) map[string][]string{"codex": talkToCodex, "claude": talkToClaude,
	"copilot": talkToCopilot, "gemini": talkToGemini, "opencode": talkToOpencode, "qwen": talkToQwen}

// spawns starts a sub-agent, which calls lspi as well. What it is told is no request of the user.
var spawns = map[string]question{
	"claude": {"sub-agent", "Agent", object{"description": "look", "prompt": "Not of the user.",
		"subagent_type": "general-purpose"}, nil},
	"codex": {"sub-agent", "spawn_agent", object{"message": "Not of the user."}, nil},
}

// talk is a host that is talked to.
type talk struct {
	*hostRun
	start
	launcher, wire string // wire is what the host sent to lspi
	store          *recall.Store
}

// say gives the host one prompt and waits for its end.
func (s *talk) say(arguments ...string) string {
	s.Helper()
	out := s.run(s.launcher, arguments, s.environment())
	s.Logf("%q: %.200q", arguments, out)
	return out
}

func (s *talk) environment() map[string]string { return s.start.environment }

// The transcripts that the real programs write say what was asked, and the calls that they make lead to them.
func TestTranscripts(t *testing.T) {
	wanted := os.Getenv(variable)
	if wanted == "" {
		t.Skipf("%s=all runs the real hosts (make hosts)", variable)
	}
	binary := testkit.Program(t)
	for _, p := range programs {
		hold := talks[p.name]
		if hold == nil || wanted != "all" && !slices.Contains(strings.Split(wanted, ","), p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			launcher := filepath.Join(testkit.Dir(), "hosts", "bin", p.name)
			if _, err := os.Stat(launcher); err != nil {
				t.Skipf("not installed: scripts/hosts.sh %s", p.name)
			}
			s := newTalk(t, p, binary, launcher)
			s.hold(hold(s))
		})
	}
}

// newTalk is a session in which what the host sends to lspi is written down.
func newTalk(t *testing.T, p program, binary, launcher string) *talk {
	t.Helper()
	s := &talk{hostRun: newSession(t, binary), launcher: launcher}
	config := question{"config", "get_current_config", object{}, nil}
	s.model.script = []question{config, config, {"recall", "get_first_request", object{}, nil}}
	if spawn, ok := spawns[p.name]; ok {
		s.model.script = slices.Insert(s.model.script, 0, spawn)
	}
	testkit.Write(t, filepath.Join(s.home, ".config", "lspi", "config.toml"), "recall.enabled = true\n")
	s.start = p.start(s.hostRun)
	s.setup(p)
	s.wire = filepath.Join(s.home, "wire")
	testkit.Must(t, os.Remove(filepath.Join(s.bin, "lspi")))
	testkit.WriteProgram(t, filepath.Join(s.bin, "lspi"), "#!/bin/sh\n[ \"$1\" = mcp ] || exec "+binary+
		" \"$@\"\nenv >>"+s.wire+"\ntee -a "+s.wire+" | "+binary+" \"$@\"\n")
	s.store = recall.Open(recall.EnvironmentOf(func(string) string { return "" }, s.home).Folders)
	return s
}

// hold compares what was asked with what the store reads, by session id.
func (s *talk) hold(want map[string][]string) {
	s.Helper()
	list, err := s.store.Sessions(s.Context(), s.project, 0)
	testkit.Must(s, err)
	if len(list.Sessions) != len(want) || list.Unread > 0 {
		s.Errorf("%d sessions, %d unread, of %d", len(list.Sessions), list.Unread, len(want))
	}
	for _, one := range list.Sessions {
		all, err := one.Requests(s.Context())
		testkit.Must(s, err)
		var got []string
		for _, r := range all {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, want[one.ID]) || one.Partial != "" || one.Cwd != s.project ||
			time.Since(one.Started) > hostLimit {
			s.Errorf("%s: %q, want %q: %+v", one.ID, got, want[one.ID], one)
		}
	}
}

// sent is what an expression finds in what the host sent to lspi, the first time.
func (s *talk) sent(pattern string) string {
	s.Helper()
	return s.sentAll(pattern)[0]
}

// sentAll is what it finds all times; at least once.
func (s *talk) sentAll(pattern string) (out []string) {
	s.Helper()
	raw, err := os.ReadFile(s.wire)
	testkit.Must(s, err)
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(raw, -1) {
		out = append(out, string(m[1]))
	}
	if out == nil {
		s.Fatalf("it did not send %s", pattern)
	}
	return out
}

// current holds the session that hints lead to.
func (s *talk) current(hints recall.Hints, want string, by recall.Rule) {
	s.Helper()
	hints.Root, hints.Client = s.project, recall.ClientOf(s.sent(`clientInfo":\{"name":"([^"]*)`))
	one, rule, err := s.store.Current(s.Context(), hints)
	if err != nil || one.ID != want || rule != by {
		s.Errorf("%+v led to %q by %s, %v; want %q by %s", hints, one.ID, rule, err, want, by)
	}
}

// recalled holds what the model got of the question behind the others: the tool found the session by what the host
// says with the call.
func (s *talk) recalled(id string, by recall.Rule) {
	s.Helper()
	s.model.mu.Lock()
	got := s.model.got[len(s.model.script)-1]
	s.model.mu.Unlock()
	for _, want := range []string{`"session_id":"` + id + `"`, `"found_by":"` + string(by) + `"`, `"full":` +
		asJSON(prompt), `"requests_count":1`} {
		testkit.Holds(s, got, want, "get_first_request")
	}
}

func talkToClaude(s *talk) map[string][]string {
	s.say("-p", prompt, "--allowedTools", "mcp__lspi,Agent")
	id := s.sent(`CLAUDE_CODE_SESSION_ID=(\S+)`)
	s.sent(`(CLAUDECODE=1)`)
	s.recalled(id, recall.ByToolUse)
	s.current(recall.Hints{}, id, recall.ByTime)
	s.current(recall.Hints{SessionIDs: map[recall.Client]string{recall.Claude: id}}, id, recall.ByEnvironment)
	for _, call := range s.sentAll(`"claudecode/toolUseId":"([^"]*)`) {
		s.current(recall.Hints{ClaudeToolUseID: call}, id, recall.ByToolUse)
	}
	one, err := s.store.Session(s.Context(), s.project, id)
	testkit.Must(s, err)
	raw, err := os.ReadFile(one.Path)
	testkit.Must(s, err)
	leaf := regexp.MustCompile(`"leafUuid":"([^"]*)`).FindSubmatch(raw)
	if leaf == nil {
		s.Fatalf("no leaf in %s", raw)
	}
	s.say("-p", "/cost", "--resume", id)
	s.say("-p", "In the fork.", "--resume", id, "--fork-session")
	// As rewinding does. A later --resume without a place goes on with "Taken back." again (2.1.197), so this comes
	// last.
	s.say("-p", "Taken back.", "--resume", id)
	s.say("-p", "Instead.", "--resume", id, "--resume-session-at", string(leaf[1]))
	want := map[string][]string{id: {prompt, "Instead."}}
	list, err := s.store.Sessions(s.Context(), s.project, 0)
	testkit.Must(s, err)
	for _, other := range list.Sessions {
		if other.ID != id {
			want[other.ID] = []string{prompt, "In the fork."}
		}
	}
	if len(want) != 2 {
		s.Errorf("the fork is not a session: %v", want)
	}
	return want
}

// said is how a model sees the answer of get_first_request to a host that shows the text.
func (s *talk) said(id string, by recall.Rule) {
	s.Helper()
	s.model.mu.Lock()
	got := s.model.got[len(s.model.script)-1]
	s.model.mu.Unlock()
	testkit.Holds(s, got, "The first of 1 request of session "+id+" (found by "+string(by)+").", "get_first_request")
	testkit.Holds(s, got, prompt, "get_first_request")
}

// instead returns the arguments of the first talk with another prompt, and with more in front of it or, for a prompt
// that is the value of an option, behind all.
func (s *talk) instead(text string, more ...string) []string {
	out := slices.Clone(s.arguments)
	at := slices.Index(out, prompt)
	out[at] = text
	if at == len(out)-1 {
		return slices.Insert(out, at, more...)
	}
	return append(out, more...)
}

// goOn has the talk go on, then another one, and returns what was asked in both.
func (s *talk) goOn(id string, again ...string) map[string][]string {
	s.Helper()
	const named = "Another one @price.go"
	s.say(s.instead("And then.", again...)...)
	s.say(s.instead(named)...)
	want := map[string][]string{id: {prompt, "And then."}}
	list, err := s.store.Sessions(s.Context(), s.project, 0)
	testkit.Must(s, err)
	for _, other := range list.Sessions {
		if other.ID != id {
			want[other.ID] = []string{named}
		}
	}
	if len(want) != 2 {
		s.Errorf("the other talk is not a session: %v", want)
	}
	return want
}

func talkToCopilot(s *talk) map[string][]string {
	s.say(s.arguments...)
	id := s.sent(`COPILOT_AGENT_SESSION_ID=(\S+)`)
	s.said(id, recall.ByEnvironment)
	s.current(recall.Hints{}, id, recall.ByTime)
	return s.goOn(id, "--continue")
}

func talkToGemini(s *talk) map[string][]string {
	s.say(s.arguments...)
	list, err := s.store.Sessions(s.Context(), s.project, 0)
	testkit.Must(s, err)
	if len(list.Sessions) != 1 {
		s.Fatalf("%+v", list)
	}
	id := list.Sessions[0].ID
	s.said(id, recall.ByTime)
	s.current(recall.Hints{}, id, recall.ByTime)
	return s.goOn(id, "--resume", "latest")
}

func talkToOpencode(s *talk) map[string][]string {
	s.say(s.arguments...)
	list, err := s.store.Sessions(s.Context(), s.project, 0)
	testkit.Must(s, err)
	if len(list.Sessions) != 1 {
		s.Fatalf("%+v", list)
	}
	id := list.Sessions[0].ID
	s.said(id, recall.ByTime)
	s.current(recall.Hints{}, id, recall.ByTime)
	want := s.goOn(id, "--continue")
	for _, asked := range want { // "opencode run" puts arguments with spaces in quotes
		for i := range asked {
			asked[i] = strconv.Quote(asked[i])
		}
	}
	return want
}

func talkToQwen(s *talk) map[string][]string {
	s.say(s.arguments...)
	id := s.sent(`QWEN_CODE_SESSION_ID=(\S+)`)
	s.said(id, recall.ByEnvironment)
	s.current(recall.Hints{}, id, recall.ByTime)
	return s.goOn(id, "--continue")
}

func talkToCodex(s *talk) map[string][]string {
	s.say("exec", "--enable", "multi_agent", "--skip-git-repo-check", prompt)
	id := s.sent(`"sessionId":"([^"]*)`) // of a sub-agent it is that of the session that it works for
	s.recalled(id, recall.ByThread)
	s.current(recall.Hints{}, id, recall.ByTime)
	threads := s.sentAll(`"threadId":"([^"]*)`)
	for _, thread := range threads {
		s.current(recall.Hints{CodexThreadID: thread}, id, recall.ByThread)
	}
	if slices.Equal(threads, []string{id, id}) {
		s.Error("the sub-agent has no thread of its own")
	}
	s.say("exec", "--skip-git-repo-check", "resume", id, "And then.")
	a := s.openApp()
	first := a.thread("thread/start", object{"cwd": s.project})
	a.turn(first, "First.")
	back := a.turn(first, "Taken back.")
	a.request("thread/revert", object{"threadId": first, "beforeTurnId": back})
	a.turn(first, "# Context from my IDE setup:\n\n## Open tabs:\n- price.go\n\n## My request for Codex:\nSecond.")
	fork := a.thread("thread/fork", object{"threadId": first})
	a.turn(fork, "In the fork.")
	a.request("thread/compact/start", object{"threadId": first})
	a.completed()
	a.turn(first, "Third.")
	a.request("thread/archive", object{"threadId": first})
	unpaginated := a.thread("thread/start", object{"cwd": s.project, "historyMode": "legacy"})
	a.turn(unpaginated, "As it was.")
	copied := a.thread("thread/fork", object{"threadId": unpaginated})
	a.turn(copied, "In the copy.")
	a.close()
	return map[string][]string{id: {prompt, "And then."}, first: {"First.", "Second.", "Third."},
		fork:        {"First.", "Second.", "In the fork."},
		unpaginated: {"As it was."}, copied: {"As it was.", "In the copy."}}
}

// app is codex app-server, which editors talk to.
type app struct {
	*talk
	in    io.WriteCloser
	out   *bufio.Scanner
	ended func()
	next  int
}

func (s *talk) openApp() *app {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), s.launcher, "app-server")
	cmd.Dir, cmd.Env = s.project, append(slices.Clone(s.hostRun.environment), "NO_PROXY=127.0.0.1,localhost",
		"HTTP_PROXY="+s.model.URL, "HTTPS_PROXY="+s.model.URL)
	for key, value := range s.environment() {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	in, err := cmd.StdinPipe()
	testkit.Must(s, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(s, err)
	testkit.Must(s, cmd.Start())
	kill := time.AfterFunc(hostLimit, func() { _ = cmd.Process.Kill() })
	a := &app{talk: s, in: in, out: bufio.NewScanner(out), ended: func() {
		_ = cmd.Wait()
		kill.Stop()
	}}
	a.out.Buffer(nil, 16<<20)
	a.request("initialize", object{"clientInfo": object{"name": "lspi-test", "version": "1"},
		"capabilities": object{"experimentalApi": true}})
	a.send(object{"method": "initialized"})
	return a
}

func (a *app) close() {
	_ = a.in.Close()
	for a.out.Scan() { // so that it can write its last
	}
	a.ended()
}

func (a *app) send(message object) {
	a.Helper()
	_, err := io.WriteString(a.in, asJSON(message)+"\n")
	testkit.Must(a, err)
}

// message is one that the server sends.
type message struct {
	ID     *int
	Method string
	Result struct {
		Thread, Turn struct{ ID string }
	}
	Error json.RawMessage
}

// until is the first message that is wanted.
func (a *app) until(wanted func(m message) bool) message {
	a.Helper()
	for a.out.Scan() {
		var m message
		if json.Unmarshal(a.out.Bytes(), &m) == nil && wanted(m) {
			return m
		}
	}
	a.Fatal("the server ended")
	return message{}
}

func (a *app) request(method string, params object) message {
	a.Helper()
	a.next++
	a.send(object{"id": a.next, "method": method, "params": params})
	m := a.until(func(m message) bool { return m.Method == "" && m.ID != nil && *m.ID == a.next })
	if m.Error != nil {
		a.Fatalf("%s: %s", method, m.Error)
	}
	return m
}

func (a *app) completed() {
	a.Helper()
	a.until(func(m message) bool { return m.Method == "turn/completed" })
}

// thread is the id of the thread that a request makes.
func (a *app) thread(method string, params object) string {
	a.Helper()
	return a.request(method, params).Result.Thread.ID
}

// turn is the id of a turn, when it is over.
func (a *app) turn(thread, text string) string {
	a.Helper()
	m := a.request("turn/start", object{"threadId": thread, "input": []any{object{"type": "text", "text": text}}})
	a.completed()
	return m.Result.Turn.ID
}
