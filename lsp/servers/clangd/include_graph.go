package clangd

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// sourceExtensions are those of the files that a compilation database lists and that no other file includes.
var sourceExtensions = []string{"c", "cc", "cpp", "cxx", "c++", "m", "mm", "cu"}

// isSource is [lsp.IncludeHooks].IsSource.
func isSource(path string) bool {
	return slices.Contains(sourceExtensions, strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")))
}

// maySee is [lsp.IncludeHooks].MaySee. A header that no include names may be seen by all: a flag of the compiler
// or a macro may name it.
func (a *Process) maySee(texts []*source.Text, files, changed []string) (out []lsp.Includer) {
	graph := includeGraph{}
	for _, text := range texts {
		graph.add(text)
	}
	for path, reached := range graph.includers(files, changed, isSource) {
		out = append(out, lsp.Includer{Path: path, Reached: reached, Included: graph.included(path)})
	}
	return out
}

// brings is [lsp.IncludeHooks].Brings.
func brings(before, after *source.Text) []string {
	had := lang.Includes(before.Content())
	return slices.DeleteFunc(lang.Includes(after.Content()), func(name string) bool {
		return slices.Contains(had, name)
	})
}

// isInclude is [lsp.IncludeHooks].IsInclude.
func isInclude(line string) bool { return line == "#pragma once" || lang.HasInclude(line) }

// includeGraph is which files include which, all by base names: where an include is looked for only the compiler knows.
// By base names two headers of one name are one: too many files may then see a change, never too few.
type includeGraph map[string][]string

// add takes down what a text includes.
func (g includeGraph) add(text *source.Text) { g.take(text, lang.Includes(text.Content())) }

// addAlways takes down what a text includes under no condition.
func (g includeGraph) addAlways(text *source.Text) { g.take(text, lang.AlwaysIncludes(text.Content())) }

func (g includeGraph) take(text *source.Text, names []string) {
	name := filepath.Base(text.Path)
	for _, included := range names {
		if !slices.Contains(g[name], included) {
			g[name] = append(g[name], included)
		}
	}
}

// reached are the files that a file includes, over others too.
func (g includeGraph) reached(path string) map[string]bool {
	out := map[string]bool{}
	for next := slices.Clone(g[filepath.Base(path)]); len(next) > 0; next = next[1:] {
		// Includes may form a ring (guards end it for the compiler); each name is followed once.
		if !out[next[0]] {
			out[next[0]] = true
			next = append(next, g[next[0]]...)
		}
	}
	return out
}

// included reports whether any file includes this one.
// One that no file includes is named by other means (a flag, a macro), so that nobody can say who sees it.
func (g includeGraph) included(path string) bool {
	for _, names := range g {
		if slices.Contains(names, filepath.Base(path)) {
			return true
		}
	}
	return false
}

// includers are those of files that may see what is in the changed ones, with what each of them includes; all of
// them where nothing includes a changed one that is no source.
func (g includeGraph) includers(files, changed []string, isSource func(path string) bool) map[string]map[string]bool {
	reached, out := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, path := range files {
		reached[path] = g.reached(path)
	}
	// What several changed files bring is joined; the names that a file reaches are the same for each of them.
	for _, one := range changed {
		found := false
		for path, names := range reached {
			if names[filepath.Base(one)] {
				found, out[path] = true, names
			}
		}
		// A source that nobody includes is seen by nobody else.
		if !found && !isSource(one) {
			return reached
		}
	}
	return out
}
