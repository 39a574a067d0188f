package session

import (
	"fmt"
	"testing"

	"lspi/tools/recall"
)

// Sessions with the same folders share one store, others do not, and a process keeps few of them.
func TestTranscriptsAreSharedByFolder(t *testing.T) {
	p := &Process{}
	of := func(name string) *recall.Store { return p.Transcripts(recall.Folders{Codex: "/" + name}) }
	first := of("a")
	if of("a") != first || of("b") == first {
		t.Error("stores are not shared by their folders")
	}
	for i := range maxStores - 2 {
		of(fmt.Sprint(i))
	}
	if of("a") != first {
		t.Error("a store that is used is forgotten")
	}
	for i := range maxStores {
		of(fmt.Sprint("more", i))
	}
	if of("a") == first || len(p.transcripts.stores) != maxStores {
		t.Errorf("%d stores are kept", len(p.transcripts.stores))
	}
}
