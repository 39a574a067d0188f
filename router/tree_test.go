package router

import (
	"path"
	"slices"
	"strings"
	"testing"

	"lspi/lsp/servers"
)

// tree is a file system in a map from absolute path to text.
type tree map[string]string

func (t tree) Has(dir, glob string) bool {
	pattern := strings.Split(glob, "/")
	for file := range t {
		rest, ok := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/")
		elements := strings.Split(rest, "/")
		if !ok || len(elements) < len(pattern) {
			continue
		}
		hit := true
		for i, p := range pattern {
			match, _ := path.Match(p, elements[i])
			hit = hit && match
		}
		if hit {
			return true
		}
	}
	return false
}

func (t tree) Names(dir, element string) (out []string) {
	for file := range t {
		rest, ok := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/")
		name, _, _ := strings.Cut(rest, "/")
		if hit, _ := path.Match(element, name); ok && hit && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (t tree) Read(path string) []byte {
	if text, ok := t[path]; ok {
		return []byte(text)
	}
	return nil
}

// files is a tree of empty files.
func files(paths ...string) tree {
	t := tree{}
	for _, p := range paths {
		t[p] = ""
	}
	return t
}

// with adds a file with text.
func (t tree) with(path, text string) tree {
	t[path] = text
	return t
}

// table is the catalogue over the workspace /w.
func table(t *testing.T, more ...string) *Table {
	t.Helper()
	return &Table{Workspace: "/w", Roots: more, Specs: servers.Servers()}
}
