package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// hears gives the readiness what a scripted server would send.
func (r *readiness) hears(actions ...lsptest.Action) {
	for _, a := range actions {
		switch a.Notify.Method {
		case "$/progress":
			r.progress(a.Notify.Params)
		case "experimental/serverStatus":
			r.serverStatus(a.Notify.Params)
		default:
			r.message()
		}
	}
}

func status(health string, quiescent bool, words string) lsptest.Action {
	return lsptest.Action{Notify: message("experimental/serverStatus",
		map[string]any{"health": health, "quiescent": quiescent, "message": words})}
}

func TestReadinessBySign(t *testing.T) {
	type step struct {
		heard lsptest.Action
		ready bool
	}
	other := lsptest.Action{Notify: message("server/ready", nil)}
	for _, c := range []struct {
		name    string
		rule    spec.Readiness
		before  bool // anything was heard
		known   bool
		steps   []step
		reloads uint64
	}{
		{"none", spec.Readiness{}, true, false, []step{
			{progress("t", "begin", "Any"), false}, {progress("t", "end", ""), true}, // perhaps about a request
		}, 0},
		{"waits", spec.Readiness{Sign: spec.SignWaits}, true, true, []step{
			{progress("t", "begin", "Any"), false}, {progress("t", "end", ""), true},
		}, 0},
		{"waits, named", spec.Readiness{Sign: spec.SignWaits, Tokens: []string{"Load"}}, true, true, []step{
			{progress("t", "begin", "Any"), true}, {progress(1, "begin", "Load"), false},
			{progress("t", "end", ""), false},
			{progress(1, "end", ""), true},
		}, 1},
		{"progress by title, integer token, never latched",
			spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Index"}}, false, true, []step{
				{progress(7, "begin", "Else"), false}, {progress(7, "end", ""), false}, // not the sign
				{progress(7, "begin", "Index"), false}, {progress(7, "end", ""), true},
				{progress(8, "begin", "Index"), false}, {progress(9, "begin", "Index"), false},
				{progress(8, "end", ""), false},
				{progress(9, "end", ""), true},
			}, 1},
		{"progress by token", spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"tok", "5"}}, false, true,
			[]step{
				{progress("tok", "end", ""), false}, // what never began
				{progress("tok", "begin", "x"), false}, {progress("tok", "end", ""), true},
				{progress(5, "begin", "y"), false}, {progress("5", "end", ""), false}, {progress(5, "end", ""), true},
			}, 1},
		{"progress, and it waits before the first", spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Set up"},
			Waits: true}, true, true, []step{
			{progress("t", "begin", "Set up"), false}, {progress("t", "end", ""), true},
		}, 1},
		{"any progress", spec.Readiness{Sign: spec.SignProgress}, false, true, []step{
			{progress("t", "begin", "x"), false}, {progress("t", "report", "", "percentage", 3), false},
			{progress("t", "end", ""), true},
		}, 0},
		{"server status", spec.Readiness{Sign: spec.SignServerStatus}, false, true, []step{
			{progress("t", "begin", "x"), false}, {progress("t", "end", ""), false},
			{status("ok", false, ""), false}, {status("ok", true, ""), true}, {progress("t", "begin", "x"), true},
			{status("ok", false, ""), false}, {status("warning", true, "no rust-src"), true},
		}, 1},
		{"message", spec.Readiness{Sign: spec.SignMessage, Tokens: []string{"server/ready"}}, false, true, []step{
			{progress("t", "begin", "x"), false}, {other, true}, {progress("t", "end", ""), true},
		}, 0},
		{"message that nobody named", spec.Readiness{Sign: spec.SignMessage}, false, true, []step{{other, true}}, 0},
	} {
		r := newReadiness(c.rule)
		if st := r.status(); st.Ready != c.before || st.Known != c.known || st.Evidence == "" {
			t.Errorf("%s: at first %+v", c.name, st)
		}
		for i, s := range c.steps {
			r.hears(s.heard)
			if st := r.status(); st.Ready != s.ready {
				t.Errorf("%s: after step %d: %+v", c.name, i, st)
			}
		}
		testkit.Equal(t, r.status().Generation, c.reloads, c.name, "generation")
	}
}

