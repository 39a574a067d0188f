//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// A soak of a few steps with a real server ends well.
func TestSoak(t *testing.T) {
	testkit.Need(t, "gopls")
	var out, errs bytes.Buffer
	args := []string{"-lspi", testkit.Program(t), "-server", "gopls", "-for", "1m", "-steps", "6", "-fresh", "5",
		"-seed", "3", "-work", t.TempDir()}
	if code := run(t.Context(), args, &out, &errs); code != 0 || !strings.Contains(out.String(), "6 steps") {
		t.Fatalf("exit %d\n%s\n%s", code, &out, &errs)
	}
}

// A few rounds of the edit loop end well.
func TestEditLoop(t *testing.T) {
	testkit.Need(t, "gopls")
	var out, errs bytes.Buffer
	args := []string{"-lspi", testkit.Program(t), "-server", "gopls", "-loop", "-steps", "6", "-seed", "5", "-work",
		t.TempDir()}
	if code := run(t.Context(), args, &out, &errs); code != 0 || !strings.Contains(out.String(), "6 steps") {
		t.Fatalf("exit %d\n%s\n%s", code, &out, &errs)
	}
}

// In the edit loop an answer has to tell what is on disk, also one that claims little.
func TestJudgeTold(t *testing.T) {
	state := newTree()
	state.page("a.go").put("func f() {\n").wrong().put("undefined()\n}\n").done()
	for want, raw := range map[verdict]string{
		right:  `{"ok":true,"completeness":"complete","files":[{"file_path":"a.go","diagnostics":[{"line":2}]}]}`,
		honest: `{"ok":true,"completeness":"unknown","files":[{"file_path":"a.go","diagnostics":[{"line":2}]}]}`,
		wrong:  `{"ok":true,"completeness":"complete","files":[]}`,
		late:   `{"ok":true,"completeness":"partial","files":[]}`,
	} {
		a := answer{raw: json.RawMessage(raw)}
		testkit.Must(t, json.Unmarshal(a.raw, &a.Envelope))
		got, _ := judgeTold(diagnosticsOf("a.go"), a, state)
		testkit.Equal(t, got, want, raw)
	}
	a := answer{}
	testkit.Must(t, json.Unmarshal([]byte(`{"error":{"data":{"lspi_error":{"kind":"server_crashed"}}}}`), &a.Envelope))
	got, _ := judgeTold(diagnosticsOf("a.go"), a, state)
	testkit.Equal(t, got, late, "an error")
}

func TestRefusesItsCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-server", "none"}, {"more"}, {"-unknown"}} {
		testkit.Equal(t, run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}), 2, args, "exit")
	}
}

func TestJudge(t *testing.T) {
	state := newTree()
	state.page("a.go").put("func ").name("F1", defined, "").put("() { ").name("F1", used, "F1").put("() }\n").done()
	spaced := newTree()
	spaced.page("b c.go").put("func ").name("F1", defined, "").put("() {}\n").done()
	gone := newTree()
	q := search("F1")
	references := question{truth: func(t *tree) []string {
		if _, ok := t.definition("F1"); !ok {
			return nil
		}
		return marks(t.of("F1", everyRole...))
	}, read: func(raw json.RawMessage) ([]string, error) { return paged(raw, "references") }}
	for _, c := range []struct {
		name   string
		q      question
		answer string
		err    error
		states []*tree
		want   verdict
	}{
		{"true", q, `{"ok":true,"completeness":"complete","symbols":["a.go:1 function F1"]}`, nil, []*tree{state},
			right},
		{"true, and the path holds a space", q,
			`{"ok":true,"completeness":"complete","symbols":["b c.go:1 function F1: func() int"]}`, nil,
			[]*tree{spaced}, right},
		{"lacks one", q, `{"ok":true,"completeness":"complete","symbols":[]}`, nil, []*tree{state}, wrong},
		{"lacks one and says so", q, `{"ok":true,"completeness":"partial","symbols":[]}`, nil, []*tree{state}, honest},
		{"one too many", q, `{"ok":true,"completeness":"complete","symbols":["a.go:1 function F1"]}`, nil,
			[]*tree{gone}, wrong},
		{"all references", references,
			`{"ok":true,"completeness":"complete","files":[{"file_path":"a.go","references":["1:6 x","1:13 x"]}]}`,
			nil, []*tree{state}, right},
		{"another column", references,
			`{"ok":true,"completeness":"complete","files":[{"file_path":"a.go","references":["1:6 x","1:12 x"]}]}`,
			nil, []*tree{state}, wrong},
		{"not found, and there is none", references, `{"error":{"data":{"lspi_error":{"kind":"symbol_not_found"}}}}`,
			nil, []*tree{gone}, right},
		{"not found", references, `{"error":{"data":{"lspi_error":{"kind":"symbol_not_found"}}}}`, nil, []*tree{state},
			wrong},
		{"not found yet", references,
			`{"warnings":[{"kind":"indexing"}],"error":{"data":{"lspi_error":{"kind":"symbol_not_found"}}}}`, nil,
			[]*tree{state}, honest},
		{"crashed", references, `{"error":{"data":{"lspi_error":{"kind":"server_crashed"}}}}`, nil, []*tree{state},
			honest},
		{"of the state before", q, `{"ok":true,"completeness":"complete","symbols":[]}`, nil, []*tree{gone, state},
			right},
		{"of no state", q, `{"ok":true,"completeness":"complete","symbols":["a.go:7 function F1"]}`, nil,
			[]*tree{gone, state}, torn},
		{"hangs", q, `{}`, errHang, []*tree{state}, hung},
		{"cancelled", q, `{}`, errByUs, []*tree{state}, cancelled},
		{"breaks", q, `{}`, errors.New("the connection broke"), []*tree{state}, broken},
	} {
		a := answer{raw: json.RawMessage(c.answer), err: c.err}
		testkit.Must(t, json.Unmarshal(a.raw, &a.Envelope))
		if got, why := judge(c.q, a, c.states...); got != c.want {
			t.Errorf("%s: %v, want %v\n%s", c.name, got, c.want, why)
		}
	}
}

// Hosts that share one process are told what is true, too.
func TestSoakOfSeveralHosts(t *testing.T) {
	testkit.Need(t, "gopls")
	var out, errs bytes.Buffer
	args := []string{"-lspi", testkit.Program(t), "-server", "gopls", "-hosts", "3", "-for", "1m", "-steps", "6",
		"-fresh", "5", "-seed", "7", "-work", t.TempDir()}
	if code := run(t.Context(), args, &out, &errs); code != 0 || !strings.Contains(out.String(), "6 steps") {
		t.Fatalf("exit %d\n%s\n%s", code, &out, &errs)
	}
}
