//go:build unix

package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
)

// world has package managers that are scripts: they note how they were called, and make what the real ones would.
func world(t *testing.T, managers ...string) (Installer, func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	programs := map[string]string{
		"npm": `mkdir -p "$3/node_modules/.bin"; printf '#!/bin/sh\necho served\n' >"$3/node_modules/.bin/words-ls"; chmod +x "$3/node_modules/.bin/words-ls"`,
		"go":  `mkdir -p "$GOBIN"; printf '#!/bin/sh\n' >"$GOBIN/words-ls"; chmod +x "$GOBIN/words-ls"`,
		"uv":  `case "$2" in venv) mkdir -p "$3/bin"; printf '#!/bin/sh\n' >"$3/bin/words-ls"; chmod +x "$3/bin/words-ls";; esac`,
	}
	for _, name := range managers {
		script := "#!/bin/sh\necho " + name + " \"$@\" >>" + log + "\n" + programs[name] + "\n"
		testkit.Must(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
		testkit.WriteProgram(t, filepath.Join(dir, "bin", name), script)
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":/usr/bin:/bin")
	in := Installer{Dir: filepath.Join(dir, "servers"), Out: &strings.Builder{}, Look: func(program string) string {
		if slices.Contains(managers, program) {
			return filepath.Join(dir, "bin", program)
		}
		return ""
	}}
	return in, func() string {
		raw, _ := os.ReadFile(log)
		return string(raw)
	}
}

func pin(how string, details ...string) servers.Pin {
	return servers.Pin{Name: "words", Version: "1.2.3", Launchers: []string{"words-ls"}, How: how, Details: details}
}

func TestInstall(t *testing.T) {
	for how, want := range map[string]string{
		"npm": "npm install --prefix HOME --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error " +
			strings.Join(npmPatience, " ") + " words@1.2.3 more@4\n",
		"go":  "go install words@v1.2.3\n",
		"pip": "uv -q venv HOME\nuv -q pip install --python HOME/bin/python words==1.2.3 more@4\n",
	} {
		in, calls := world(t, "npm", "go", "uv")
		details := []string{"words", "more@4"}
		if how == "go" {
			details = details[:1]
		}
		p := pin(how, details...)
		var wait sync.WaitGroup
		for range 3 { // at once: one does it
			wait.Go(func() {
				if err := (Installer{Dir: in.Dir, Look: in.Look, Out: &strings.Builder{}}).Install(
					context.Background(), p); err != nil {
					t.Errorf("%s: %v", how, err)
				}
			})
		}
		wait.Wait()
		testkit.Equal(t, strings.ReplaceAll(calls(), in.home(p), "HOME"), want, how)
		testkit.Equal(t, in.Installed(p), true, how)
		to, err := filepath.EvalSymlinks(filepath.Join(in.Bin(), "words-ls"))
		testkit.Must(t, err)
		testkit.Equal(t, strings.HasPrefix(to, in.home(p)), true, to)

		newer := p
		newer.Version = "2.0.0"
		testkit.Must(t, in.Install(t.Context(), newer))
		beside := filepath.Join(in.Dir, "words-more-1.0") // of another server
		testkit.Must(t, os.MkdirAll(beside, 0o755))
		removed, err := in.Remove(p)
		testkit.Must(t, err)
		testkit.Diff(t, removed, []string{"1.2.3", "2.0.0"}, "removed")
		testkit.Must(t, os.Remove(beside))
		if removed, err := in.Remove(p); err != nil || len(removed) > 0 {
			t.Errorf("a second time: %v %v", removed, err)
		}
		left, _ := filepath.Glob(filepath.Join(in.Dir, "*", "*"))
		testkit.Equal(t, len(left), 0, left)
	}
}

// Without a network the error says what to do, and what takes long is told to run still.
func TestWithoutANetwork(t *testing.T) {
	in, _ := world(t, "npm")
	npm := filepath.Join(filepath.Dir(in.Dir), "bin", "npm")
	testkit.WriteProgram(t, npm, "#!/bin/sh\nsleep 0.3\necho 'npm error code EAI_AGAIN' >&2\nexit 1\n")
	before := reportEvery
	t.Cleanup(func() { reportEvery = before })
	reportEvery = 50 * time.Millisecond
	var out strings.Builder
	in.Out = &out
	err := in.Install(t.Context(), pin("npm", "words"))
	if err == nil || len(in.Versions(pin("npm", "words"))) > 0 {
		t.Fatalf("%v; left %v", err, in.Versions(pin("npm", "words")))
	}
	testkit.Holds(t, err.Error(), "look whether this machine has a network; behind a proxy set HTTPS_PROXY")
	testkit.Holds(t, out.String(), "… npm runs, 0s so far (Ctrl-C ends it)\n")
	testkit.WriteProgram(t, npm, "#!/bin/sh\necho 'gyp error' >&2\nexit 1\n")
	if err := in.Install(t.Context(), pin("npm", "words")); err == nil || strings.Contains(err.Error(), "network") {
		t.Errorf("another error: %v", err)
	}
}

// What was interrupted, or failed, is never found, and the next install begins anew.
func TestHalfAnInstall(t *testing.T) {
	in, _ := world(t, "npm")
	p := pin("npm", "words")
	testkit.Must(t, os.MkdirAll(filepath.Join(in.home(p), "node_modules"), 0o755))
	testkit.Equal(t, in.Installed(p), false)
	p.Launchers = append(p.Launchers, "not-in-it")
	if err := in.Install(t.Context(), p); err == nil || in.Installed(p) {
		t.Errorf("a package without its program is installed: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p = pin("npm", "words")
	if err := in.Install(ctx, p); err == nil || in.Installed(p) {
		t.Errorf("a cancelled install is there: %v", err)
	}
	testkit.Must(t, in.Install(t.Context(), p))
	testkit.Equal(t, in.Installed(p), true)
}

// Who waits for another install can end it.
func TestWaitForAnotherInstall(t *testing.T) {
	in, calls := world(t, "npm")
	testkit.Must(t, os.MkdirAll(in.Dir, 0o755))
	unlock, err := lockedfile.MutexAt(filepath.Join(in.Dir, ".lock")).Lock()
	testkit.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := in.Install(ctx, pin("npm", "words")); !errors.Is(err, context.Canceled) {
		t.Errorf("it waits for good, or went on: %v", err)
	}
	testkit.Equal(t, calls(), "", "nothing ran beside the other")
	unlock()
	testkit.Must(t, in.Install(t.Context(), pin("npm", "words")))
}

func TestMissingManagers(t *testing.T) {
	in, _ := world(t)
	for how, want := range map[string]string{"npm": "Node.js", "go": "go.dev", "pip": "uv", "deb": "lspi doctor"} {
		if _, err := in.Steps(pin(how, "words")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
		}
	}
}
