//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
)

// reply is an envelope as a host gets it.
type reply struct {
	testkit.Envelope
	Total  int
	Counts struct{ Error int }
	Files  []struct {
		FilePath   string `json:"file_path"`
		References []string
	}
	PreviewID string `json:"preview_id"`
	Servers   []serverStatus
	Sharing   sharing

	text string // the text block
	raw  []byte
	took time.Duration
}

// sharing is what get_server_status says about the shared process.
type sharing struct {
	Shared bool
	PID    int
	Reason string
}

type serverStatus struct {
	ServerID  string `json:"server_id"`
	State     string
	PID       int
	Restarts  int
	Watch     string
	LastError *struct{ Kind, Message string } `json:"last_error"`
}

func parse(t testing.TB, raw []byte, text string, took time.Duration) *reply {
	t.Helper()
	a := &reply{raw: raw, text: text, took: took}
	if err := json.Unmarshal(raw, a); err != nil {
		t.Fatalf("%v\n%.2000s", err, raw)
	}
	if a.OK != (a.Error == nil) {
		t.Fatalf("ok and error contradict each other: %.2000s", raw)
	}
	return a
}

// shape returns what a host reads from the envelope alone: completeness or the reason of an error, then the warnings.
func (a *reply) shape() string {
	shape := a.Reason()
	if a.OK {
		shape = a.Completeness
	}
	return strings.Join(append([]string{shape}, a.Kinds()...), " + ")
}

// loaded asks repeatedly while the answer says that the server is still loading the project: on a busy machine that may
// take longer than one call.
func loaded(ask func() *reply) (a *reply) {
	_ = testkit.Eventually(testkit.Patience, func() bool {
		a = ask()
		return !slices.Contains(a.Kinds(), "indexing")
	})
	return a
}

// places are its references as "path:line:column", sorted.
func (a *reply) places() []string {
	var out []string
	for _, f := range a.Files {
		for _, r := range f.References {
			at, _, _ := strings.Cut(r, " ")
			out = append(out, f.FilePath+":"+at)
		}
	}
	slices.Sort(out)
	return out
}

// lies says how an answer that claims to be complete differs from the truth, and "" when it does not claim that or is
// right.
func (a *reply) lies(truth []string) string {
	if !a.OK || a.Completeness == "partial" || a.Completeness == "unknown" {
		return ""
	}
	return difference(a.places(), truth)
}

// wrong says why an answer is not the whole truth.
func (a *reply) wrong(truth []string) string {
	switch {
	case !a.OK:
		return a.Reason() + ": " + a.Error.Message
	case !a.whole():
		return fmt.Sprintf("%s, %s", a.shape(), difference(a.places(), truth))
	}
	return difference(a.places(), truth)
}

// whole reports whether an answer is complete, but for the file that the project leaves out until its own file is
// changed: a server that tells which files it leaves out has that one named.
func (a *reply) whole() bool {
	if a.Completeness == "complete" {
		return true
	}
	lacks := 0
	for _, w := range a.Warnings {
		switch {
		case w.Kind == "unexplained" && len(w.Files) == 1 && slices.Contains(leftOut, w.Files[0]):
			lacks++
		case contract.WarningKind(w.Kind).Effect() != contract.Complete:
			return false
		}
	}
	return a.Completeness == "partial" && lacks == 1
}

// leftOut are those files: a module that nobody names, and a source that imports what no path leads to.
var leftOut = []string{"src/extra/mod.rs", "extra/extra.ts"}

func difference(have, want []string) string {
	var parts []string
	for _, d := range []struct {
		name       string
		from, than []string
	}{{"lacks", want, have}, {"has too many", have, want}} {
		var odd []string
		for _, p := range d.from {
			if !slices.Contains(d.than, p) {
				odd = append(odd, p)
			}
		}
		if len(odd) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d: %s", d.name, len(odd), strings.Join(odd[:min(len(odd), 3)], " ")))
		}
	}
	if len(parts) == 0 && len(have) != len(want) {
		parts = append(parts, fmt.Sprintf("%d places and not %d", len(have), len(want)))
	}
	return strings.Join(parts, ", ")
}

// question asks for every reference of the symbol of a project.
func (p *project) question() map[string]any {
	return map[string]any{"file_path": p.home, "symbol_name": symbol, "max_results": 5000, "include_snippet": false,
		"max_total_chars": 400_000}
}
