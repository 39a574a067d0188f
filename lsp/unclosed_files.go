package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/watch"
)

// unclosedTexts remembers where files have a text that is never closed ([spec.Spec.Unclosed]). A file that the
// server's journal follows is looked at again only when a sync saw it change: a question may be about a thousand
// files.
type unclosedTexts struct {
	mu      sync.Mutex
	changes uint64         // how often syncs saw changes; guarded by mu
	known   map[string]int // file → the line where such a text begins, 0 when all is closed; guarded by mu
	whole   unclosedAnswer // the last one about files that the journal follows all; guarded by mu
}

// unclosedAnswer is what is known of files, as long as changes is that of [unclosedTexts].
type unclosedAnswer struct {
	files   []string
	changes uint64
	found   []Uncovered
}

// about is the answer about files when nothing changed since it was found. The same slice has the same files.
func (u *unclosedTexts) about(files []string) (found []Uncovered, changes uint64, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	w := u.whole
	same := len(files) > 0 && len(w.files) == len(files) && &w.files[0] == &files[0] && w.changes == u.changes
	return slices.Clone(w.found), u.changes, same
}

// changed forgets the files that a sync saw change.
func (u *unclosedTexts) changed(changes []watch.Change) {
	if len(changes) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.changes++
	for _, c := range changes {
		delete(u.known, c.Path)
	}
}

// Unclosed are those of files in which a text begins that is never closed, each with the line where it begins.
// Where ctx ends before every one was looked at, the next call goes on where this one stopped. Nobody may write to
// files afterwards.
func Unclosed(ctx context.Context, s *Server, files []string) (out []Uncovered) {
	if !s.Spec().Unclosed {
		return nil
	}
	u, followsAll := &s.tree.unclosed, true
	out, changes, known := u.about(files)
	if known {
		return builtOf(ctx, s, out)
	}
	out = nil
	for _, path := range files {
		if ctx.Err() != nil {
			return Because(UnclosedText, nil, false)
		}
		find := lang.ByID(s.Spec().LanguageID(filepath.Base(path))).Unclosed
		if find == nil {
			continue
		}
		_, followed := source.RelativeTo(s.Journal().Root(), path)
		followsAll = followsAll && followed
		if line := u.in(path, followed, find); line > 0 {
			out = append(out, Uncovered{path, line, UnclosedText})
		}
	}
	if followsAll {
		u.mu.Lock()
		u.whole = unclosedAnswer{files, changes, slices.Clone(out)}
		u.mu.Unlock()
	}
	return builtOf(ctx, s, out)
}

// builtOf are those of sources that the project may build.
func builtOf(ctx context.Context, s *Server, out []Uncovered) []Uncovered {
	if f := s.hooks.DropNeverBuilt; f != nil {
		return f(ctx, out)
	}
	return out
}

// in is the line of a file where a text begins that is never closed; 0 when there is none. followed says that
// changed is told of the file.
func (u *unclosedTexts) in(path string, followed bool, find func(text string) int) int {
	u.mu.Lock()
	line, ok := u.known[path]
	before := u.changes
	u.mu.Unlock()
	if ok {
		return line
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return 0
	}
	if text, err := source.Read(path); err == nil {
		if at := find(text.Content()); at >= 0 {
			line = text.LineOf(at) + 1
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	// A sync that came while the file was read may have been about it.
	if followed && u.changes == before {
		if u.known == nil {
			u.known = map[string]int{}
		}
		u.known[path] = line
	}
	return line
}

// ErrorBehind reports whether a server finds an error in a file, from a line on. One that does not tell before ctx
// ends counts as finding one.
func ErrorBehind(ctx context.Context, s *Server, path string, line int) bool {
	d := &Diagnosis{}
	if err := s.Diagnostics().Add(ctx, []string{path}, d); err != nil ||
		!slices.ContainsFunc(d.Reports, func(r Report) bool {
			return r.Path == path
		}) {
		return true
	}
	return slices.ContainsFunc(d.Reports, func(r Report) bool {
		return r.Path == path && slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Severity == "error" && f.Range.End.Line >= line
		})
	})
}
