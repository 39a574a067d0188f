package config

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// rows is a small catalogue of the shape of the real one.
func rows() []spec.Spec {
	return []spec.Spec{
		{
			ID: "gopls", Kind: "gopls", Title: "gopls",
			Languages: []spec.Language{{ID: "go", Extensions: []string{"go"}},
				{ID: "go.mod", FileNames: []string{"go.mod"}}},
			Commands: []spec.Command{{Name: "gopls"}},
			Settings: map[string]any{"gopls": map[string]any{"staticcheck": true, "hints": map[string]any{"a": true}}},
		},
		{
			ID: "rust-analyzer", Kind: "rust-analyzer", Title: "rust-analyzer",
			Languages: []spec.Language{{ID: "rust", Extensions: []string{"rs"}}},
			Commands:  []spec.Command{{Name: "rust-analyzer", Resolve: []string{"rustup", "which", "rust-analyzer"}}},
			Roots:     spec.RootRule{Groups: []spec.MarkerGroup{{Files: []string{"Cargo.toml"}}}},
			Readiness: spec.Readiness{Sign: spec.SignServerStatus},
			SkipDirs:  []string{"target"},
		},
		{
			ID: "typescript-language-server", Kind: "typescript-language-server", Title: "TypeScript",
			Languages: []spec.Language{{ID: "typescript", Extensions: []string{"ts"}},
				{ID: "typescriptreact", Extensions: []string{"tsx"}}},
			Commands: []spec.Command{{Name: "typescript-language-server", Args: []string{"--stdio"}}},
			Env:      map[string]string{"BASE": "1"},
		},
	}
}

var toolNames = []string{"find_definition", "find_references", "rename_symbol", "lsp_request", "hover"}

// world is a home folder and a workspace of its own.
type world struct {
	t         *testing.T
	home      string
	workspace string
	env       map[string]string
	Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	w := worldIn(dir, func(err error) { t.Fatal(err) })
	w.t = t
	return w
}

func worldIn(dir string, fail func(error)) *world {
	w := &world{home: filepath.Join(dir, "home"), workspace: filepath.Join(dir, "ws"), env: map[string]string{}}
	for _, d := range []string{w.home, filepath.Join(w.workspace, ".git"), filepath.Join(dir, "outside")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			fail(err)
		}
	}
	w.env["HOME"] = w.home
	w.env["XDG_CONFIG_HOME"] = filepath.Join(w.home, ".config") // the same on every system
	w.env["XDG_STATE_HOME"] = filepath.Join(w.home, ".state")
	w.env[trustVariable] = "all" // what is trusted has tests of its own
	w.Options = Options{
		Getenv: func(name string) string { return w.env[name] }, WorkDir: w.workspace, Home: w.home,
		Catalogue: rows(), Tools: toolNames,
	}
	return w
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	testkit.Must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.Must(w.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// user writes the user's file, repo the workspace's, both in their usual places.
func (w *world) user(text string) string {
	return w.write(filepath.Join(w.home, ".config", "lspi", "config.toml"), text)
}

func (w *world) repo(text string) string {
	return w.write(filepath.Join(w.workspace, "lspi.toml"), text)
}

func (w *world) load() *Config {
	w.t.Helper()
	c, err := Load(w.Options)
	testkit.Must(w.t, err)
	return c
}

// sound loads and fails on any finding.
func (w *world) sound() *Config {
	w.t.Helper()
	c := w.load()
	for _, f := range c.Findings {
		w.t.Errorf("finding: %s", f)
	}
	return c
}

func (c *Config) spec(id string) *spec.Spec {
	for i := range c.Specs {
		if c.Specs[i].ID == id {
			return &c.Specs[i]
		}
	}
	return nil
}

func ids(specs []spec.Spec) []string {
	out := []string{}
	for _, s := range specs {
		out = append(out, s.ID)
	}
	return out
}

// newFuzzWorld is a world that lives as long as the fuzzing.
func newFuzzWorld(f *testing.F) *world {
	f.Helper()
	dir, err := filepath.EvalSymlinks(f.TempDir())
	testkit.Must(f, err)
	return worldIn(dir, func(err error) { f.Fatal(err) })
}
