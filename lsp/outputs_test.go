package lsp

import (
	"errors"
	"lspi/internal/testkit"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a server writes goes into the cache, unless the configuration names another place; what nobody needs any more goes.
func TestOutputsArePlacedInTheCache(t *testing.T) {
	cache, root, gone := t.TempDir(), t.TempDir(), t.TempDir()
	s := &Spec{ID: "fake", Outputs: []Output{{Name: "target", Setting: "fake.cargo.targetDir", Option: "cargo.targetDir"}}}
	place := func(root string, settings map[string]any) (map[string]any, map[string]any) {
		t.Helper()
		settings, options, err := s.placeOutputs(cache, root, settings, nil)
		testkit.Must(t, err)
		return settings, options
	}
	settings, options := place(root, nil)
	target, _ := section(settings, "fake.cargo.targetDir").(string)
	dir := filepath.Dir(target)
	if d := cmp.Diff(any(target), section(options, "cargo.targetDir")); d != "" || filepath.Dir(dir) != filepath.Join(cache, "fake") {
		t.Errorf("%s\n%s", target, d)
	}
	own := map[string]any{"fake": map[string]any{"cargo": map[string]any{"targetDir": "target"}}}
	settings, options = place(root, own)
	testkit.Diff(t, []any{settings, options}, []any{own, map[string]any(nil)}, "the user's own")

	place(gone, nil)
	foreign := filepath.Join(cache, "fake", "mine")
	testkit.Must(t, errors.Join(os.RemoveAll(gone), os.Mkdir(foreign, 0o700), os.Chtimes(filepath.Join(dir, rootFile), time.Time{}, time.Now().Add(-2*outputFor))))
	place(t.TempDir(), nil)
	left, _ := filepath.Glob(filepath.Join(cache, "fake", "*"))
	if len(left) != 2 || !Exists(foreign) || Exists(dir) {
		t.Errorf("left: %q", left)
	}
}

// A checker that can work with a copy of its lock file gets one; another may not write it, and says what to do.
func TestTheCheckersLockFile(t *testing.T) {
	cache, root, bin := t.TempDir(), t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(root, "Cargo.toml"): "", filepath.Join(bin, "old"): "#!/bin/sh\necho cargo 1.90.0\n",
		filepath.Join(bin, "new"): "#!/bin/sh\necho 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)'\n"} {
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o755))
	}
	lock := &LockFile{File: "Cargo.lock", Since: "v1.95.0", Args: []any{"-Zcopy"}, Env: map[string]any{"N": "1"}, Copy: "COPY",
		Locked: []any{"--locked"}, Ended: "no metadata", ArgsAt: "fake.check.extraArgs", EnvAt: "fake.check.extraEnv", Option: "fake.", Make: "make it", Update: "update it"}
	s := &Spec{ID: "fake", Project: &ProjectFile{Files: []string{"Cargo.toml"}}, Diagnostics: Diagnostics{Check: &Check{Lock: lock}}}
	own := map[string]any{"fake": map[string]any{"check": map[string]any{"extraArgs": []any{"--tests"}}}}
	place := func(program string) (args any, env any, l *lockCopy) {
		lock.Program = []string{filepath.Join(bin, program), "--version"}
		settings, options, l := s.placeLock(t.Context(), cache, root, own, nil)
		testkit.Diff(t, section(options, "check.extraEnv"), section(settings, "fake.check.extraEnv"))
		return section(settings, "fake.check.extraArgs"), section(settings, "fake.check.extraEnv"), l
	}
	args, env, old := place("old")
	var refused *UnlockedError
	if d := cmp.Diff([]any{[]any{"--tests", "--locked"}, nil}, []any{args, env}); d != "" || !errors.As(old.refresh(), &refused) || refused.Command != "make it" {
		t.Errorf("old: %s %v", d, old.refresh())
	}
	args, env, copied := place("new")
	if d := cmp.Diff([]any{[]any{"--tests", "-Zcopy"}, map[string]any{"N": "1", "COPY": copied.copy}}, []any{args, env}); d != "" || copied.refresh() != nil || Exists(copied.copy) {
		t.Errorf("new: %s", d)
	}
	testkit.Must(t, os.WriteFile(filepath.Join(root, "Cargo.lock"), []byte("v"), 0o644))
	raw, err := []byte(nil), copied.refresh()
	if err == nil {
		raw, err = os.ReadFile(copied.copy)
	}
	if err != nil || string(raw) != "v" {
		t.Errorf("the copy: %q, %v", raw, err)
	}
	if old.refresh() != nil || !errors.As(old.refused("it gave no metadata"), &refused) || refused.Command != "update it" || old.refused("no cargo") != nil || copied.refused("no metadata") != nil {
		t.Errorf("stale: %v", old.refused("it gave no metadata"))
	}
}
