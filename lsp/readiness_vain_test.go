package lsp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// A sign that did not come while nothing at all was heard is not waited for in full again, until the server says
// something.
func TestASignThatCameInVainIsNotWaitedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReadiness(spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"index"}})
		begin := func(token string) lsptest.Action {
			return lsptest.Action{Notify: message("$/progress",
				map[string]any{"token": token, "value": map[string]any{"kind": "begin", "title": token}})}
		}
		took := func(budget time.Duration, ready bool) time.Duration {
			t.Helper()
			began := time.Now()
			if st := r.wait(context.Background(), budget, nil, nil); st.Ready != ready {
				t.Errorf("ready is %v", st.Ready)
			}
			return time.Since(began)
		}
		for i, want := range []time.Duration{3 * time.Second, 45 * time.Second, vainAgain, vainAgain} {
			if have := took(max(want, 3*time.Second), false); i < 2 && have != want || have > want {
				t.Errorf("wait %d took %v", i, have)
			}
		}
		r.hears(begin("something else")) // it works
		testkit.Equal(t, took(45*time.Second, false), 45*time.Second, "behind a word")
		testkit.Equal(t, took(45*time.Second, false), 45*time.Second, "while it says that it works")
	})
}
