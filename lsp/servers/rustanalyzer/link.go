package rustanalyzer

import (
	"bytes"
	"path/filepath"
	"regexp"

	"lspi/internal/source"
	"lspi/lsp"
)

// link: a crate that another one outside of its workspace names by path knows nothing
// of that one; rust-analyzer answers for the workspace of the file, and for the crates that this one names.
var link = &lsp.Link{File: manifestName, Uses: usedCrates, Project: workspaceOf, Dependencies: true, Visible: visible}

// manifestName is the project file.
const manifestName = "Cargo.toml"

// visible is how a declaration begins that other crates can use.
var visible = regexp.MustCompile(`\bpub\s+[^(\s]|\bmacro_rules\b`)

// usedCrates are the folders of the crates that a Cargo.toml names by path.
func usedCrates(folder string) (out []string) {
	m, err := Parse(folder, source.OS{}.Read(filepath.Join(folder, manifestName)))
	if err != nil {
		return nil
	}
	for _, p := range m.Paths {
		out = append(out, p.Folder)
	}
	return out
}

// workspaceOf is the folder of the workspace that takes in the crate of a folder, not above top; the folder itself
// where none does.
func workspaceOf(top, folder string) string {
	path := filepath.Join(folder, manifestName)
	for dir := folder; source.Within(top, dir); dir = filepath.Dir(dir) {
		if marker := filepath.Join(dir, manifestName); (source.OS{}).Has(dir, manifestName) &&
			InWorkspace(source.OS{}, marker, path) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return folder
}

// InWorkspace reports whether the workspace of a marker takes in the crate of the file at path, as Cargo finds it:
// rust-analyzer answers for that workspace. It is for the root rule of the row ([spec.MarkerGroup]).
func InWorkspace(files source.Files, marker, path string) bool {
	top, text := filepath.Dir(marker), files.Read(marker)
	m, err := Parse(top, text)
	if err != nil {
		// half-written: Cargo fails anyway, the root stays where it was
		return bytes.Contains(text, []byte("[workspace]"))
	}
	return m.Takes(top, source.Nearest(files, manifestName, path, top))
}
