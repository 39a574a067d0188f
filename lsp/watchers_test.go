package lsp

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

func TestWatchers(t *testing.T) {
	for _, c := range []struct {
		watchers string
		path     string
		want     bool
	}{
		{`{"globPattern":"**/*.go"}`, "/w/a/b.go", true},
		{`{"globPattern":"**/*.go"}`, "/b.go", true},
		{`{"globPattern":"**/*.go"}`, "/w/b.gox", false},
		{`{"globPattern":"*.go"}`, "/w/a/b.go", true}, // relative patterns speak of any place
		{`{"globPattern":"**/{go.mod,go.sum}"}`, "/w/go.sum", true},
		{`{"globPattern":"/w/**/*.go"}`, "/w/a/b.go", true},
		{`{"globPattern":"/w/**/*.go"}`, "/v/a/b.go", false},
		{`{"globPattern":"**/[ab].go"}`, "/w/a.go", true},
		{`{"globPattern":"**/[!ab].go"}`, "/w/a.go", false},
		{`{"globPattern":"src/**"}`, "/w/src/x/y", true},
		{`{"globPattern":{"baseUri":"file:///w","pattern":"**/*.rs"}}`, "/w/a.rs", true},
		{`{"globPattern":{"baseUri":"file:///w","pattern":"**/*.rs"}}`, "/wide/a.rs", false},
		{`{"globPattern":{"baseUri":"file:///w/","pattern":"*.rs"}}`, "/w/sub/a.rs", false},
		{`{"globPattern":{"baseUri":"file:///w%20x/%40y","pattern":"*"}}`, "/w x/@y/a", true},
		{`{"globPattern":{"baseUri":{"uri":"file:///w","name":"w"},"pattern":"a/*"}}`, "/w/a/b", true},
		{`{"globPattern":{"baseUri":{"uri":"file:///w","name":"w"},"pattern":"a/*"}}`, "/w/..a/b", false},
		{`{"globPattern":{"baseUri":"untitled:x","pattern":"**"}}`, "/x", false},
		{`{"globPattern":{"pattern":"**"}}`, "/x", false},
		{`{"globPattern":{"baseUri":"file:///w"}}`, "/w", false},
		{`{"globPattern":"["}`, "/w/[", false},
		{`{"globPattern":""}`, "/", false},
		{`{"globPattern":7}`, "/w/7", false},
		// one that cannot be read costs itself
		{`{"globPattern":"**/*.go","kind":"all"},{"globPattern":"**/*.md"}`, "/w/a.md", true},
	} {
		list := parseWatchers(raw(`{"watchers":[` + c.watchers + `]}`))
		got := false
		for _, w := range list {
			got = got || w.matches(c.path)
		}
		testkit.Equal(t, got, c.want, c.watchers, "on", c.path)
	}
	for _, bad := range []string{``, `null`, `7`, `{"watchers":7}`, `{}`} {
		if list := parseWatchers(raw(bad)); len(list) != 0 {
			t.Errorf("%q: %v", bad, list)
		}
	}
}

func TestWatchKinds(t *testing.T) {
	for kind, want := range map[string]string{
		`1`: "created", `2`: "changed", `4`: "deleted", `5`: "created deleted", `7`: "created changed deleted",
		`0`: "created changed deleted", `null`: "created changed deleted",
	} {
		got := ""
		for _, w := range parseWatchers(raw(`{"watchers":[{"globPattern":"**","kind":` + kind + `}]}`)) {
			for _, k := range []watch.Kind{watch.Created, watch.Changed, watch.Deleted} {
				if w.kind&kindBit(k) != 0 {
					got += fmt.Sprint(" ", k)
				}
			}
		}
		testkit.Equal(t, got, " "+want, "kind", kind, want)
	}
}

// What is told: files of the languages, of the row, of the server's own registrations by their kinds; nothing else.
func TestRelevantChanges(t *testing.T) {
	s := silent(&spec.Spec{ID: "fake", Languages: []spec.Language{{ID: "go", Extensions: []string{"go"}}},
		Freshness: spec.Freshness{Globs: []string{"go.*", "*.cfg"}, RestartOn: []string{"restart.me"}}})
	testkit.Must(t, s.requests.register(raw(`{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":
		{"watchers":[{"globPattern":"**/*.new","kind":1},{"globPattern":{"baseUri":"file:///w","pattern":"*.any"}}]}}]}`)))
	changes := []watch.Change{
		{Path: "/w/a.go", Kind: watch.Changed}, {Path: "/w/go.mod", Kind: watch.Deleted},
		{Path: "/w/a.cfg", Kind: watch.Created},
		{Path: "/w/restart.me", Kind: watch.Changed}, {Path: "/w/README.md", Kind: watch.Changed},
		{Path: "/w/1.new", Kind: watch.Created}, {Path: "/w/2.new", Kind: watch.Changed},
		{Path: "/w/3.new", Kind: watch.Deleted},
		{Path: "/w/x.any", Kind: watch.Deleted}, {Path: "/v/x.any", Kind: watch.Deleted},
	}
	got := ""
	for _, c := range s.relevant(changes) {
		got += " " + c.Path
	}
	testkit.Equal(t, got, " /w/a.go /w/go.mod /w/a.cfg /w/restart.me /w/1.new /w/x.any")
	if changes[1].Path != "/w/go.mod" || changes[9].Path != "/v/x.any" {
		t.Error("the list that came was changed")
	}
}
