package compare

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// rawServer is a language server with the simplest client that LSP allows. It is written for this comparison alone, so
// that a mistake of lspi's client cannot be on both sides.
type rawServer struct {
	name     string
	settings map[string]any
	cmd      *exec.Cmd
	encoding string // as the server chose it

	willRename bool // it tells what changes with the paths of files

	writing sync.Mutex
	stdin   io.WriteCloser

	mu      sync.Mutex
	next    int                          // guarded by mu
	waiting map[string]chan rawMessage   // by id; guarded by mu
	heard   map[string][]json.RawMessage // params of notifications by method; guarded by mu
	news    chan struct{}                // closed and replaced at every notification; guarded by mu
	ended   bool                         // guarded by mu
}

type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rawError       `json:"error"`
}

type rawError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rawError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// startRaw starts a server as lspi started its own: the same program and arguments, the params of initialize as lspi
// sent them, the same settings and environment.
func startRaw(t testing.TB, argv []string, dir string, initialize json.RawMessage, spec *spec.Spec) *rawServer {
	t.Helper()
	r := &rawServer{name: argv[0], settings: spec.Settings, cmd: exec.Command(argv[0], argv[1:]...),
		waiting: map[string]chan rawMessage{}, heard: map[string][]json.RawMessage{}, news: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env = dir, os.Environ()
	for name, value := range spec.Env {
		r.cmd.Env = append(r.cmd.Env, name+"="+value)
	}
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	testkit.Must(t, err)
	if os.Getenv("LSPI_TEST_LOG") != "" {
		r.cmd.Stderr = os.Stderr
	}
	testkit.Must(t, r.cmd.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		r.read(bufio.NewReaderSize(out, 1<<16))
	}()
	t.Cleanup(func() {
		_ = r.stdin.Close()
		_ = r.cmd.Process.Kill()
		<-read
		_ = r.cmd.Wait()
	})

	var answer struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
			Workspace        struct{ FileOperations map[string]json.RawMessage }
		} `json:"capabilities"`
	}
	if err := r.call("initialize", initialize, &answer); err != nil {
		t.Fatalf("initialize at %s: %v", r.name, err)
	}
	r.encoding = answer.Capabilities.PositionEncoding
	r.willRename = answer.Capabilities.Workspace.FileOperations["willRename"] != nil
	r.notify("initialized", json.RawMessage("{}"))
	if len(spec.Settings) > 0 {
		r.notify("workspace/didChangeConfiguration", map[string]any{"settings": spec.Settings})
	}
	return r
}

func (r *rawServer) read(in *bufio.Reader) {
	for {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				r.end()
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				fmt.Sscan(v, &length)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			r.end()
			return
		}
		var m rawMessage
		if json.Unmarshal(body, &m) == nil {
			r.take(m)
		}
	}
}

func (r *rawServer) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for _, w := range r.waiting {
		close(w)
	}
	r.waiting = nil
	close(r.news)
	r.news = make(chan struct{})
}

func (r *rawServer) take(m rawMessage) {
	switch {
	case m.Method != "" && m.ID != nil:
		r.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": r.answer(m)})
	case m.Method != "":
		r.mu.Lock()
		r.heard[m.Method] = append(r.heard[m.Method], m.Params)
		close(r.news)
		r.news = make(chan struct{})
		r.mu.Unlock()
	default:
		r.mu.Lock()
		w := r.waiting[string(m.ID)]
		delete(r.waiting, string(m.ID))
		r.mu.Unlock()
		if w != nil {
			w <- m
		}
	}
}

// answer answers the server's requests: settings by section, and null to all others, which is a valid answer for them.
func (r *rawServer) answer(m rawMessage) any {
	if m.Method != "workspace/configuration" {
		return nil
	}
	var p struct {
		Items []struct{ Section string } `json:"items"`
	}
	_ = json.Unmarshal(m.Params, &p)
	out := make([]any, len(p.Items))
	for i, item := range p.Items {
		out[i] = r.settings[item.Section]
	}
	return out
}

func (r *rawServer) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_, _ = fmt.Fprintf(r.stdin, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (r *rawServer) notify(method string, params any) {
	r.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// askLimit is how long one question may take, before the comparison gives up.
const askLimit = 3 * time.Minute

// call asks and decodes the answer. A *rawError is the server's own refusal. Content modified (-32801) means that the
// question has to be asked again.
func (r *rawServer) call(method string, params, result any) error {
	deadline := time.After(askLimit)
	for {
		m, err := r.once(method, params, deadline)
		switch {
		case err != nil:
			return err
		case m.Error != nil && m.Error.Code == -32801:
			continue
		case m.Error != nil:
			return m.Error
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (r *rawServer) once(method string, params any, deadline <-chan time.Time) (rawMessage, error) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return rawMessage{}, fmt.Errorf("%s has ended", r.name)
	}
	r.next++
	id := r.next
	w := make(chan rawMessage, 1)
	r.waiting[fmt.Sprint(id)] = w
	r.mu.Unlock()
	r.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	select {
	case m, ok := <-w:
		if !ok {
			return m, fmt.Errorf("%s ended without an answer to %s", r.name, method)
		}
		return m, nil
	case <-deadline:
		return rawMessage{}, fmt.Errorf("%s: no answer to %s", r.name, method)
	}
}

// await waits until a notification that was heard, now or earlier, satisfies ok.
func (r *rawServer) await(t testing.TB, method string, ok func(params json.RawMessage) bool) {
	t.Helper()
	deadline := time.After(askLimit)
	seen := 0
	for {
		r.mu.Lock()
		all, news, ended := r.heard[method], r.news, r.ended
		r.mu.Unlock()
		for ; seen < len(all); seen++ {
			if ok(all[seen]) {
				return
			}
		}
		if ended {
			t.Fatalf("%s ended before %s", r.name, method)
		}
		select {
		case <-news:
		case <-deadline:
			t.Fatalf("%s: the %s that was waited for did not come; heard %d", r.name, method, seen)
		}
	}
}
