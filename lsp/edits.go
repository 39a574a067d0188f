package lsp

import (
	"context"
	"slices"
)

// SourceChange is the text of a source before and after an edit.
type SourceChange struct {
	From, Path    string // where it is before and after, absolute; "" where it is not there
	Before, After string
}

// CompilerLine is where an edit changes something that the server leaves to the compiler of the language or to
// another tool of the build: whether that breaks anything its diagnostics do not tell.
type CompilerLine struct {
	Path string
	Line int
	// what the edit changes, as the object of a sentence; "" for a new file that no build takes in, or not the server's
	What string
	By   string // the commands that tell whether it breaks anything
}

// StaysLocal is [EditHooks].StaysLocal for an edit of several files; ok is false where the server has no such hook, or
// a file is new.
func StaysLocal(s *Server, before, after Texts) (beside []string, ok bool) {
	local := s.hooks.StaysLocal
	if local == nil || len(before) < len(after) {
		return nil, false
	}
	for path, text := range after {
		others, ok := local(path, before[path].Content(), text.Content())
		if !ok {
			return nil, false
		}
		beside = append(beside, others...)
	}
	return slices.DeleteFunc(beside, func(path string) bool { return after[path] != nil }), true
}

// OnlyCompiler is what an edit changes that the server does not judge, the first line of each file; in the sources
// of other languages what Go sources use by cgo.
func OnlyCompiler(ctx context.Context, s *Server, changes []SourceChange) []CompilerLine {
	out := cgoUses(s, changes)
	if only := s.hooks.OnlyCompiler; only != nil {
		for _, line := range only(ctx, changes) {
			if !slices.ContainsFunc(out, func(have CompilerLine) bool { return have.Path == line.Path }) {
				out = append(out, line)
			}
		}
	}
	return out
}

// ExcludedUsers are the sources that the server does not read and that an edit may break, going by the names of
// what it changes, sorted; names are these. texts are the new texts by path.
func ExcludedUsers(ctx context.Context, s *Server, texts map[string]string) (found []Uncovered, names []string) {
	if f := s.hooks.ExcludedUsers; f != nil {
		return f(ctx, texts)
	}
	return nil, nil
}

// ExportedChanges are the names by which sources of other projects may notice that files get new texts, sorted;
// texts are by path. all is true where a source may notice that holds none of them, and where nobody knows.
func ExportedChanges(s *Server, texts map[string]string) (names []string, all bool) {
	if f := s.hooks.ExportedChanges; f != nil {
		return f(texts)
	}
	return nil, true
}
