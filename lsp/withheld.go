package lsp

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lspi/lsp/watch"
	"lspi/source"
)

// Withheld is the code of the project of s, in a workspace that is not trusted, which it does not run and without which an
// answer to method may lack something; nil when there is none. It looks at the files as they were at the last sync.
func Withheld(s *Server, method string) (out []ProjectRun) {
	spec := s.spec
	if len(spec.Untrusted) == 0 || spec.Code == nil {
		return nil
	}
	for _, run := range spec.Code.Runs {
		if slices.Contains(run.Methods, method) && hasCode(s, run) &&
			!slices.ContainsFunc(out, func(o ProjectRun) bool { return o.Loss == run.Loss }) {
			out = append(out, run)
		}
	}
	return out
}

// hasCode reports whether the project has code of this kind. Files that git ignores count in the root only.
func hasCode(s *Server, run ProjectRun) bool {
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
	known   map[string]seenCode // by [ProjectRun.key]; guarded by mu
	changes int                 // calls of changed with a change; guarded by mu
}

type seenCode struct {
	run ProjectRun
	has bool
}

// has reports whether the tree of s holds code of a kind.
func (c *codeSeen) has(s *Server, run ProjectRun) bool {
	c.mu.Lock()
	seen, known := c.known[run.key()]
	changes := c.changes
	c.mu.Unlock()
	if known {
		return seen.has
	}
	seen = seenCode{run, run.inTree(s)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]seenCode{}
	}
	if c.changes == changes {
		c.known[run.key()] = seen
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
		return slices.ContainsFunc(changes, func(one watch.Change) bool { return seen.run.at(filepath.ToSlash(one.Path)) })
	})
}

func (r ProjectRun) key() string { return strings.Join(r.Files, "\x00") + "\x00\x00" + r.Text }

func (r ProjectRun) inTree(s *Server) bool {
	for file := range s.journal.Files() {
		rel, in := source.RelativeTo(s.root, file)
		if in && r.at(filepath.ToSlash(rel)) && r.In(file) {
			return true
		}
	}
	return false
}

// holdsAny reports whether the project of s holds one of these texts, as [hasCode] looks for it.
func holdsAny(s *Server, texts []ProjectText) bool {
	return slices.ContainsFunc(texts, func(t ProjectText) bool {
		return hasCode(s, ProjectRun{Files: []string{t.File}, Text: t.Text})
	})
}

// at reports whether a path below a workspace is one of Files, in whatever folder.
func (r ProjectRun) at(rel string) bool {
	return slices.ContainsFunc(r.Files, func(glob string) bool {
		for tail, more := rel, true; more; _, tail, more = strings.Cut(tail, "/") {
			if ok, _ := path.Match(glob, tail); ok {
				return true
			}
		}
		return false
	})
}

// maxManifest bounds what is read of a file that may show code, in bytes.
const maxManifest = 4 << 20

// In reports whether what is at path is such code: a folder, or a regular file that holds the text of r. A file that cannot be read
// counts as such, because nobody can tell.
func (r ProjectRun) In(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil && info.IsDir() && r.Text == ""
	}
	if r.Text == "" {
		return true
	}
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return true
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxManifest))
	return err != nil || bytes.Contains(content, []byte(r.Text))
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
func Fetches(s *Server, path string) (out []ProjectFetch) {
	for _, f := range fetches(s.spec) {
		if f.by(s, path) {
			out = append(out, f)
		}
	}
	return out
}

// FetchedBy is what a server may fetch because of files of its workspace, for people; nil when that is not trusted.
func FetchedBy(spec *Spec) (out []string) {
	for _, f := range fetches(spec) {
		out = append(out, f.What)
	}
	return out
}

func fetches(spec *Spec) []ProjectFetch {
	if spec.Code == nil || len(spec.Untrusted) > 0 {
		return nil
	}
	return spec.Code.Fetches
}

func (f ProjectFetch) by(s *Server, path string) bool {
	in := func(name string) bool { return Exists(filepath.Join(s.root, name)) }
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
