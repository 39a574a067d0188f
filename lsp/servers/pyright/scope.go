// Package python reads the files by which the tools of Python know a project.
package pyright

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/bmatcuk/doublestar/v4"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// Scope is which sources of a folder pyright takes as those of the project, by its configuration: the files of include
// (all, without one) but for those of exclude. To these it adds excludes of its own, for dependencies and caches,
// and passes over virtual environments (configuration.md of pyright; 1.1.414, where they are added to the given
// excludes).
type Scope struct {
	include, exclude []string
}

// configFile holds the settings of a configuration file that matter here.
type configFile struct {
	Extends string    `json:"extends" toml:"extends"`
	Include *[]string `json:"include" toml:"include"`
	Exclude *[]string `json:"exclude" toml:"exclude"`
	// Of these it only matters whether they are set.
	ExtraPaths   any           `json:"extraPaths" toml:"extraPaths"`
	Environments []environment `json:"executionEnvironments" toml:"executionEnvironments"`
}

type environment struct {
	ExtraPaths any `json:"extraPaths" toml:"extraPaths"`
}

// maxExtends bounds the configurations that extend each other.
const maxExtends = 8

// ReadScope reads the configuration of a folder: pyrightconfig.json, else the first of tables below [tool] in
// pyproject.toml. Nil where neither leaves anything out by include or exclude, or nothing can be read.
func ReadScope(root string, tables []string) *Scope {
	scope := &Scope{}
	include, exclude := false, false
	for name, config := range configs(root, tables) {
		dir := filepath.Dir(filepath.Join(root, name))
		if config.Include != nil && !include {
			include = true
			scope.include = patterns(dir, *config.Include)
		}
		if config.Exclude != nil && !exclude {
			exclude = true
			scope.exclude = patterns(dir, *config.Exclude)
		}
	}
	if len(scope.include) == 0 && len(scope.exclude) == 0 {
		return nil
	}
	return scope
}

// NamesPaths reports whether the configuration of a folder sets extraPaths, for the project or a part of it: pyright
// takes these instead of those of its settings.
func NamesPaths(root string, tables []string) bool {
	for _, config := range configs(root, tables) {
		if config.ExtraPaths != nil || slices.ContainsFunc(config.Environments, func(e environment) bool {
			return e.ExtraPaths != nil
		}) {
			return true
		}
	}
	return false
}

// configs are the configuration of a folder and those that it extends, by their names from there.
func configs(root string, tables []string) iter.Seq2[string, *configFile] {
	return func(yield func(string, *configFile) bool) {
		name, config := "pyrightconfig.json", (*configFile)(nil)
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			config = readConfig(filepath.Join(root, name), nil)
		} else {
			name = "pyproject.toml"
			config = readConfig(filepath.Join(root, name), tables)
		}
		for range maxExtends {
			if config == nil || !yield(name, config) || config.Extends == "" || filepath.IsAbs(config.Extends) {
				return
			}
			name = filepath.Join(filepath.Dir(name), filepath.FromSlash(config.Extends))
			config = readConfig(filepath.Join(root, name), tables)
		}
	}
}

// readConfig reads one file, of TOML when its name says so. Nil when there is none, or it holds no configuration.
func readConfig(file string, tables []string) *configFile {
	text, err := source.ReadBytes(file)
	if err != nil {
		return nil
	}
	if filepath.Ext(file) != ".toml" {
		out := &configFile{}
		if lang.DecodeJSON(text, out) != nil {
			return nil
		}
		return out
	}
	var project struct{ Tool map[string]toml.Primitive }
	meta, err := lang.DecodeTOML(string(text), &project)
	if err != nil {
		return nil
	}
	for _, table := range tables {
		if raw, ok := project.Tool[table]; ok {
			out := &configFile{}
			if meta.PrimitiveDecode(raw, out) != nil {
				return nil
			}
			return out
		}
	}
	return nil
}

// patterns are the entries relative to a folder, as globs of files, and of folders with all that is in them; pyright
// ignores absolute ones. ** stands for any folders, * and ? for characters of one name.
func patterns(dir string, entries []string) (out []string) {
	plain := strings.NewReplacer(`[`, `\[`, `{`, `\{`, `\`, `\\`)
	for _, entry := range entries {
		if !path.IsAbs(filepath.ToSlash(entry)) && !filepath.IsAbs(entry) {
			out = append(out, plain.Replace(path.Join(filepath.ToSlash(dir), filepath.ToSlash(entry)))+"{,/**}")
		}
	}
	return out
}

// LeavesOut reports whether pyright leaves a source out because of include or exclude.
func (s *Scope) LeavesOut(file string) bool {
	if inEnvironment(file) {
		return false
	}
	name := filepath.ToSlash(file)
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, name) }
	if slices.ContainsFunc(s.exclude, matches) {
		return true
	}
	return len(s.include) > 0 && !slices.ContainsFunc(s.include, matches)
}

// inEnvironment reports whether a file lies in a virtual environment, which pyright passes over by itself.
func inEnvironment(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if has(dir, "pyvenv.cfg") || has(dir, "conda-meta") {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
