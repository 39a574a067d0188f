package overlay

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// Which sources depend on a file that their server sees on disk alone.
func TestDiskDependents(t *testing.T) {
	dir := testkit.Project(t, testkit.Pairs("tsconfig.json", `{"extends": "./base.json"}`, "base.json", "{}",
		"package.json", `{"name": "mine"}`,
		"a.ts", "import data from './data.json'\n", "b.ts", "import { a } from './a'\n", "c.ts", "import 'mine'\n",
		"other/d.ts", "import x from './fresh'\n",
		"node_modules/p/e.ts", "import '../../a'\n"))
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n'./", r) })
	}
	script := &spec.Spec{
		Languages: []spec.Language{{ID: "typescript", Extensions: []string{"ts"}}}, SkipDirs: []string{"node_modules"},
		Freshness: spec.Freshness{Globs: []string{"tsconfig.json"}}, Packages: &spec.Packages{Manifest: "package.json"},
		Diagnostics: spec.Diagnostics{FilesOnDisk: true, DataFiles: []string{"*.json"}, Imports: words,
			Global: func(_, text string) bool { return strings.Contains(text, "declare global") }},
	}
	all := []string{"tsconfig.json", "base.json", "package.json", "data.json", "a.ts", "b.ts", "c.ts", "other/d.ts",
		"node_modules/p/e.ts"}
	everywhere := []string{"a.ts", "b.ts", "c.ts", "other/d.ts"}
	for _, c := range []struct {
		name, path, text string
		fresh            bool
		by               Dependence
		files            []string
	}{
		{"a project file", "tsconfig.json", "{}", false, DependsOnProject, everywhere},
		{"one that it extends", "base.json", "{}", false, DependsOnProject, everywhere},
		{"the manifest of a package", "package.json", `{"name": "mine"}`, false, DependsOnProject, everywhere},
		{"data, and who imports its readers", "data.json", "{}", false, DependsOnData, []string{"a.ts", "b.ts"}},
		{"a new source", "other/fresh.ts", "export {}", true, DependsOnNew, []string{"other/d.ts"}},
		{"a new global source", "other/global.ts", "declare global {}", true, DependsOnNew, everywhere},
		{"a source that is there", "a.ts", "x", false, DependsNot, nil},
		{"none of its files", "README.md", "x", true, DependsNot, nil},
	} {
		path := filepath.Join(dir, c.path)
		var paths []string
		for _, one := range all {
			paths = append(paths, filepath.Join(dir, one))
		}
		got := FindDiskDependents(script, dir, paths, map[string]string{path: c.text},
			DiskChange{Path: path, New: c.fresh, After: c.text},
			func(string) string { return dir })
		for i := range got.Files {
			rel, _ := filepath.Rel(dir, got.Files[i])
			got.Files[i] = filepath.ToSlash(rel)
		}
		slices.Sort(got.Files)
		testkit.Diff(t, got, DiskDependents{By: c.by, Files: c.files}, c.name)
	}
}
