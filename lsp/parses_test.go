//go:build unix

package lsp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// A server that takes other files as they were when a document was opened gets it opened again for each change of
// any file.
func TestOpenAnew(t *testing.T) {
	c := newSynced(t, watch.Auto, func(s *spec.Spec) {
		s.Freshness = spec.Freshness{Open: true, OpenAnew: true}
	}, "a.w", "def X\n", "b.w", "X\n")
	c.open("a.w")
	c.write("a.w", "def X X\n")
	c.want("Close a.w", `open a.w 2 "def X X\n"`)
	c.write("b.w", "X X\n")
	c.want(`open b.w 3 "X X\n"`)
	if _, err := c.s.docs.Open(t.Context(), c.path("a.w")); err != nil {
		t.Fatal(err)
	}
	c.want("Close a.w", `open a.w 4 "def X X\n"`)
	if _, err := c.s.docs.Open(t.Context(), c.path("a.w")); err != nil {
		t.Fatal(err)
	}
	c.want()
}

// The files of a project are opened before the first question, and once.
func TestOpenAll(t *testing.T) {
	c := newSynced(t, watch.Auto, func(s *spec.Spec) {
		s.Freshness.OpenAll = true
	}, "a.w", "def X\n", "b.w", "X\n", "c.md", "X\n")
	c.want(`open a.w 1 "def X\n"`, `open b.w 2 "X\n"`)
	c.want()
	c.write("d.w", "X\n")
	c.want("watched d.w:1")
}

// A push behind the text that was sent last tells that it is parsed, where the server pushes about each.
func TestPushTells(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		s := silent(&spec.Spec{ID: "fake", Freshness: spec.Freshness{Open: true, PushTells: true,
			ParsedBy: MethodDocumentSymbol}})
		soon := func() int {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return s.docs.AwaitParsed(ctx)
		}
		push := func() {
			s.requests.hear("textDocument/publishDiagnostics", []byte(`{"uri":"file:///w/a.w","diagnostics":[]}`))
		}
		push()
		time.Sleep(time.Second)
		s.docs.add(&document{path: "/w/a.w", version: 3, sent: time.Now()})
		s.docs.unparsed["/w/a.w"] = 3
		testkit.Equal(t, soon(), 1, "a push about the text before")
	})
}

// A message that names the document tells the same.
func TestAwaitOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReadiness(spec.Readiness{Opens: "Opened %s!"})
		r.logged(raw(`{"type":3,"message":"Opened /w/a.w!"}`))
		sent := time.Now()
		time.Sleep(time.Second)
		testkit.Equal(t, r.awaitParse(t.Context(), "/w/a.w", sent, nil), false, "it was about the text before")
		r.logged(raw(`{"type":3,"message":"Opened /w/b.w!"}`))
		testkit.Equal(t, r.awaitParse(t.Context(), "/w/a.w", sent, nil), false, "it was about another one")
		r.logged(raw(`{"type":3,"message":"Opened /w/a.w!"}`))
		testkit.Equal(t, r.awaitParse(t.Context(), "/w/a.w", sent, nil), true)
	})
}

// A document is parsed when a work about it that began since it was sent has ended, and none is under way.
func TestAwaitParse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReadiness(spec.Readiness{Parses: "Reading %s."})
		work := func(kind, token, title string) lsptest.Action {
			return lsptest.Action{Notify: message("$/progress",
				map[string]any{"token": token, "value": map[string]any{"kind": kind, "title": title}})}
		}
		soon := func(sent time.Time) bool {
			return r.awaitParse(t.Context(), "/w/a.w", sent, nil)
		}
		sent := time.Now()
		testkit.Equal(t, soon(sent), false, "nothing began")
		testkit.Equal(t, time.Since(sent), parsePatience)
		r.hears(work("begin", "1", "Reading a.w."))
		testkit.Equal(t, r.status().Ready, true, "reading a document is no loading")
		go func() {
			time.Sleep(time.Minute)
			r.hears(work("begin", "2", "Reading a.w."))
			r.hears(work("end", "1", ""))
			time.Sleep(time.Minute)
			r.hears(work("end", "2", ""))
		}()
		testkit.Equal(t, soon(sent), true, "the works ended")
		testkit.Equal(t, time.Since(sent), parsePatience+2*time.Minute)
		testkit.Equal(t, soon(time.Now()), false, "they began before this text was sent")
	})
}

// A sign that is not sure is waited for, and its answers are of unknown completeness.
func TestUnsureSign(t *testing.T) {
	r := newReadiness(spec.Readiness{Sign: spec.SignProgress, Unsure: true})
	testkit.Equal(t, r.status().Ready, false)
	r.hears(progress("1", "begin", "index"), progress("1", "end", ""))
	testkit.Equal(t, r.status().Ready, true)
	testkit.Equal(t, r.status().Known, false)
}
