package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// playHost is an MCP host that does what a file says:
//
//	mcp PLAY lspi mcp ...
//
// Each line of PLAY is one step; # begins a comment.
//
//	initialize VERSION [CAPABILITIES]   shake hands (not since 2026-07-28) and speak that version from now on
//	name NAME                           what the host calls itself from now on
//	roots FILE-URI | silent             what roots/list is answered with
//	send JSON                           a line as it is
//	call ID TOOL [ARGUMENTS [META]]     send tools/call; ID is a number
//	big ID BYTES                        call find_definition with a name of so many bytes
//	list ID                             send tools/list
//	cancel ID                           send notifications/cancelled
//	expect ID WANT                      wait for the answer; WANT is JSON that must be found in it, see [within].
//	                                    The ID is null for an error without one, and batch for an array
//	unanswered ID                       no answer with that ID has come since the last one that was expected
//	progress N                          at least N progress notifications so far, each greater than the one before
//	heard FILE METHOD                   wait until the fakels with that events file was sent METHOD
//	starts FILE N                       that many servers were started
//	flood N                             send N requests whose answers nobody reads
//	garbage N                           send N lines that are no messages
//	close-stdin, close-stdout           as hosts do when they go
//	signal TERM|INT|HUP|KILL            send it to lspi
//	exit CODE                           wait for the end of lspi, for as long as it may take
//	exit-unread CODE                    the same, without reading what lspi writes
//	gone FILE                           wait until no process of that events file is left
//	copy FROM TO                        a file
//	changed N                           wait until lspi has said N times that the list of tools is another one
//	tools ID NAME...                    send tools/list and want exactly these tools, in this order
//	run COMMAND...                      run a command, which has to succeed
//	hidden TEXT                         no answer so far has it
//	write FILE TEXT                     write a file
//	remove FILE                         remove a file
//	await FILE TEXT                     wait until a file has a text
//	until TOOL ARGUMENTS WANT           call a tool until its answer has WANT
//	steady FILE TOOL ARGUMENTS WANT     call a tool without a pause until FILE is there; each answer has to have WANT
//
// What is no JSON on stdout is an error, and so is an lspi that lives on behind the last line.
func playHost(args []string) int {
	h := &host{answers: map[string]json.RawMessage{}}
	err := h.play(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		if h.cmd != nil && h.cmd.Process != nil {
			_ = h.cmd.Process.Kill()
		}
		return 1
	}
	return 0
}

// endSlack is what a busy machine adds to the time that lspi takes to end; one that does not end takes far longer.
const endSlack = 15 * time.Second

type host struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	version string     // of the protocol that is spoken
	name    string     // in clientInfo; "" for that of all tests
	roots   string     // what roots/list is answered with
	exited  chan error // nil when the end was waited for

	messages chan json.RawMessage       // the lines of stdout; closed at its end
	answers  map[string]json.RawMessage // by id
	progress []float64
	asked    int // by until
	changed  int // how often the list of tools was said to be another one
}

// hostLimit bounds every wait of a host: far longer than anything takes on a busy machine with the race detector,
const hostLimit = time.Minute

func (h *host) play(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	if err := h.start(args[1:]); err != nil {
		return err
	}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(os.ExpandEnv(line))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		step := steps[verb]
		if step == nil {
			return fmt.Errorf("line %d: no step %q", n+1, verb)
		}
		if err := step(h, strings.TrimSpace(rest)); err != nil {
			return fmt.Errorf("line %d: %s: %w", n+1, line, err)
		}
	}
	return h.finish()
}

func (h *host) start(args []string) error {
	h.cmd = exec.Command(args[0], args[1:]...)
	h.cmd.Stderr = os.Stderr
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	// Not StdoutPipe, which Wait closes.
	out, w, err := os.Pipe()
	if err != nil {
		return err
	}
	h.out, h.cmd.Stdout = out, w
	if err := h.cmd.Start(); err != nil {
		return err
	}
	w.Close()
	h.exited = make(chan error, 1)
	go func() { h.exited <- h.cmd.Wait() }()
	h.messages = make(chan json.RawMessage, 1000)
	go h.read(out)
	return nil
}

func (h *host) read(out io.Reader) {
	defer close(h.messages)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			h.messages <- line
		}
		if err != nil {
			return
		}
	}
}

// finish closes stdin, if no step did, and wants a clean end.
func (h *host) finish() error {
	if h.exited == nil {
		return nil
	}
	_ = h.in.Close()
	return h.exit("0")
}

var steps map[string]func(h *host, rest string) error

