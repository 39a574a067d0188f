package router

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/lsp"
)

// members tells for each rule whether the project of a marker file takes in the file at path.
var members = map[lsp.Members]func(files Files, marker, path string) bool{
	lsp.MembersGoWork: inGoWork,
	lsp.MembersCargo:  inCargoWorkspace,
}

// inGoWork: gopls loads the modules that a go.work uses; a file of another module below it gets a view of its own
// module, as if there were no go.work (gopls 0.23.0).
func inGoWork(files Files, marker, path string) bool {
	top := filepath.Dir(marker)
	module := nearest(files, "go.mod", path, top)
	if module == "" {
		return true // no module between it and the go.work claims it
	}
	for _, use := range goWorkUses(files.Read(marker)) {
		dir := filepath.FromSlash(use)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
		if filepath.Clean(dir) == module {
			return true
		}
	}
	return false
}

// nearest is the folder closest to the file that has the entry, not above limit; "" when there is none.
func nearest(files Files, name, path, limit string) string {
	for dir := filepath.Dir(path); within(limit, dir); dir = filepath.Dir(dir) {
		if files.Has(dir, name) {
			return dir
		}
		if dir == limit {
			break
		}
	}
	return ""
}

// goWorkUses lists the folders of the use directives (https://go.dev/ref/mod#go-work-file-use). A file with mistakes
// gives those that can be read.
func goWorkUses(text []byte) []string {
	var uses []string
	block := false
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "use"); ok && !block && rest != "" && strings.ContainsAny(rest[:1], " \t(") {
			rest = strings.TrimSpace(rest)
			if after, ok := strings.CutPrefix(rest, "("); ok {
				block, rest = true, strings.TrimSpace(after)
			}
			line = rest
		} else if !block {
			continue
		}
		if block {
			line, _, _ = strings.Cut(line, ")")
			line = strings.TrimSpace(line)
		}
		if quoted, err := strconv.Unquote(line); err == nil {
			line = quoted
		}
		if line != "" {
			uses = append(uses, line)
		}
	}
	return uses
}

type cargoManifest struct {
	Workspace *struct {
		Members []string `toml:"members"`
		Exclude []string `toml:"exclude"`
	} `toml:"workspace"`
}

// inCargoWorkspace follows Cargo's search: a manifest is a workspace's root for a package unless it excludes it, and
// exclusion counts by path prefix, except below an explicit member
// (https://doc.rust-lang.org/cargo/reference/workspaces.html#the-members-and-exclude-fields).
func inCargoWorkspace(files Files, marker, path string) bool {
	text := files.Read(marker)
	var m cargoManifest
	if toml.Unmarshal(text, &m) != nil {
		return bytes.Contains(text, []byte("[workspace]")) // half-written: Cargo fails anyway, the root stays where it was
	}
	if m.Workspace == nil {
		return false
	}
	top := filepath.Dir(marker)
	crate := nearest(files, "Cargo.toml", path, top)
	below := func(dirs []string) bool {
		for _, d := range dirs {
			if within(filepath.Join(top, filepath.FromSlash(d)), crate) {
				return true
			}
		}
		return false
	}
	return crate == top || below(m.Workspace.Members) || !below(m.Workspace.Exclude)
}
