package gopls

import (
	"context"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// touched are the names by which sources that the server does not read may break through an edit of one file. gopls
// reports errors for the sources of one build only (0.23.0), so that for the others lspi itself compares what the
// file declares before and after.
type touched struct {
	// declarations, members too, that the edit changes for others or removes; all methods of an interface that changes
	Changed map[string]bool
	Added   map[string]bool // declarations of the package that are new: another source of it may declare the same
	// every source that can use the file may notice: its package or its build changes, or what a type embeds
	All bool
}

// excludedUsers is [lsp.EditHooks].ExcludedUsers.
func (a *Process) excludedUsers(ctx context.Context, texts map[string]string) (found []lsp.Uncovered,
	names []string) {
	for path, content := range texts {
		// go.mod and other files declare no names; what they change is told by the server.
		if !isSource(path) {
			continue
		}
		// A file that is not there has declared nothing: all of its names are new.
		before := ""
		if text, err := source.Read(path); err == nil {
			before = text.Content()
		}
		t := touchedBy(before, content)
		dir := filepath.Dir(path)
		of := a.excluded(ctx, path, func(other string, m *lang.Mentions) bool {
			// A file that the same edit changes is judged by its new text, not by what it mentions on disk.
			return texts[other] == "" && t.mayBreak(m, filepath.Dir(other) == dir)
		})
		names = slices.AppendSeq(names, maps.Keys(t.Changed))
		// Any exported name does: the question is only which sources import the package of the file. A name that is
		// not exported was sorted out by its folder in mayBreak.
		found = append(found, a.mayUse(ctx, of, "X", lsp.Place{Path: path})...) // a name of any kind
	}
	// texts is a map, so the sources come in any order, and several files may have led to the same one.
	slices.SortFunc(found, func(a, b lsp.Uncovered) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(names)
	return slices.Compact(found), slices.Compact(names)
}

// exportedChanges is [lsp.EditHooks].ExportedChanges.
func (a *Process) exportedChanges(texts map[string]string) (names []string, all bool) {
	for path, content := range texts {
		text, err := source.Read(path)
		if err != nil || !isSource(path) { // nobody uses yet what a new file declares
			continue
		}
		t := touchedBy(text.Content(), content)
		all = all || t.All
		for name := range t.Changed {
			// Only these can be used by another module.
			if token.IsExported(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), all
}

// staysLocal is [lsp.EditHooks].StaysLocal.
func (a *Process) staysLocal(path, before, after string) (beside []string, ok bool) {
	test := strings.HasSuffix(path, "_test.go")
	t, was, is := touchedBy(before, after), golang.DeclarationsOf(before), golang.DeclarationsOf(after)
	member := func(name string) bool { return strings.Contains(name, ".") } // it may come to types of others
	switch {
	case !isSource(path) || t.All || len(t.Changed) > 0 ||
		slices.ContainsFunc(slices.Collect(maps.Keys(t.Added)), member):
		return nil, false
	case !slices.Equal(was.Imports, is.Imports) || was.Broken:
		return nil, false
	case test && len(t.Added) > 0: // another file may have the name
		return nil, false
	// Calls of these in other packages are checked as those of fmt.Printf, when their bodies pass the arguments on.
	case !maps.Equal(was.Variadic, is.Variadic):
		return nil, false
	}
	for _, base := range golang.FilesIn(filepath.Dir(path)) {
		if test || !strings.HasSuffix(base, "_test.go") { // of tests Witnesses has those that count
			beside = append(beside, filepath.Join(filepath.Dir(path), base))
		}
	}
	return beside, true
}

// mayBreak reports whether a source may notice; beside tells that it is of the same folder.
func (t touched) mayBreak(m *lang.Mentions, beside bool) bool {
	// Nothing narrows it down: with another package name, or other embedded fields, names may be reached that the
	// edit does not mention.
	if t.All {
		return true
	}
	for name := range t.Changed {
		// Another folder is another package, which sees exported names only.
		if m.Words[name] && (beside || token.IsExported(name)) {
			return true
		}
	}
	for name := range t.Added {
		// Two declarations of one name in a package do not compile together.
		if beside && m.Declared[name] {
			return true
		}
	}
	return false
}

// touched compares what two texts of a Go source declare, bodies of functions and comments aside.
func touchedBy(before, after string) touched {
	t := touched{Changed: map[string]bool{}, Added: map[string]bool{}}
	old, now := golang.DeclarationsOf(before), golang.DeclarationsOf(after)
	// For a new file both differ without anybody noticing: nobody uses it yet.
	t.All = before != "" && (old.Package != now.Package || buildLines(before) != buildLines(after))
	for name, was := range old.Text {
		is, there := now.Text[name]
		if there && is == was {
			continue
		}
		// Members are named with their type ("T.Name"), and are used by their own name.
		t.Changed[golang.Bare(name)] = true
		// The methods and fields of an embedded type come with it, under names that this file does not mention.
		t.All = t.All || old.Embedded[name] != now.Embedded[name]
		// who has one of them may have implemented the interface
		for _, method := range slices.Concat(old.Methods[name], now.Methods[name]) {
			t.Changed[method] = true
		}
	}
	for name := range now.Text {
		if _, there := old.Text[name]; !there {
			t.Added[name] = true
		}
	}
	return t
}

// buildLines are the constraints of a Go source.
func buildLines(text string) (out string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//go:build ") || strings.HasPrefix(line, "// +build ") {
			out += strings.TrimSpace(line) + "\n"
		}
	}
	return out
}