func init() {
	steps = map[string]func(h *host, rest string) error{
		"initialize":   (*host).initialize,
		"name":         func(h *host, rest string) error { h.name = rest; return nil },
		"roots":        func(h *host, rest string) error { h.roots = rest; return nil },
		"send":         func(h *host, rest string) error { return h.write(json.RawMessage(rest)) },
		"call":         (*host).call,
		"big":          (*host).big,
		"list":         func(h *host, id string) error { return h.request(id, "tools/list", map[string]any{}) },
		"cancel":       (*host).cancelCall,
		"expect":       (*host).expect,
		"unanswered":   (*host).unanswered,
		"progress":     (*host).wantProgress,
		"heard":        (*host).heard,
		"close-stdin":  func(h *host, _ string) error { return h.in.Close() },
		"close-stdout": func(h *host, _ string) error { return h.out.Close() },
		"starts":       wantStarts,
		"flood":        (*host).flood,
		"garbage":      (*host).garbage,
		"signal":       (*host).signal,
		"exit-unread":  (*host).exitUnread,
		"exit":         (*host).exit,
		"gone":         (*host).gone,
		"copy":         copyFile,
		"changed":      (*host).wantChanged,
		"tools":        (*host).wantTools,
		"run":          runCommand,
		"hidden":       (*host).hidden,
		"write":        writeText,
		"remove":       func(_ *host, path string) error { return os.Remove(path) },
		"await":        awaitText,
		"until":        (*host).until,
		"steady":       (*host).steady,
	}
}

func (h *host) write(v any) error {
	line, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if line, err = json.Marshal(v); err != nil {
			return err
		}
	}
	_, err := h.in.Write(append(slices.Clone(line), '\n'))
	return err
}

func (h *host) request(id, method string, params map[string]any) error {
	if h.version >= "2026" {
		meta, _ := params["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["io.modelcontextprotocol/protocolVersion"] = h.version
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": cmp.Or(h.name, "host-of-the-test"),
			"version": "1"}
		meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
		params["_meta"] = meta
	}
	return h.write(map[string]any{"jsonrpc": "2.0", "id": json.Number(id), "method": method, "params": params})
}

// flood asks for more than a pipe and the host's own memory hold.
func (h *host) flood(rest string) error {
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return err
	}
	for i := range n {
		if err := h.request(fmt.Sprint(1000+i), "tools/list", map[string]any{}); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) garbage(rest string) error {
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return err
	}
	return h.write(json.RawMessage(strings.Repeat("garbage\n", n)))
}

func (h *host) initialize(rest string) error {
	version, capabilities, _ := strings.Cut(rest, " ")
	h.version = version
	if version >= "2026" {
		if err := h.request("0", "server/discover", map[string]any{}); err != nil {
			return err
		}
		return h.expect(`0 {"result": {"capabilities": {"tools": {}}, "instructions": "~lspi asks"}}`)
	}
	if capabilities == "" {
		capabilities = "{}"
	}
	err := h.request("0", "initialize", map[string]any{"protocolVersion": version,
		"clientInfo":   map[string]any{"name": cmp.Or(h.name, "host-of-the-test"), "version": "1"},
		"capabilities": json.RawMessage(capabilities)})
	if err != nil {
		return err
	}
	want := fmt.Sprintf(
		`0 {"result": {"protocolVersion": %q, "serverInfo": {"name": "lspi"}, "instructions": "~lspi asks"}}`, version)
	if err := h.expect(want); err != nil {
		return err
	}
	return h.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (h *host) call(rest string) error {
	parts := strings.SplitN(rest, " ", 3)
	params := map[string]any{"name": parts[1]}
	if len(parts) > 2 {
		dec := json.NewDecoder(strings.NewReader(parts[2]))
		for _, key := range []string{"arguments", "_meta"} {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			params[key] = v
		}
	}
	return h.request(parts[0], "tools/call", params)
}

func (h *host) big(rest string) error {
	var id string
	var size int
	if _, err := fmt.Sscan(rest, &id, &size); err != nil {
		return err
	}
	return h.request(id, "tools/call", map[string]any{"name": "find_definition",
		"arguments": map[string]any{"symbol_name": strings.Repeat("x", size)}})
}

func (h *host) cancelCall(id string) error {
	return h.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled",
		"params": map[string]any{"requestId": json.Number(id), "reason": "the test"}})
}

// expect reads until the answer is there.
func (h *host) expect(rest string) error {
	id, want, _ := strings.Cut(rest, " ")
	limit := time.After(hostLimit)
	for h.answers[id] == nil {
		select {
		case line, ok := <-h.messages:
			if !ok {
				return errors.New("stdout ended")
			}
			if err := h.take(line); err != nil {
				return err
			}
		case <-limit:
			return errors.New("no answer")
		}
	}
	answer := h.answers[id]
	if id == "null" || id == "batch" {
		delete(h.answers, id) // the next one is another's
	}
	return checkWithin(answer, want)
}

func (h *host) unanswered(id string) error {
	if answer := h.answers[id]; answer != nil {
		return fmt.Errorf("%s", answer)
	}
	return nil
}

// take sorts one line of stdout.
func (h *host) take(line json.RawMessage) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Progress float64 `json:"progress"`
		} `json:"params"`
	}
	if line[0] == '[' && json.Valid(line) {
		h.answers["batch"] = line
		return nil
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("on stdout: %q: %w", line, err)
	}
	switch {
	case m.Method == "":
		h.answers[string(m.ID)] = line
	case m.Method == "roots/list" && h.roots != "silent":
		return h.write(map[string]any{"jsonrpc": "2.0", "id": m.ID,
			"result": map[string]any{"roots": []any{map[string]any{"uri": h.roots}}}})
	case m.Method == "notifications/tools/list_changed":
		h.changed++
	case m.Method == "notifications/progress":
		if n := len(h.progress); n > 0 && m.Params.Progress <= h.progress[n-1] {
			return fmt.Errorf("progress %v after %v", m.Params.Progress, h.progress[n-1])
		}
		h.progress = append(h.progress, m.Params.Progress)
	}
	return nil
}

