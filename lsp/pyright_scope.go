package lsp

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/source"
)

// pyrightScope is which sources of a folder pyright takes as those of the project, by its configuration: the files of include
// (all, without one) but for those of exclude. To these it adds excludes of its own, for dependencies and caches, and passes
// over virtual environments (configuration.md of pyright; 1.1.414, where they are added to the given excludes).
type pyrightScope struct {
	include, exclude []pyrightSpec
}

// pyrightConfig is what is read of a configuration.
type pyrightConfig struct {
	Extends string    `json:"extends" toml:"extends"`
	Include *[]string `json:"include" toml:"include"`
	Exclude *[]string `json:"exclude" toml:"exclude"`
}

// maxPyrightExtends bounds the configurations that extend each other.
const maxPyrightExtends = 8

// readPyrightScope reads the configuration of a folder: pyrightconfig.json, else the first of tables below [tool] in
// pyproject.toml. Nil where neither leaves anything out by include or exclude, or nothing can be read.
func readPyrightScope(root string, tables []string) *pyrightScope {
	name, config := "pyrightconfig.json", (*pyrightConfig)(nil)
	if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
		config = readPyrightConfig(filepath.Join(root, name), nil)
	} else {
		name = "pyproject.toml"
		config = readPyrightConfig(filepath.Join(root, name), tables)
	}
	scope := &pyrightScope{}
	include, exclude := false, false
	for range maxPyrightExtends {
		if config == nil {
			break
		}
		dir := filepath.Dir(filepath.Join(root, name))
		if config.Include != nil && !include {
			include = true
			scope.include = pyrightSpecs(dir, *config.Include)
		}
		if config.Exclude != nil && !exclude {
			exclude = true
			scope.exclude = pyrightSpecs(dir, *config.Exclude)
		}
		if config.Extends == "" || filepath.IsAbs(config.Extends) {
			break
		}
		name = filepath.Join(filepath.Dir(name), filepath.FromSlash(config.Extends))
		config = readPyrightConfig(filepath.Join(root, name), tables)
	}
	if len(scope.include) == 0 && len(scope.exclude) == 0 {
		return nil
	}
	return scope
}

// readPyrightConfig reads one file, of TOML when its name says so. Nil when there is none, or it holds no configuration.
func readPyrightConfig(file string, tables []string) *pyrightConfig {
	text, err := source.ReadBytes(file)
	if err != nil {
		return nil
	}
	if filepath.Ext(file) != ".toml" {
		out := &pyrightConfig{}
		if json.Unmarshal(plainJSON(text), out) != nil {
			return nil
		}
		return out
	}
	var project struct{ Tool map[string]toml.Primitive }
	meta, err := DecodeTOML(string(text), &project)
	if err != nil {
		return nil
	}
	for _, table := range tables {
		if raw, ok := project.Tool[table]; ok {
			out := &pyrightConfig{}
			if meta.PrimitiveDecode(raw, out) != nil {
				return nil
			}
			return out
		}
	}
	return nil
}

// pyrightSpec is one entry of include or exclude: a file, or a folder with all that is in it.
type pyrightSpec struct{ match *regexp.Regexp }

// pyrightSpecs are the entries relative to a folder; pyright ignores absolute ones.
func pyrightSpecs(dir string, entries []string) (out []pyrightSpec) {
	for _, entry := range entries {
		if !path.IsAbs(filepath.ToSlash(entry)) && !filepath.IsAbs(entry) {
			out = append(out, pyrightSpecOf(path.Join(filepath.ToSlash(dir), filepath.ToSlash(entry))))
		}
	}
	return out
}

// pyrightSpecOf is an absolute entry: ** stands for any folders, * and ? for characters of one name.
func pyrightSpecOf(entry string) pyrightSpec {
	var b strings.Builder
	b.WriteString("^")
	for i, part := range strings.Split(strings.Trim(entry, "/"), "/") {
		if part == "**" {
			b.WriteString("(/[^/]+)*?")
			continue
		}
		if i > 0 || strings.HasPrefix(entry, "/") {
			b.WriteString("/")
		}
		b.WriteString(strings.NewReplacer(`\*`, "[^/]*", `\?`, "[^/]").Replace(regexp.QuoteMeta(part)))
	}
	b.WriteString("($|/)")
	return pyrightSpec{regexp.MustCompile(b.String())}
}

// leavesOut reports whether include or exclude leaves out a source that is there.
func (s *pyrightScope) leavesOut(file string) bool {
	if inEnvironment(file) {
		return false
	}
	name := filepath.ToSlash(file)
	matches := func(spec pyrightSpec) bool { return spec.match.MatchString(name) }
	if slices.ContainsFunc(s.exclude, matches) {
		return true
	}
	return len(s.include) > 0 && !slices.ContainsFunc(s.include, matches)
}

// inEnvironment reports whether a file lies in a virtual environment, which pyright passes over by itself.
func inEnvironment(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "pyvenv.cfg")) || exists(filepath.Join(dir, "conda-meta")) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// plainJSON takes comments, and commas before a closing bracket, out of JSON as configurations of editors have it.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case text[i] == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(text)-1)
			out = append(out, text[i:end+1]...)
			i = end
		case strings.HasPrefix(string(rest[:min(2, len(rest))]), "//"):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case strings.HasPrefix(string(rest[:min(2, len(rest))]), "/*"):
			end := strings.Index(string(rest[2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case text[i] == ']' || text[i] == '}':
			for len(out) > 0 && strings.IndexByte(" \t\r\n", out[len(out)-1]) >= 0 {
				out = out[:len(out)-1]
			}
			if len(out) > 0 && out[len(out)-1] == ',' {
				out = out[:len(out)-1]
			}
			out = append(out, text[i])
		default:
			out = append(out, text[i])
		}
	}
	return out
}
