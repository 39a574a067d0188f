package adapter

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// unclosedTexts remembers where files have a text that is never closed ([spec.Spec.Unclosed]).
type unclosedTexts struct {
	mu    sync.Mutex
	known map[string]unclosedText // guarded by mu
}

// unclosedText is what a file has of it, as it was when it was read.
type unclosedText struct {
	changed time.Time
	size    int64
	line    int // 0 when all is closed
}

// Unclosed are those of files in which a text begins that is never closed, each with the line where it begins. Where ctx ends before every
// one was looked at, the next call goes on where this one stopped.
func Unclosed(ctx context.Context, s *lsp.Server, files []string) (out []Uncovered) {
	if !s.Spec().Unclosed {
		return nil
	}
	for _, path := range files {
		if ctx.Err() != nil {
			return Because(UnclosedText, nil, false)
		}
		find := lang.ByID(s.Spec().LanguageID(filepath.Base(path))).Unclosed
		if find == nil {
			continue
		}
		if line := of(s).unclosed.in(path, find); line > 0 {
			out = append(out, Uncovered{path, line, UnclosedText})
		}
	}
	if a, ok := s.Adapter().(SourceReader); ok {
		return a.DropNeverBuilt(ctx, out)
	}
	return out
}

// in is the line of a file where a text begins that is never closed; 0 when there is none.
func (u *unclosedTexts) in(path string, find func(text string) int) int {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	u.mu.Lock()
	have, ok := u.known[path]
	u.mu.Unlock()
	if ok && have.changed.Equal(info.ModTime()) && have.size == info.Size() {
		return have.line
	}
	have = unclosedText{changed: info.ModTime(), size: info.Size()}
	if text, err := source.Read(path); err == nil {
		if at := find(text.Content()); at >= 0 {
			have.line = text.LineOf(at) + 1
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known == nil {
		u.known = map[string]unclosedText{}
	}
	u.known[path] = have
	return have.line
}

// ErrorBehind reports whether a server finds an error in a file, from a line on. One that does not tell before ctx ends counts as
// finding one.
func ErrorBehind(ctx context.Context, s *lsp.Server, path string, line int) bool {
	d := &lsp.Diagnosis{}
	if err := s.Diagnostics().Add(ctx, []string{path}, d); err != nil || !slices.ContainsFunc(d.Reports, func(r lsp.Report) bool { return r.Path == path }) {
		return true
	}
	return slices.ContainsFunc(d.Reports, func(r lsp.Report) bool {
		return r.Path == path && slices.ContainsFunc(r.Findings, func(f lsp.Finding) bool { return f.Severity == "error" && f.Range.End.Line >= line })
	})
}
