package catalogue

import (
	"path/filepath"
	"regexp"

	"lspi/disk"
	"lspi/lang/cargo"
	"lspi/lsp/spec"
	"lspi/source"
)

// cargoLink: a crate that another one outside of its workspace names by path knows nothing of that one; rust-analyzer answers for the
// workspace of the file, and for the crates that this one names (1.97.1).
var cargoLink = &spec.Link{File: "Cargo.toml", Uses: cargoPaths, Project: cargoProject, Dependencies: true,
	Visible: regexp.MustCompile(`\bpub\s+[^(\s]|\bmacro_rules\b`)}

// cargoPaths are the folders of the crates that a Cargo.toml names by path.
func cargoPaths(folder string) (out []string) {
	m, err := cargo.Parse(folder, disk.OS{}.Read(filepath.Join(folder, "Cargo.toml")))
	if err != nil {
		return nil
	}
	for _, p := range m.Paths {
		out = append(out, p.Folder)
	}
	return out
}

// cargoProject is the folder of the workspace that takes in the crate of a folder, not above top; the folder itself where none does.
func cargoProject(top, folder string) string {
	path := filepath.Join(folder, "Cargo.toml")
	for dir := folder; source.Within(top, dir); dir = filepath.Dir(dir) {
		if marker := filepath.Join(dir, "Cargo.toml"); (disk.OS{}).Has(dir, "Cargo.toml") && inCargoWorkspace(disk.OS{}, marker, path) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return folder
}
