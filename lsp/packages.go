package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// Packages says where a package manager puts what projects of a language depend on. Journals leave such folders out, and
// a server that resolved an import in vain, or to what was there before, does not look again.
type Packages struct {
	Manifest string   // base name of the file that names the dependencies of the folder it is in: package.json
	Keys     []string // members of the manifest, a JSON object, that are objects of dependencies
	Folder   string   // where they are installed, in the folder of the manifest or above: node_modules
	Signs    []string // paths in the folder of a manifest that a package manager writes last; Folder counts besides
	Instead  []string // files in the folder of the manifest or above that make Folder needless: .pnp.cjs
	Makers   []Maker  // how to have them installed, by what the manifest's folder holds; the first that fits
}

// maxUp bounds the folders above a project that are looked at.
const maxUp = 8

// paths are the signs of a project at root: its own and those of the folders above, where those of a monorepo are. They
// need not exist. A nil p has none.
func (p *Packages) paths(root string) (out []string) {
	if p == nil {
		return nil
	}
	for _, dir := range upward(root) {
		for _, name := range slices.Concat([]string{p.Folder}, p.Signs, p.Instead) {
			out = append(out, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return out
}

// names are the base names of the signs; a nil p has none.
func (p *Packages) names() (out []string) {
	if p == nil {
		return nil
	}
	for _, name := range slices.Concat([]string{p.Folder}, p.Signs, p.Instead) {
		out = append(out, filepath.Base(filepath.FromSlash(name)))
	}
	return out
}

// Missing is the folder of the manifest nearest above path, and how many dependencies it names, when none of them is
// installed; "" when they are, when there is nothing to install, or when the manifest cannot be read.
func (p *Packages) Missing(path string) (folder string, total int) {
	if p == nil {
		return "", 0
	}
	for _, dir := range upward(path) {
		raw, err := os.ReadFile(filepath.Join(dir, p.Manifest))
		if err != nil {
			continue
		}
		if total = p.count(raw); total == 0 || p.installed(dir) {
			return "", 0
		}
		return dir, total
	}
	return "", 0
}

// Maker is the way to install that fits a folder; nil when none does.
func (p *Packages) Maker(folder string) *Maker { return fitting(p.Makers, Holds(folder)) }

// count is the number of dependencies in a manifest.
func (p *Packages) count(raw []byte) (n int) {
	var manifest map[string]json.RawMessage
	if json.Unmarshal(raw, &manifest) != nil {
		return 0
	}
	for _, key := range p.Keys {
		var named map[string]json.RawMessage
		if json.Unmarshal(manifest[key], &named) == nil {
			n += len(named)
		}
	}
	return n
}

func (p *Packages) installed(dir string) bool {
	for _, dir := range upward(dir) {
		for _, name := range append([]string{p.Folder}, p.Instead...) {
			if exists(filepath.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// upward is a folder and those above it, up to the root of a repository.
func upward(dir string) (out []string) {
	for range maxUp {
		out = append(out, dir)
		up := filepath.Dir(dir)
		if up == dir || exists(filepath.Join(dir, ".git")) {
			break
		}
		dir = up
	}
	return out
}

// Uninstalled is [Packages].Missing for the server's language; path is a file or a folder.
func (s *Server) Uninstalled(path string) (folder string, total int) {
	return s.spec.Packages.Missing(path)
}
