package lsp

import (
	"context"
	"strings"
	"time"
)

// parses are the works by which a server shows that it parses a document ([spec.Readiness].Parses): when the last one that ended had begun,
// by title.
type parses map[string]time.Time

// parsePatience is how long the progress about a document is waited for where none has begun.
const parsePatience = 3 * time.Second

// note takes a work that ended; nil is none.
func (p *parses) note(w *work) {
	if w == nil {
		return
	}
	// That of a document that nobody waits for any more may be forgotten.
	if *p == nil || len(*p) > 2*maxOpenDocuments {
		*p = parses{}
	}
	(*p)[w.title] = w.began
}

// isParse reports whether work with this title is about one document.
func (r *readiness) isParse(title string) bool {
	before, after, ok := strings.Cut(r.rule.Parses, "%s")
	return ok && strings.HasPrefix(title, before) && strings.HasSuffix(title, after)
}

// awaitParse waits until a document of this base name, sent at a time, is parsed: a work about it began since and ended, and no other is under
// way, which may be about it as well. It is false when no such work begins within parsePatience, or ctx ends or gone is closed before.
func (r *readiness) awaitParse(ctx context.Context, base string, sent time.Time, gone <-chan struct{}) bool {
	title := strings.Replace(r.rule.Parses, "%s", base, 1)
	late := time.NewTimer(parsePatience)
	defer late.Stop()
	for {
		r.mu.Lock()
		under, ended, changed := false, r.parsed[title].After(sent), r.changed
		for _, w := range r.other {
			under = under || w.title == title
		}
		r.mu.Unlock()
		if ended && !under {
			return true
		}
		patience := late.C
		if under {
			patience = nil
		}
		select {
		case <-changed:
		case <-patience:
			return false
		case <-ctx.Done():
			return false
		case <-gone:
			return false
		}
	}
}
