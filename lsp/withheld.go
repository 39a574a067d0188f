package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/disk"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/source"
)

// Withheld is the code of the project of s, in a workspace that is not trusted, which it does not run and without which an
// answer to method may lack something; nil when there is none. It looks at the files as they were at the last sync.
func Withheld(s *Server, method string) (out []spec.ProjectRun) {
	sp := s.spec
	if len(sp.Untrusted) == 0 || sp.Code == nil {
		return nil
	}
	for _, run := range sp.Code.Runs {
		if slices.Contains(run.Methods, method) && hasCode(s, run) &&
			!slices.ContainsFunc(out, func(o spec.ProjectRun) bool { return o.Loss == run.Loss }) {
			out = append(out, run)
		}
	}
	return out
}

// hasCode reports whether the project has code of this kind. Files that git ignores count in the root only.
func hasCode(s *Server, run spec.ProjectRun) bool {
	for _, name := range run.Files {
		if run.In(filepath.Join(s.root, filepath.FromSlash(name))) {
			return true
		}
	}
	if run.Absent && !slices.ContainsFunc(run.Files, func(name string) bool {
		_, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name)))
		return err == nil
	}) {
		return true
	}
	return s.code.has(s, run)
}

// codeSeen remembers which code the tree of a server holds, until a file changes that decides about it.
type codeSeen struct {
	mu      sync.Mutex
	known   map[string]seenCode // by [spec.ProjectRun.key]; guarded by mu
	changes int                 // calls of changed with a change; guarded by mu
}

type seenCode struct {
	run spec.ProjectRun
	has bool
}

// has reports whether the tree of s holds code of a kind.
func (c *codeSeen) has(s *Server, run spec.ProjectRun) bool {
	c.mu.Lock()
	seen, known := c.known[run.Key()]
	changes := c.changes
	c.mu.Unlock()
	if known {
		return seen.has
	}
	seen = seenCode{run, treeHolds(run, s)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]seenCode{}
	}
	if c.changes == changes {
		c.known[run.Key()] = seen
	}
	return seen.has
}

// changed forgets what the changes that a sync saw may decide otherwise.
func (c *codeSeen) changed(changes []watch.Change) {
	if len(changes) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	maps.DeleteFunc(c.known, func(_ string, seen seenCode) bool {
		return slices.ContainsFunc(changes, func(one watch.Change) bool { return seen.run.Matches(filepath.ToSlash(one.Path)) })
	})
}

func treeHolds(r spec.ProjectRun, s *Server) bool {
	for file := range s.journal.Files() {
		rel, in := source.RelativeTo(s.root, file)
		if in && r.Matches(filepath.ToSlash(rel)) && r.In(file) {
			return true
		}
	}
	return false
}

// holdsAny reports whether the project of s holds one of these texts, as [hasCode] looks for it.
func holdsAny(s *Server, texts []spec.ProjectText) bool {
	return slices.ContainsFunc(texts, func(t spec.ProjectText) bool {
		return hasCode(s, spec.ProjectRun{Files: []string{t.File}, Text: t.Text})
	})
}

// Unmatched is the first file of the project in which a word stands on more lines than lines says for it, which are those
// that the server knows; "" when there is none. Only files that the server serves count.
func Unmatched(s *Server, word string, lines map[string]map[int]bool) string {
	for file := range s.journal.Files() {
		if _, in := source.RelativeTo(s.root, file); !in || s.spec.LanguageID(baseName(file)) == "" {
			continue
		}
		text, err := s.texts.Load(file, s.reach)
		if err != nil {
			return file
		}
		if onOtherLine(text, word, lines[file]) {
			return file
		}
	}
	return ""
}

func onOtherLine(text *source.Text, word string, known map[int]bool) bool {
	if !source.HasWord(text.Content(), word) {
		return false
	}
	for n := 1; n <= text.Lines(); n++ {
		if !known[n] && source.HasWord(text.Line(n), word) {
			return true
		}
	}
	return false
}

// Fetches are what the server may fetch because of a file. The file is read as it is on disk.
func Fetches(s *Server, path string) (out []spec.ProjectFetch) {
	for _, f := range spec.Fetches(s.spec) {
		if makesFetch(f, s, path) {
			out = append(out, f)
		}
	}
	return out
}

func makesFetch(f spec.ProjectFetch, s *Server, path string) bool {
	in := func(name string) bool { return disk.Exists(filepath.Join(s.root, name)) }
	if f.Extensions != nil && !slices.Contains(f.Extensions, strings.TrimPrefix(filepath.Ext(path), ".")) ||
		f.Beside != "" && !in(f.Beside) || slices.ContainsFunc(f.Unless, in) || s.spec.LanguageID(baseName(path)) == "" {
		return false
	}
	if f.Texts == nil {
		return true
	}
	text, err := s.texts.Load(path, s.reach)
	return err == nil && slices.ContainsFunc(f.Texts, func(t string) bool { return strings.Contains(text.Content(), t) })
}
