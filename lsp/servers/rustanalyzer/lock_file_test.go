package rustanalyzer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// A checker that can work with a copy of its lock file gets one; another may not write it, and says what to do.
func TestTheCheckersLockFile(t *testing.T) {
	cache, root, bin := t.TempDir(), t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(root, "Cargo.toml"): "",
		filepath.Join(bin, "old"): "#!/bin/sh\necho cargo 1.90.0\n",
		filepath.Join(bin, "new"): "#!/bin/sh\necho 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)'\n"} {
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o755))
	}
	lock := &lockFile{File: "Cargo.lock", Since: "v1.95.0", Args: []any{"-Zcopy"}, Env: map[string]any{"N": "1"},
		Copy:   "COPY",
		Locked: []any{"--locked"}, Ended: "no metadata", ArgsAt: "fake.check.extraArgs", EnvAt: "fake.check.extraEnv",
		Option: "fake.", Make: "make it", Update: "update it"}
	s := &spec.Spec{ID: "fake", Project: &spec.ProjectFile{Files: []string{"Cargo.toml"}},
		Diagnostics: spec.Diagnostics{Check: &spec.Check{}}}
	own := map[string]any{"fake": map[string]any{"check": map[string]any{"extraArgs": []any{"--tests"}}}}
	place := func(program string) (args any, env any, l *lockCopy) {
		lock.Program = []string{filepath.Join(bin, program), "--version"}
		p := &launch.Plan{Target: launch.Target{Spec: s, Root: root, Cache: cache}, Settings: own}
		l = lock.place(t.Context(), p)
		settings, options := p.Settings, p.Options
		testkit.Diff(t, spec.At(options, "check.extraEnv"), spec.At(settings, "fake.check.extraEnv"))
		return spec.At(settings, "fake.check.extraArgs"), spec.At(settings, "fake.check.extraEnv"), l
	}
	args, env, old := place("old")
	var refused *lsp.UnlockedError
	if d := cmp.Diff([]any{[]any{"--tests", "--locked"}, nil}, []any{args, env}); d != "" ||
		!errors.As(old.refresh(), &refused) || refused.Command != "make it" {
		t.Errorf("old: %s %v", d, old.refresh())
	}
	args, env, copied := place("new")
	if d := cmp.Diff([]any{[]any{"--tests", "-Zcopy"}, map[string]any{"N": "1", "COPY": copied.copy}},
		[]any{args, env}); d != "" || copied.refresh() != nil || source.Exists(copied.copy) {
		t.Errorf("new: %s", d)
	}
	testkit.Write(t, filepath.Join(root, "Cargo.lock"), "v")
	raw, err := []byte(nil), copied.refresh()
	if err == nil {
		raw, err = os.ReadFile(copied.copy)
	}
	if err != nil || string(raw) != "v" {
		t.Errorf("the copy: %q, %v", raw, err)
	}
	if old.refresh() != nil || !errors.As(old.refused("it gave no metadata"), &refused) ||
		refused.Command != "update it" || old.refused("no cargo") != nil || copied.refused("no metadata") != nil {
		t.Errorf("stale: %v", old.refused("it gave no metadata"))
	}
}