func TestReadinessTellsOfTheWork(t *testing.T) {
	r := newReadiness(spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Index"}})
	want := func(percent int, message string) {
		t.Helper()
		if st := r.status(); st.Percent != percent || st.Message != message {
			t.Errorf("%d %q, want %d %q", st.Percent, st.Message, percent, message)
		}
	}
	want(-1, "")
	r.hears(progress("o", "begin", "Else", "percentage", 50))
	want(50, "Else") // explains the wait
	r.hears(progress("i", "begin", "Index"))
	want(-1, "Index")
	r.hears(progress("i", "report", "", "message", "a.c", "percentage", 12.5))
	want(12, "Index: a.c")
	r.hears(progress("i", "report", "", "percentage", 400)) // the message still holds
	want(12, "Index: a.c")
	for n := range 50 { // of several the first
		r.hears(progress(n, "begin", "Index", "percentage", n))
	}
	for range 5 {
		want(12, "Index: a.c")
	}
	r.progress(raw(`{"token":"i","value":{"kind":"end","message":7}}`)) // a wrong type costs one field
	want(0, "Index")
	r.progress(raw(`nonsense`))
	r.progress(raw(`{"token":"i","value":[1,2]}`)) // a partial result
	for n := range 1000 {
		r.hears(progress(fmt.Sprint("never", n), "begin", "Else"))
	}
	if len(r.other) > maxOther {
		t.Errorf("%d pieces of work are kept", len(r.other))
	}
}

func TestReadinessWaived(t *testing.T) {
	r := newReadiness(spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Index"}})
	r.waive(true)
	if st := r.status(); !st.Ready || st.Evidence != "the server has no project to index" {
		t.Errorf("%+v", st)
	}
	r.hears(progress("t", "begin", "Index")) // it found something after all
	if r.status().Ready {
		t.Error("ready while it works")
	}
	r.waive(false)
	r.hears(progress("t", "end", ""))
	if st := r.status(); !st.Ready || st.Evidence != "work done progress ended" {
		t.Errorf("%+v", st)
	}
}

func TestReadinessWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReadiness(spec.Readiness{Sign: spec.SignServerStatus})
		began := time.Now()
		if st := r.wait(t.Context(), 3*time.Second, nil, nil); st.Ready || time.Since(began) != 3*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), st)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if st := r.wait(ctx, time.Hour, nil, nil); st.Ready || ctx.Err() == nil {
			t.Errorf("%+v", st)
		}
		gone := make(chan struct{})
		close(gone)
		if st := r.wait(t.Context(), time.Hour, gone, nil); st.Ready {
			t.Errorf("%+v", st)
		}
		var reports []string
		var group sync.WaitGroup
		group.Go(func() {
			st := r.wait(t.Context(), time.Hour, nil, func(st Status) { reports = append(reports, st.Message) })
			if !st.Ready {
				t.Errorf("%+v", st)
			}
		})
		for _, heard := range []lsptest.Action{progress(1, "begin", "Roots"), progress(1, "end", ""),
			status("ok", true, "")} {
			synctest.Wait()
			r.hears(heard)
		}
		group.Wait()
		testkit.Equal(t, fmt.Sprint(reports), "[ Roots ]", "reports", reports)
		if st := r.wait(t.Context(), 0, nil, nil); !st.Ready {
			t.Errorf("no budget, but ready: %+v", st)
		}
	})
}

func TestStatusWarning(t *testing.T) {
	for _, c := range []struct {
		st   Status
		want contract.WarningKind
	}{
		{Status{Ready: true, Known: true, Percent: -1}, ""},
		{Status{Ready: true, Percent: -1}, contract.WarnNoReadinessSign},
		{Status{Known: true, Percent: 40, Message: "Index"}, contract.WarnIndexing},
		{Status{Percent: -1}, contract.WarnIndexing},
		{Status{Ready: true, Known: true, Health: "warning", HealthNote: "no sysroot\nmore"},
			contract.WarnServerUnhealthy},
		{Status{Ready: true, Known: true, Health: "ok"}, ""},
	} {
		w, ok := c.st.Warning("fake")
		if ok != (c.want != "") || w.Kind != c.want {
			t.Errorf("%+v: %v", c.st, w)
		}
		if _, has := w.Facts["percent"]; has != (c.st.Percent >= 0 && w.Kind == contract.WarnIndexing) {
			t.Errorf("%+v: facts %v", c.st, w.Facts)
		}
	}
}

// The sign that is a notification goes by its name, and by a part of its parameters when there is one.
func TestSignMessage(t *testing.T) {
	for _, c := range []struct {
		tokens         []string
		method, params string
		want           bool
	}{
		{[]string{"language/status", "ServiceReady"}, "language/status", `{"type":"Starting"}`, false},
		{[]string{"language/status", "ServiceReady"}, "language/status", `{"type":"ServiceReady"}`, true},
		{[]string{"language/status", "ServiceReady"}, "language/other", `{"type":"ServiceReady"}`, false},
		{[]string{"indexed"}, "indexed", ``, true},
		{nil, "", ``, false},
	} {
		s := silent(&spec.Spec{ID: "fake", Readiness: spec.Readiness{Sign: spec.SignMessage, Tokens: c.tokens}})
		s.requests.hear(c.method, json.RawMessage(c.params))
		testkit.Equal(t, s.Status().Ready, c.want, c.tokens, "after", c.method, c.params)
	}
}

// A server that will tell that it loads anew is not ready before, but not for ever when it has nothing to tell.
func TestReadinessExpectsAWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = 2 * time.Second
		r := newReadiness(spec.Readiness{Sign: spec.SignServerStatus, Announces: patience})
		r.hears(status("ok", true, ""))
		before := r.status().Generation
		r.expect(patience)
		if st := r.status(); st.Ready || st.Generation == before {
			t.Errorf("%+v", st)
		}
		began := time.Now()
		if st := r.wait(t.Context(), time.Minute, nil, nil); !st.Ready || time.Since(began) != patience {
			t.Errorf("in vain: %+v after %v", st, time.Since(began))
		}
		r.expect(patience)
		began = time.Now()
		var said sync.WaitGroup
		said.Go(func() {
			time.Sleep(100 * time.Millisecond)
			r.hears(status("ok", false, ""))
			time.Sleep(200 * time.Millisecond)
			r.hears(status("ok", true, ""))
		})
		if st := r.wait(t.Context(), time.Minute, nil, nil); !st.Ready || time.Since(began) != 300*time.Millisecond {
			t.Errorf("told: %+v after %v", st, time.Since(began))
		}
		said.Wait()
	})
}