func (h *host) wantProgress(rest string) error {
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return err
	}
	if len(h.progress) < n {
		return fmt.Errorf("only %v", h.progress)
	}
	return nil
}

// wantChanged reads until lspi has said often enough that the list is another one.
func (h *host) wantChanged(rest string) error {
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil {
		return err
	}
	limit := time.After(hostLimit)
	for h.changed < n {
		select {
		case line, ok := <-h.messages:
			if !ok {
				return errors.New("stdout ended")
			}
			if err := h.take(line); err != nil {
				return err
			}
		case <-limit:
			return fmt.Errorf("said %d times", h.changed)
		}
	}
	if h.changed > n {
		return fmt.Errorf("said %d times", h.changed)
	}
	return nil
}

func (h *host) wantTools(rest string) error {
	id, names, _ := strings.Cut(rest, " ")
	if err := h.request(id, "tools/list", map[string]any{}); err != nil {
		return err
	}
	if err := h.expect(id + ` {"result": {}}`); err != nil {
		return err
	}
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(h.answers[id], &answer); err != nil {
		return err
	}
	var got []string
	for _, t := range answer.Result.Tools {
		got = append(got, t.Name)
	}
	if strings.Join(got, " ") != names {
		return fmt.Errorf("the tools are %s", strings.Join(got, " "))
	}
	return nil
}

func (h *host) until(rest string) error {
	tool, rest, _ := strings.Cut(rest, " ")
	dec := json.NewDecoder(strings.NewReader(rest))
	var arguments, want json.RawMessage
	if err := errors.Join(dec.Decode(&arguments), dec.Decode(&want)); err != nil {
		return err
	}
	var last error
	err := eventually(func() (bool, error) {
		h.asked++
		id := fmt.Sprint(100_000 + h.asked)
		if err := h.request(id, "tools/call", map[string]any{"name": tool, "arguments": arguments}); err != nil {
			return false, err
		}
		if err := h.expect(id + ` {}`); err != nil {
			return false, err
		}
		last = checkWithin(h.answers[id], string(want))
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	return nil
}

func (h *host) steady(rest string) error {
	file, rest, _ := strings.Cut(rest, " ")
	tool, rest, _ := strings.Cut(rest, " ")
	dec := json.NewDecoder(strings.NewReader(rest))
	var arguments, want json.RawMessage
	if err := errors.Join(dec.Decode(&arguments), dec.Decode(&want)); err != nil {
		return err
	}
	for {
		h.asked++
		id := fmt.Sprint(100_000 + h.asked)
		if err := h.request(id, "tools/call", map[string]any{"name": tool, "arguments": arguments}); err != nil {
			return err
		}
		if err := h.expect(id + " " + string(want)); err != nil {
			return err
		}
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
}

func runCommand(_ *host, rest string) error {
	words := strings.Fields(rest)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (h *host) signal(name string) error {
	return h.cmd.Process.Signal(map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT,
		"HUP":  syscall.SIGHUP,
		"KILL": syscall.SIGKILL}[name])
}

func (h *host) exit(code string) error {
	if err := h.exitUnread(code); err != nil {
		return err
	}
	// What was still written has to be whole.
	for line := range h.messages {
		if !strings.HasSuffix(string(line), "\n") {
			continue // lspi was killed, or stdout closed, in the middle
		}
		if err := h.take(line); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) exitUnread(code string) error {
	began := time.Now()
	select {
	case <-h.exited:
	case <-time.After(hostLimit):
		return errors.New("lspi did not end")
	}
	h.exited = nil
	if took := time.Since(began); took > endLimit+endSlack {
		return fmt.Errorf("lspi took %v to end", took)
	}
	if got := fmt.Sprint(h.cmd.ProcessState.ExitCode()); got != code {
		return fmt.Errorf("exit status %s", h.cmd.ProcessState)
	}
	return nil
}

func (h *host) hidden(text string) error {
	for id, answer := range h.answers {
		if strings.Contains(string(answer), text) {
			return fmt.Errorf("the answer %s has it: %s", id, answer)
		}
	}
	return nil
}

func writeText(_ *host, rest string) error {
	path, text, _ := strings.Cut(rest, " ")
	return os.WriteFile(path, []byte(text), 0o644)
}

func awaitText(_ *host, rest string) error {
	path, text, _ := strings.Cut(rest, " ")
	return eventually(func() (bool, error) {
		raw, _ := os.ReadFile(path)
		return strings.Contains(string(raw), text), nil
	})
}

func copyFile(_ *host, rest string) error {
	from, to, _ := strings.Cut(rest, " ")
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
