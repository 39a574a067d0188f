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

// CompilerReader is the adapter of a server that leaves something of an edit to the compiler.
type CompilerReader interface {
	// OnlyCompiler is [OnlyCompiler] for it.
	OnlyCompiler(ctx context.Context, changes []SourceChange) []CompilerLine
}

// EditReader is the adapter of a server that does not read all sources that an edit may break.
type EditReader interface {
	// ExcludedUsers is [ExcludedUsers] for it.
	ExcludedUsers(ctx context.Context, texts map[string]string) (found []Uncovered, names []string)
	// ExportedChanges is [ExportedChanges] for it.
	ExportedChanges(texts map[string]string) (names []string, all bool)
}

// LocalReader is the adapter of a server that tells of all files, and of some alone ([Diagnostics.FirstOfTexts]).
type LocalReader interface {
	// StaysLocal reports whether nobody outside of a file's package can notice an edit of the file, from one text
	// to another. beside are the files of the package besides tests, where an error may show.
	StaysLocal(path, before, after string) (beside []string, ok bool)
}

// StaysLocal is [LocalReader] for an edit of several files; ok is false where the server does not tell, or a file
// is new.
func StaysLocal(s *Server, before, after Texts) (beside []string, ok bool) {
	a, ok := s.Adapter().(LocalReader)
	if !ok || len(before) < len(after) {
		return nil, false
	}
	for path, text := range after {
		others, ok := a.StaysLocal(path, before[path].Content(), text.Content())
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
	if a, ok := s.Adapter().(CompilerReader); ok {
		for _, line := range a.OnlyCompiler(ctx, changes) {
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
	if a, ok := s.Adapter().(EditReader); ok {
		return a.ExcludedUsers(ctx, texts)
	}
	return nil, nil
}

// ExportedChanges are the names by which sources of other projects may notice that files get new texts, sorted;
// texts are by path. all is true where a source may notice that holds none of them, and where nobody knows.
func ExportedChanges(s *Server, texts map[string]string) (names []string, all bool) {
	if a, ok := s.Adapter().(EditReader); ok {
		return a.ExportedChanges(texts)
	}
	return nil, true
}
