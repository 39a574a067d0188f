//go:build unix

package lsp

import (
	"context"
	"testing"
	"time"

	"lspi/contract"
)

// What waits for lspi itself, and not for a request, names no method: there is no limit of a method to be raised.
func TestInterruptedNamesNoMethod(t *testing.T) {
	f := newFake(t, words(), "a.w", sample)
	s := f.start()
	release, err := s.docs.Lock(t.Context())
	f.must(err)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = s.docs.OpenDocument(ctx, f.path("a.w"))
	if kindOf(err) != contract.KindRequestTimeout {
		t.Fatal(err)
	}
	if got := facts(t, err); got["method"] != nil || got["activity"] == nil || got["server_id"] != s.spec.ID {
		t.Errorf("the facts of %v: %v", err, got)
	}
}
