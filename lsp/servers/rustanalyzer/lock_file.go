package rustanalyzer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// lockFile is a file in the root that a checker writes when it is missing or does not fit the manifests. lspi has the
// checker work with a copy of it outside of the tree, or, with a version that cannot, refuse to write it.
type lockFile struct {
	File string // "Cargo.lock"

	Program []string // prints the checker's version as the first x.y.z in its output
	Since   string   // the first version that can work with a copy: "v1.95.0"

	Args []any          // arguments by which it does
	Env  map[string]any // and variables
	Copy string         // the variable that names the copy

	Locked []any  // arguments by which an older version writes nothing and fails instead
	Ended  string // what the server says of a checker that failed so

	ArgsAt string // dotted place of the checker's arguments in Settings
	EnvAt  string // likewise of its variables
	Option string // the part before these places that InitializationOptions do not have: "rust-analyzer."

	Make   string // command that writes the file where there is none
	Update string // command that makes it fit
}

// cargoLock keeps cargo check from writing Cargo.lock. Since 1.95 cargo takes another path from this variable, on the
// nightly channel only: the third variable is how rust-analyzer itself has the same for metadata and build scripts,
// which is all that it uses a copy for (1.97.1). Nothing else of cargo check differs, since no other -Z is given.
// Before 1.95 --locked fails where the file is missing or stale.
var cargoLock = &lockFile{
	File: "Cargo.lock", Program: []string{"cargo", "--version"}, Since: "v1.95.0",
	Args: []any{"-Zlockfile-path"}, Copy: "CARGO_RESOLVER_LOCKFILE_PATH",
	Env:    map[string]any{"__CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS": "nightly"},
	Locked: []any{"--locked"}, Ended: "produced no valid metadata",
	ArgsAt: "rust-analyzer.check.extraArgs", EnvAt: "rust-analyzer.check.extraEnv", Option: "rust-analyzer.",
	Make: "cargo generate-lockfile", Update: "cargo update --workspace",
}

// maxLockFile bounds a lock file, in bytes: that of rust-lang/rust has 200 kB.
const maxLockFile = 64 << 20

// versionLimit bounds the question for the checker's version.
const versionLimit = 5 * time.Second

// lockCopy is how the checker of one process treats the lock file.
type lockCopy struct {
	rule *lockFile
	path string // of the lock file
	copy string // of the copy; "" where the checker cannot work with one
}

// place gives the checker's settings what makes it leave the lock file alone, and is how it does. What was given
// stays, before it. nil when no checker runs, or there is no project that it could check.
func (l *lockFile) place(ctx context.Context, p *launch.Plan) *lockCopy {
	if p.Spec.Diagnostics.Check == nil || !source.Exists(filepath.Join(p.Root, p.Spec.Project.Files[0])) {
		return nil
	}
	lock := &lockCopy{rule: l, path: filepath.Join(p.Root, l.File)}
	args, env := l.Locked, map[string]any(nil)
	if p.Cache != "" && semver.Compare(versionOf(ctx, p.Spec, p.Root, l.Program), l.Since) >= 0 {
		if dir, err := launch.CacheFolder(filepath.Join(p.Cache, p.Spec.ID), p.Root); err == nil {
			lock.copy = filepath.Join(dir, l.File)
			args, env = l.Args, maps.Clone(l.Env)
			env[l.Copy] = lock.copy
		}
	}
	add := func(to map[string]any, argsAt, envAt string) map[string]any {
		given, _ := spec.At(to, argsAt).([]any)
		to = spec.Set(to, strings.Split(argsAt, "."), append(given[:len(given):len(given)], args...))
		if env == nil {
			return to
		}
		variables, _ := spec.At(to, envAt).(map[string]any)
		return spec.Set(to, strings.Split(envAt, "."), spec.Merge(variables, env))
	}
	p.Settings = add(p.Settings, l.ArgsAt, l.EnvAt)
	p.Options = add(p.Options, strings.TrimPrefix(l.ArgsAt, l.Option), strings.TrimPrefix(l.EnvAt, l.Option))
	return lock
}

// versionOf is the version that a program prints in a folder, "" when it prints none.
func versionOf(ctx context.Context, s *spec.Spec, root string, words []string) string {
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	cmd := launch.Run(ctx, s, root, words...)
	cmd.Env = append(cmd.Env, "RUSTUP_AUTO_INSTALL=0") // else rustup downloads what rust-toolchain.toml names
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(lsp.ShortVersion(string(out)), "-")
	return "v" + version
}

// refresh makes the copy what the lock file is now. Where there is none the copy stays as the checker left it, so that
// versions of dependencies do not change between two runs.
func (l *lockCopy) refresh() error {
	if l == nil {
		return nil
	}
	raw, err := source.ReadRegular(l.path, maxLockFile)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case l.copy == "" && missing:
		return &lsp.UnlockedError{Path: l.path, Missing: true, Command: l.rule.Make}
	case l.copy == "" || missing:
		return nil
	case err != nil:
		return err
	}
	return os.WriteFile(l.copy, raw, 0o600)
}

// refused is why a checker ended that may not change the lock file, by the server's words; nil where nothing speaks
// for that.
func (l *lockCopy) refused(why string) error {
	if l == nil || l.copy != "" || !strings.Contains(why, l.rule.Ended) {
		return nil
	}
	return &lsp.UnlockedError{Path: l.path, Command: l.rule.Update}
}
