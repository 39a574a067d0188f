package catalogue

import (
	"path/filepath"
	"regexp"
	"strings"

	"lspi/disk"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// cargoLink: a crate that another one outside of its workspace names by path knows nothing of that one; rust-analyzer answers for the
// workspace of the file, and for the crates that this one names (1.97.1).
var cargoLink = &lsp.Link{File: "Cargo.toml", Uses: cargoPaths, Project: cargoProject, Dependencies: true,
	Visible: regexp.MustCompile(`\bpub\s+[^(\s]|\bmacro_rules\b`)}

// cargoPaths are the folders of the crates that a Cargo.toml names by path
// (https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html#specifying-path-dependencies).
func cargoPaths(folder string) (out []string) {
	var manifest map[string]any
	if _, err := lang.DecodeTOML(string(disk.OS{}.Read(filepath.Join(folder, "Cargo.toml"))), &manifest); err != nil {
		return nil
	}
	dependencies := func(table any) {
		named, _ := table.(map[string]any)
		for _, one := range named {
			if dependency, ok := one.(map[string]any); ok {
				if path, ok := dependency["path"].(string); ok {
					out = append(out, source.Absolute(folder, path))
				}
			}
		}
	}
	tables := func(of map[string]any) {
		for name, table := range of {
			if strings.HasSuffix(name, "dependencies") {
				dependencies(table)
			}
		}
	}
	tables(manifest)
	for _, of := range []string{"workspace", "target", "patch"} {
		inner, _ := manifest[of].(map[string]any)
		switch of {
		case "workspace":
			tables(inner)
		case "target":
			for _, target := range inner {
				if of, ok := target.(map[string]any); ok {
					tables(of)
				}
			}
		case "patch":
			for _, registry := range inner {
				dependencies(registry)
			}
		}
	}
	return out
}

// cargoProject is the folder of the workspace that takes in the crate of a folder, not above top; the folder itself where none does.
func cargoProject(top, folder string) string {
	path := filepath.Join(folder, "Cargo.toml")
	for dir := folder; holds(top, dir); dir = filepath.Dir(dir) {
		if marker := filepath.Join(dir, "Cargo.toml"); (disk.OS{}).Has(dir, "Cargo.toml") && inCargoWorkspace(disk.OS{}, marker, path) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return folder
}
