//go:build linux

package bench

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// allFolders has gopls analyse every folder: a file of each is open, as its analysers want.
func allFolders(b *testing.B, p *pair) func(text) time.Duration {
	folders := map[string]bool{}
	files := []string{uriOf(p.server.path(p.file))}
	folders[filepath.Dir(p.server.path(p.file))] = true
	err := filepath.WalkDir(p.alone, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && e.Name() == "testdata" {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !folders[filepath.Dir(path)] {
			folders[filepath.Dir(path)] = true
			rel, err := filepath.Rel(p.alone, path)
			testkit.Must(b, err)
			p.server.open(b, rel)
			files = append(files, uriOf(path))
		}
		return err
	})
	testkit.Must(b, err)
	changed := p.changed(b)
	return func(t text) time.Duration {
		return changed(t) + since(func() {
			p.server.ask(b, "workspace/executeCommand", map[string]any{"command": "gopls.diagnose_files",
				"arguments": []any{map[string]any{"Files": files}}})
		})
	}
}

// cargoCheck has rust-analyzer run cargo check over the workspace.
func cargoCheck(b *testing.B, p *pair) func(text) time.Duration {
	changed := p.changed(b)
	return func(t text) time.Duration {
		p.put(b, p.alone, t)
		return changed(t) + since(func() { runCargoCheck(b, p.server) })
	}
}

// runCargoCheck has rust-analyzer run cargo check, which reads the disk, and waits for its end.
func runCargoCheck(b *testing.B, d *direct) {
	ends := func() (n int) {
		for _, said := range d.signs {
			if strings.Contains(said, "flycheck") && strings.Contains(said, `"kind":"end"`) {
				n++
			}
		}
		return n
	}
	d.mu.Lock()
	before := ends()
	d.mu.Unlock()
	testkit.Must(b, d.Notify(b.Context(), "rust-analyzer/runFlycheck", map[string]any{"textDocument": nil}))
	d.await(b, "the end of cargo check", func() bool { return ends() > before })
}
