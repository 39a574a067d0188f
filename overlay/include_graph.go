package overlay

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// includeGraph is which files of C include which, all by base names: where an include is looked for only the compiler knows.
type includeGraph map[string][]string

// add takes down what a text includes.
func (g includeGraph) add(text *source.Text) {
	name := filepath.Base(text.Path)
	for _, included := range lang.Includes(text.Content()) {
		if !slices.Contains(g[name], included) {
			g[name] = append(g[name], included)
		}
	}
}

// reached are the files that a file includes, over others too.
func (g includeGraph) reached(path string) map[string]bool {
	out := map[string]bool{}
	for next := slices.Clone(g[filepath.Base(path)]); len(next) > 0; next = next[1:] {
		if !out[next[0]] {
			out[next[0]] = true
			next = append(next, g[next[0]]...)
		}
	}
	return out
}

// included reports whether any file includes this one.
func (g includeGraph) included(path string) bool {
	for _, names := range g {
		if slices.Contains(names, filepath.Base(path)) {
			return true
		}
	}
	return false
}

// MaySee are those of files that may see what is in the changed ones.
func MaySee(s *lsp.Snapshot, files, changed []string) []string {
	graph := includeGraph{}
	for _, path := range append(filesOf(s, nil), changed...) {
		if text, err := s.Load(path); err == nil {
			graph.add(text)
		}
	}
	return slices.Collect(maps.Keys(graph.includers(files, changed, s.Spec())))
}

// includers are those of files that may see what is in the changed ones, with what each of them includes. A header that no include
// names may be seen by all: a flag of the compiler or a macro may name it.
func (g includeGraph) includers(files, changed []string, spec *lsp.Spec) map[string]map[string]bool {
	reached, out := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, path := range files {
		reached[path] = g.reached(path)
	}
	for _, one := range changed {
		found := false
		for path, names := range reached {
			if names[filepath.Base(one)] {
				found, out[path] = true, names
			}
		}
		if !found && !neverIncluded(spec, one) {
			return reached
		}
	}
	return out
}

// brought are the files that one text includes and another does not.
func brought(before, after *source.Text) []string {
	was, now := includeGraph{}, includeGraph{}
	was.add(before)
	now.add(after)
	had := slices.Concat(slices.Collect(maps.Values(was))...)
	return slices.DeleteFunc(slices.Concat(slices.Collect(maps.Values(now))...), func(name string) bool { return slices.Contains(had, name) })
}

// keepsSources reports whether the server's language has files that no other file includes, and others that are compiled with those that
// include them.
func keepsSources(spec *lsp.Spec) bool { return spec.Scopes != nil && len(spec.Scopes.Sources) > 0 }

// neverIncluded reports whether no other file is expected to include this one.
func neverIncluded(spec *lsp.Spec, path string) bool {
	return keepsSources(spec) && slices.Contains(spec.Scopes.Sources, strings.TrimPrefix(cmp.Or(filepath.Ext(path), "."), "."))
}

// bodiesShow reports whether the bodies in a file are compiled with the files that include it, so that an error in one shows there
// though nothing else of it changes: templates, constant expressions, macros.
func bodiesShow(spec *lsp.Spec, path string) bool {
	return keepsSources(spec) && !neverIncluded(spec, path)
}
