package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

func none(string) bool { return false }

// A failure counts for the projects that it names until these load; one that names none counts for all.
func TestLoadsFollowWhatIsSaid(t *testing.T) {
	l := newLoads(spec.Loads{Failed: []string{`failed \[(?P<folders>.*)\] (?P<reason>.*)`, `no view: (?P<reason>.*)`},
		Loaded: []string{`loaded \[(?P<folders>.*)\]`}, Empty: []string{`empty \[(?P<folders>.*)\]`}})
	w := t.TempDir() // for /w in what follows
	for _, folder := range []string{"a b", "c/sub", "a"} {
		testkit.Must(t, os.MkdirAll(filepath.Join(w, folder), 0o755))
	}
	say := func(text string) {
		raw, _ := json.Marshal(map[string]any{"type": 1, "message": strings.ReplaceAll(text, "/w", w)})
		l.message(raw)
	}
	want := func(when, root, reason string) {
		t.Helper()
		testkit.Equal(t, l.about(strings.ReplaceAll(root, "/w", w), none), reason, when, root)
	}
	l.message(json.RawMessage(`{"message": 1}`))
	want("at first", "/w", "")
	say("failed [/w/a b/... /w/c/...] broken")
	want("failed", "/w/a b", "broken")
	want("failed", "/w/c/sub", "broken")
	want("failed", "/w", "broken")
	want("failed", "/w/other", "")
	say("loaded [/w/a b/...]")
	want("one loaded", "/w/a b", "")
	want("one loaded", "/w/c", "broken")
	say("empty [/w/c/...]")
	want("empty", "/w/c", "")
	if have := l.without(w); len(have) != 1 || have[0] != w+"/c" || !l.any() {
		t.Errorf("empty: %v", have)
	}
	say("loaded [/w/c/...]")
	if len(l.without(w)) > 0 || l.any() {
		t.Error("it is not over")
	}
	long := strings.Repeat("missing go.sum entry for a module\n", 2000)
	say(long + "failed [/w/a/...] " + "broken")
	want("behind a long text", "/w/a", "broken")
	say("failed [/w/a/...] " + strings.TrimSpace(strings.ReplaceAll(long, "\n", " ")))
	if have := l.about(w+"/a", none); len(have) == 0 || len(have) > maxLoadReason {
		t.Errorf("a reason of %d bytes", len(have))
	}
	testkit.Must(t, os.RemoveAll(filepath.Join(w, "a")))
	want("of a folder that is gone", "/w", "")
	say("no view: no go")
	want("without folders", "/anything", "no go")
}

// A status tells that a build has errors, and that it has none any more; what a message said in words is not lost
// by it.
func TestLoadsFollowTheStatus(t *testing.T) {
	l := newLoads(spec.Loads{Failed: []string{`no import: (?P<reason>.*)`}, Broken: []string{`"WARNING"`},
		Whole: []string{`"OK"`}})
	status := func(word string) { l.status(json.RawMessage(`{"type":"ProjectStatus","message":"` + word + `"}`)) }
	status("WARNING")
	testkit.Equal(t, l.about("/w", none), buildBroken)
	status("OK")
	testkit.Equal(t, l.about("/w", none), "")
	l.message(json.RawMessage(`{"message":"no import: no such plugin"}`))
	status("WARNING")
	status("OK")
	testkit.Equal(t, l.about("/w", none), "no such plugin")
}

func TestHealthIsTakenApart(t *testing.T) {
	parts := healthParts([]spec.HealthPart{{Begins: `load failed`, About: spec.ComplaintLoad},
		{Begins: `check failed`, About: spec.ComplaintCheck}})
	all := takeApart(parts, "odd words\n\nload failed: a\n\nCaused by:\n  bcheck failed: c\n")
	for what, want := range map[spec.Complaint]string{spec.ComplaintHealth: "odd words",
		spec.ComplaintLoad: "load failed: a\n\nCaused by:\n  b", spec.ComplaintCheck: "check failed: c"} {
		testkit.Equal(t, about(all, what), want, what)
	}
	if len(takeApart(parts, "")) > 0 {
		t.Error("something in nothing")
	}
}

func TestWithoutExcerpt(t *testing.T) {
	for said, want := range map[string]string{
		"string values must be quoted\n --> Cargo.toml:4:11\n  |\n4 | edition = \n  |           ^": "string values must be quoted --> Cargo.toml:4:11",
		"a | b\n  c": "a | b c",
		"":           "",
	} {
		testkit.Equal(t, WithoutExcerpt(said), want, said)
	}
}
