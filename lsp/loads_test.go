package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A failure counts for the projects that it names until these load; one that names none counts for all.
func TestLoadsFollowWhatIsSaid(t *testing.T) {
	l := newLoads(Loads{Failed: []string{`failed \[(?P<folders>.*)\] (?P<reason>.*)`, `no view: (?P<reason>.*)`},
		Loaded: []string{`loaded \[(?P<folders>.*)\]`}, Empty: []string{`empty \[(?P<folders>.*)\]`}})
	say := func(text string) {
		raw, _ := json.Marshal(map[string]any{"type": 1, "message": text})
		l.message(raw)
	}
	want := func(when, root, reason string) {
		t.Helper()
		if have := l.about(root); have != reason {
			t.Errorf("%s, %s: %q", when, root, have)
		}
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
	if have := l.without("/w"); len(have) != 1 || have[0] != "/w/c" || !l.any() {
		t.Errorf("empty: %v", have)
	}
	say("loaded [/w/c/...]")
	if len(l.without("/w")) > 0 || l.any() {
		t.Error("it is not over")
	}
	long := strings.Repeat("missing go.sum entry for a module\n", 2000)
	say(long + "failed [/w/a/...] " + "broken")
	want("behind a long text", "/w/a", "broken")
	say("failed [/w/a/...] " + strings.TrimSpace(strings.ReplaceAll(long, "\n", " ")))
	if have := l.about("/w/a"); len(have) == 0 || len(have) > maxLoadReason {
		t.Errorf("a reason of %d bytes", len(have))
	}
	say("loaded [/w/a/...]")
	say("no view: no go")
	want("without folders", "/anything", "no go")
}

// What a server says of folders by their URIs counts for these, and no longer than until they load.
func TestLoadsByURI(t *testing.T) {
	l := newLoads(Loads{Failed: []string{`no view for (?P<uri>file:\S+): `}, Loaded: []string{`loaded \[(?P<folders>.*)\]`}})
	say := func(text string) {
		raw, _ := json.Marshal(map[string]any{"type": 1, "message": text})
		l.message(raw)
	}
	say("Error loading (expected 3, got 1)\nno view for file:///w/a%20b: no go\nin line 2\nno view for file:///w/c: no path\n")
	for root, want := range map[string]string{"/w/a b": "no view for file:///w/a%20b: no go\nin line 2", "/w/c/sub": "no view for file:///w/c: no path", "/w/good": ""} {
		if have := l.about(root); have != want {
			t.Errorf("%s: %q", root, have)
		}
	}
	say("loaded [/w/a b/... /w/c/...]")
	if l.any() {
		t.Errorf("they loaded: %v", l.failedBy)
	}
}

// No failure is forgotten, however many folders there are.
func TestLoadsOfManyFolders(t *testing.T) {
	l := newLoads(Loads{Failed: []string{`failed \[(?P<folders>.*)\] (?P<reason>.*)`}, Loaded: []string{`loaded \[(?P<folders>.*)\]`}})
	say := func(text string) {
		raw, _ := json.Marshal(map[string]any{"type": 1, "message": text})
		l.message(raw)
	}
	const parts, each = 11, 10_000
	folders := func(part int) string {
		var b strings.Builder
		for i := range each {
			fmt.Fprintf(&b, "/w/%d/%d/... ", part, i)
		}
		return "[" + b.String() + "]"
	}
	for part := range parts {
		say("failed " + folders(part) + " broken")
	}
	if have := l.about("/w/10/9999"); have != "broken" {
		t.Errorf("the last: %q", have)
	}
	for part := range parts {
		say("loaded " + folders(part))
	}
	if l.any() {
		t.Errorf("they loaded: %d", len(l.failedBy))
	}
}

func TestHealthIsTakenApart(t *testing.T) {
	parts := healthParts([]HealthPart{{Begins: `load failed`, About: ComplaintLoad}, {Begins: `check failed`, About: ComplaintCheck}})
	all := takeApart(parts, "odd words\n\nload failed: a\n\nCaused by:\n  bcheck failed: c\n")
	for what, want := range map[Complaint]string{ComplaintHealth: "odd words", ComplaintLoad: "load failed: a\n\nCaused by:\n  b", ComplaintCheck: "check failed: c"} {
		if have := about(all, what); have != want {
			t.Errorf("%v: %q", what, have)
		}
	}
	if len(takeApart(parts, "")) > 0 {
		t.Error("something in nothing")
	}
}
