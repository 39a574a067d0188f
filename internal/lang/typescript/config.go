package typescript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// Config is what a tsconfig.json, a file like it, or a package.json says.
type Config struct {
	path string

	Name                                                                  string // of the package
	Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]json.RawMessage
	Extends                                                               json.RawMessage // a path, or several
	References                                                            []struct{ Path string }
	CompilerOptions                                                       struct {
		BaseURL                *string `json:"baseUrl"`
		Paths                  map[string]json.RawMessage
		OutDir, DeclarationDir string
		CheckJS                *bool `json:"checkJs"`
	}
}

// ReadConfig reads such a file; ok is false where it cannot be read.
func ReadConfig(path string) (c *Config, ok bool) {
	c = &Config{path: path}
	text, err := source.ReadBytes(path)
	return c, err == nil && lang.DecodeJSON(text, c) == nil
}

// Aliases returns the prefixes of import names that the file maps to paths; "" stands for any name.
func (c *Config) Aliases() (out []string) {
	if c.CompilerOptions.BaseURL != nil {
		return []string{""}
	}
	for name := range c.CompilerOptions.Paths {
		prefix, _, _ := strings.Cut(name, "*")
		out = append(out, prefix)
	}
	return out
}

// Owners returns the project files to which the file refers and that may own the sources nearest to it. A referenced
// folder whose project file has the usual name owns its own sources, and is left out.
func (c *Config) Owners() (out []string) {
	for _, ref := range c.References {
		path := c.absolute(ref.Path)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
			filepath.Base(path) != filepath.Base(c.path) {
			out = append(out, path)
		}
	}
	return out
}

// OutputFolders returns the folders for output that the file names, as far as they are below its own folder.
func (c *Config) OutputFolders() (out []string) {
	for _, name := range []string{c.CompilerOptions.OutDir, c.CompilerOptions.DeclarationDir} {
		dir := c.absolute(name)
		if _, inside := source.RelativeTo(filepath.Dir(c.path), dir); inside && dir != filepath.Dir(c.path) {
			out = append(out, dir)
		}
	}
	return out
}

// Wants reports whether the file has a package among its dependencies.
func (c *Config) Wants(pkg string) bool {
	for _, all := range []map[string]json.RawMessage{c.Dependencies, c.DevDependencies, c.PeerDependencies,
		c.OptionalDependencies} {
		if _, ok := all[pkg]; ok {
			return true
		}
	}
	return false
}

// maxExtends bounds the project files that extend each other.
const maxExtends = 8

// ChecksScripts reports whether a project file, or one that it extends by a path, has scripts checked.
func ChecksScripts(path string) bool { return checksScriptsWithin(path, maxExtends) }

func checksScriptsWithin(path string, left int) bool {
	c, ok := ReadConfig(path)
	switch {
	case !ok || left == 0:
		return false
	case c.CompilerOptions.CheckJS != nil:
		return *c.CompilerOptions.CheckJS
	}
	var one string
	var several []string
	if json.Unmarshal(c.Extends, &one) == nil {
		several = []string{one}
	} else if json.Unmarshal(c.Extends, &several) != nil {
		return false
	}
	return slices.ContainsFunc(several, func(name string) bool {
		if !strings.HasSuffix(name, ".json") {
			name += ".json"
		}
		return strings.HasPrefix(name, ".") && checksScriptsWithin(c.absolute(name), left-1)
	})
}

// absolute is a path that the file names.
func (c *Config) absolute(name string) string {
	return filepath.Join(filepath.Dir(c.path), filepath.FromSlash(name))
}
