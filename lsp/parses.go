package lsp

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// parses are the works and messages by which a server shows that it parses a document ([spec.Readiness].Parses and
// Opens): when the last one that ended had begun, by its words.
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

// logged takes a window/logMessage.
func (r *readiness) logged(params json.RawMessage) {
	if r.rule.Opens == "" {
		return
	}
	before, after, _ := strings.Cut(r.rule.Opens, "%s")
	var p struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(params, &p) == nil && (strings.HasPrefix(p.Message, before) &&
		strings.HasSuffix(p.Message, after) || p.Message == r.rule.Watches) {
		r.change(func() { r.parsed.note(&work{title: strings.Clone(p.Message), began: time.Now()}) })
	}
}

// parseWords are the title or the message that is about a document.
func (r *readiness) parseWords(path string) string {
	if r.rule.Opens != "" {
		return strings.Replace(r.rule.Opens, "%s", path, 1)
	}
	return strings.Replace(r.rule.Parses, "%s", baseName(path), 1)
}

// awaitParse waits until a document, sent at a time, is parsed: a work about it began since and ended, and no other
// is under way, which may be about it as well; or a message about it came. It is false when no such work begins
// within parsePatience, or ctx ends or gone is closed before.
func (r *readiness) awaitParse(ctx context.Context, path string, sent time.Time, gone <-chan struct{}) bool {
	return r.awaitWords(ctx, r.parseWords(path), sent, gone)
}

// awaitWords is awaitParse for a title or a message.
func (r *readiness) awaitWords(ctx context.Context, title string, sent time.Time, gone <-chan struct{}) bool {
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
