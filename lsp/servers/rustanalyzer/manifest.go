// Package cargo reads Cargo.toml, by which the tools of Rust know a project.
package rustanalyzer

import (
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// Manifest is what a Cargo.toml says of folders (The Cargo Book, The Manifest Format).
type Manifest struct {
	Name      string     // of its crate; "" where it has none
	Workspace *Workspace // nil where it is no root of a workspace
	Paths     []Path     // in no order
}

// Workspace are the members of one: globs of paths below the folder of the manifest.
type Workspace struct{ Members, Exclude []string }

// Path is a dependency on a crate by its folder.
type Path struct {
	Crate  string // its name
	Folder string // absolute
}

// Parse reads the Cargo.toml of a folder.
func Parse(folder string, text []byte) (*Manifest, error) {
	var head struct {
		Package   struct{ Name string }
		Workspace *Workspace
	}
	if _, err := lang.DecodeTOML(string(text), &head); err != nil {
		return nil, err
	}
	var values map[string]any
	if _, err := lang.DecodeTOML(string(text), &values); err != nil {
		return nil, err
	}
	m := &Manifest{Name: head.Package.Name, Workspace: head.Workspace}
	m.kinds(folder, values)
	m.kinds(folder, table(values["workspace"]))
	for _, platform := range table(values["target"]) {
		m.kinds(folder, table(platform))
	}
	for _, registry := range table(values["patch"]) {
		m.dependencies(folder, registry)
	}
	return m, nil
}

// Takes reports whether the workspace whose root has this manifest, in folder, takes in the crate of a folder
// below. Cargo's search takes the first manifest above a crate that is the root of a workspace, unless it excludes
// the crate; exclusion counts by the beginning of the path, except below an explicit member
// (https://doc.rust-lang.org/cargo/reference/workspaces.html#the-members-and-exclude-fields).
func (m *Manifest) Takes(folder, crate string) bool {
	if m.Workspace == nil {
		return false
	}
	below := func(dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return source.Within(source.Absolute(folder, dir), crate)
		})
	}
	return crate == folder || below(m.Workspace.Members) || !below(m.Workspace.Exclude)
}

// kinds enters the dependencies of each kind: dependencies, dev-dependencies, build-dependencies, each also with an
// underscore.
func (m *Manifest) kinds(folder string, of map[string]any) {
	for name, dependencies := range of {
		if strings.HasSuffix(name, "dependencies") {
			m.dependencies(folder, dependencies)
		}
	}
}

func (m *Manifest) dependencies(folder string, named any) {
	for name, one := range table(named) {
		dependency := table(one)
		if path, _ := dependency["path"].(string); path != "" {
			if renamed, ok := dependency["package"].(string); ok {
				name = renamed
			}
			m.Paths = append(m.Paths, Path{name, source.Absolute(folder, path)})
		}
	}
}

// table is a table of TOML; nil for any other value.
func table(value any) map[string]any {
	out, _ := value.(map[string]any)
	return out
}
