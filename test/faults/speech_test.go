//go:build linux

package faults

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

const groupSpeech = "What a server says and does not say"

// speech is a server that speaks wrongly when it is asked for references.
type speech struct {
	*fault
	actions []lsptest.Action
	nth     int // only at this question, from 1; 0 is every one
	// wants is the shape of the first answer, second that of the next.
	wants  string
	second string
	check  func(c *cell, events []lsptest.Event)
	waits  bool // for the limit of a request
}

const (
	complete  = "complete"
	restarted = "complete + server_restarted"
	timedOut  = "request_timeout"
)

func says(name string, wants string, actions ...lsptest.Action) speech {
	return speech{fault: &fault{group: groupSpeech, name: name, servers: []string{scripted}},
		actions: actions, nth: 1, wants: wants, second: complete, waits: wants == timedOut || wants == restarted}
}

// always makes a server speak so at every question; the second answer is then of the same shape.
func (s speech) always() speech {
	s.nth, s.second = 0, s.wants
	return s
}

func (s speech) then(check func(c *cell, events []lsptest.Event)) speech {
	s.check = check
	return s
}

func refuses(code int) lsptest.Action {
	return lsptest.Action{Error: &lsptest.Error{Code: code, Message: "no"}}
}

var (
	hang  = lsptest.Action{Hang: true}
	plain = lsptest.Action{Default: true}
)

func stdout(text string) lsptest.Action { return lsptest.Action{Stdout: text} }
func framed(text string) lsptest.Action { return lsptest.Action{Frame: text} }

// lengthy is an answer with a header of its own.
func lengthy(length int, body string) lsptest.Action {
	return stdout(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", length, body))
}

const noReferences = `{"jsonrpc":"2.0","id":${id},"result":[]}`

var speeches = []speech{
	says("100 MB on stderr", complete, lsptest.Action{StderrBytes: 100 << 20}),
	says("100,000 log messages", complete, lsptest.Action{LogMessages: 100_000}),
	says("an answer of 50 MB that is no list", "request_failed", lsptest.Action{ResultBytes: 50 << 20}),
	says("lines of garbage on stdout before the answer", complete,
		stdout("Starting the server…\nsegfault? \x00\x01\n\n{\"a\":\n")),
	says("half a header before the answer", complete, stdout("Content-Len")),
	says("half a header and then nothing", timedOut, stdout("Content-Length: 1"), hang),
	says("a length that is too small, and then nothing", timedOut, lengthy(9, noReferences), hang),
	says("a length that is too large, and then nothing", timedOut, lengthy(100, noReferences), hang),
	says("a length of 1 GB, and then nothing", restarted, lengthy(1<<30, noReferences), hang),
	says("half an answer, and its end", restarted, lengthy(5000, noReferences), lsptest.Action{Kill: "SIGKILL"}),
	says("an answer that is no JSON", "request_failed", framed(`{"jsonrpc":"2.0","id":${id},"result":[{]}`), hang),
	says("an answer of the wrong type", "request_failed", framed(`{"jsonrpc":"2.0","id":${id},"result":{"a":1}}`),
		hang),
	says("invalid UTF-8 in a message before the answer", complete,
		framed("{\"jsonrpc\":\"2.0\",\"method\":\"window/logMessage\",\"params\":{\"type\":3,\"message\":\"\xff\xfe\"}}")),
	says("a second answer to the same request", complete, plain, framed(noReferences)),
	says("an answer to nobody", complete, framed(`{"jsonrpc":"2.0","id":987654,"result":[]}`),
		framed(`{"jsonrpc":"2.0","id":"nobody","result":[]}`)),
	says("requests with id 0, with a string and without params", complete,
		framed(`{"jsonrpc":"2.0","id":0,"method":"workspace/configuration","params":{"items":[{"section":"a"}]}}`),
		framed(`{"jsonrpc":"2.0","id":"s","method":"workspace/workspaceFolders"}`),
		framed(`{"jsonrpc":"2.0","id":7,"method":"window/workDoneProgress/create"}`),
		framed(`{"jsonrpc":"2.0","id":8,"method":"no/such"}`)).then(answersAll),
	says("a slow answer", complete, lsptest.Action{DelayMS: 400}),
	says("no answer, once", timedOut, hang),
	says("content modified (-32801), once", complete, refuses(-32801)),
	says("server cancelled (-32802), once", complete, refuses(-32802)),
	says("request cancelled (-32800), once", complete, refuses(-32800)),
	says("content modified (-32801), always", timedOut, refuses(-32801)).always(),
	says("server cancelled (-32802), always", timedOut, refuses(-32802)).always(),
	says("request cancelled (-32800), always", timedOut, refuses(-32800)).always(),
	says("an error of its own", "request_failed", refuses(-32603)),
	says("the end of its stdout, and it lives on", restarted, lsptest.Action{CloseStdout: true}, hang),
	says("nothing, as it reads its stdin no more", restarted, lsptest.Action{StopReading: true}),
}

// requestTime is how long one request may take in these cells.
const requestTime = 2 * time.Second

// heapLimit is what lspi may keep of a flood.
const heapLimit = 32 << 20

// Whatever a server says, the host gets a right answer or an error, in time, and the next call is right.
func TestSpeech(t *testing.T) {
	for _, s := range speeches {
		t.Run(s.name, func(t *testing.T) {
			if s.waits {
				t.Parallel()
			}
			s.in(t, scripted, func(c *cell) {
				events := filepath.Join(testkit.TempDir(c), "events")
				script := &lsptest.Script{Language: "words", EventsFile: events, IgnoreEOF: true, Rules: []lsptest.Rule{
					{Method: "textDocument/references", Nth: s.nth, Run: s.run(), Actions: s.actions}}}
				limit := callTime
				if s.waits {
					limit = requestTime
				}
				session := wordsProject.open(c, options{script: script, spec: func(spec *spec.Spec) {
					spec.Timeouts.Request = limit
				}})
				before := heap()
				c.again()
				a := session.ask()
				c.measured()
				truth := session.truth()
				c.says("%s", a.shape())
				c.inTime(a, callTime)
				if a.shape() != s.wants {
					c.breaks("%s and not %s: %s", a.shape(), s.wants, a.raw[:min(len(a.raw), 1000)])
				}
				if lie := a.lies(truth); lie != "" {
					c.breaks("a lie: %s", lie)
				}
				if !a.OK && len(a.NextSteps) == 0 {
					c.breaks("no next step")
				}
				b := session.ask()
				if s.second != complete || !a.OK {
					c.says("next call: %s", b.shape())
				}
				if lie := b.lies(truth); lie != "" || b.shape() != s.second {
					c.breaks("the next call: %s %s", b.shape(), lie)
				}
				if grown := heap() - before; grown > heapLimit && !s.waits {
					c.breaks("%d MB are kept", grown>>20)
				}
				if s.check != nil {
					all, err := lsptest.ReadEvents(events)
					testkit.Must(c, err)
					s.check(c, all)
				}
			})
		})
	}
}

// run limits what happens once to the first process.
func (s speech) run() int { return s.nth }

// answersAll makes sure that every request of the server was answered.
func answersAll(c *cell, events []lsptest.Event) {
	var ids []string
	for _, e := range events {
		if e.Kind == lsptest.EventResponse {
			ids = append(ids, string(e.ID))
		}
	}
	for _, want := range []string{"0", `"s"`, "7", "8"} {
		if !slices.Contains(ids, want) {
			c.breaks("the request %s was not answered; %v were", want, ids)
		}
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
