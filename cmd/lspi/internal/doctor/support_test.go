package doctor

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
)

var update = flag.Bool("update", false, "write the goldens anew")

// facts are a machine: what is on PATH, what commands print, what is on disk.
type facts struct {
	os       string
	env      map[string]string
	programs []string          // on PATH, in /bin
	output   map[string]Output // by the words of the command
	files    map[string]string // by absolute path
	goBuilt  string
	servers  []string // ids of those that are installed, as /bin/<id>
}

func (f facts) machine() Machine {
	if f.os == "" {
		f.os = "linux"
	}
	return Machine{
		OS:     f.os,
		Getenv: func(name string) string { return f.env[name] },
		Look: func(program string) string {
			if slices.Contains(f.programs, program) {
				return "/bin/" + program
			}
			return ""
		},
		Run: func(_ context.Context, _ string, words ...string) Output {
			if o, ok := f.output[strings.Join(words, " ")]; ok {
				return o
			}
			return Output{Err: errors.New("exit status 1")}
		},
		Read: func(path string) ([]byte, error) {
			if text, ok := f.files[path]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
		Exists: func(path string) bool { _, ok := f.files[path]; return ok },
		Glob: func(pattern string) []string {
			var out []string
			for path := range f.files {
				if ok, _ := filepath.Match(pattern, path); ok {
					out = append(out, path)
				}
			}
			return out
		},
		Withheld:  func(*spec.Spec) string { return "" },
		Real:      func(path string) string { return path },
		GoVersion: func(string) string { return f.goBuilt },
		Caches: func(_ context.Context, sp *spec.Spec, root, _ string) []Cache {
			if sp.ID != "gopls" {
				return nil
			}
			return []Cache{{Folder: "/cache/gopls", Holds: "types", Worktrees: "has the dependencies",
				Usage: Usage{Files: 1200, Bytes: 34 << 20}}}
		},
		Find: func(spec *spec.Spec) ([]launch.Candidate, []string) {
			if slices.Contains(f.servers, spec.ID) {
				return []launch.Candidate{{Path: "/bin/" + spec.ID, From: "PATH"}}, nil
			}
			return nil, []string{spec.Commands[0].Name + ": not found"}
		},
	}
}

// fakeProber is a prober that tells what a test says.
type fakeProber struct {
	probed map[string]Probed // by server id
	reason string            // why there are no events; "" for events
}

func (p fakeProber) Probe(_ context.Context, spec *spec.Spec, _ []string, _ Progress) Probed {
	return p.probed[spec.ID]
}

func (p fakeProber) Watching(context.Context) (bool, string) { return p.reason == "", p.reason }

// loaded writes files into a folder and reads its configuration, with no home.
func loaded(t *testing.T, files map[string]string) (*config.Config, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testkit.Write(t, path, text)
	}
	c, err := config.Load(config.Options{WorkspaceFlag: dir, Flags: config.Flags{Trust: "all"},
		Getenv: func(string) string {
			return ""
		}, Home: t.TempDir(),
		WorkDir: dir, Catalogue: servers.Servers(), Tools: []string{"hover"}})
	testkit.Must(t, err)
	return c, dir
}

// live is a prober with real processes; they end with the test.
func live(t *testing.T, c *config.Config) Live {
	t.Helper()
	table := c.Table()
	pool := router.NewPool(router.PoolOptions{Launcher: servers.Launcher, Table: table,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Texts: source.NewCache(1 << 20)})
	t.Cleanup(pool.Close)
	return Live{Table: table, Files: source.OS{}, Pool: pool}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		testkit.Write(t, path, got)
	}
	want, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Equal(t, got, string(want), name, "differs; -update writes it anew")
}

func names(checks []Check) []string {
	var out []string
	for _, c := range checks {
		out = append(out, string(c.Level)+" "+c.Name)
	}
	return out
}
