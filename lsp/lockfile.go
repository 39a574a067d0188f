package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"lspi/disk"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/source"
)

// UnlockedError is why a checker was not run: it would have written a lock file.
type UnlockedError struct {
	Title   string // of the checker
	Path    string // of the lock file
	Missing bool   // there is none; otherwise it does not fit
	Command string // that writes it, in its folder
}

func (e *UnlockedError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s was not run, because it would write %s, which is not there", e.Title, e.Path)
	}
	return fmt.Sprintf("%s did not run: perhaps because it would have to change %s, and lspi lets it write nothing", e.Title, e.Path)
}

// maxLockFile bounds a lock file, in bytes: that of rust-lang/rust has 200 kB.
const maxLockFile = 64 << 20

// versionLimit bounds the question for the checker's version.
const versionLimit = 5 * time.Second

// lockCopy is how the checker of one process treats the lock file.
type lockCopy struct {
	spec *spec.LockFile
	path string // of the lock file
	copy string // of the copy; "" where the checker cannot work with one
}

// placeLock gives the checker's settings what makes it leave the lock file alone. What was given stays, before it.
func placeLock(ctx context.Context, s *spec.Spec, cache, root string, settings, options map[string]any) (map[string]any, map[string]any, *lockCopy) {
	if s.Diagnostics.Check == nil || s.Diagnostics.Check.Lock == nil || !disk.Exists(filepath.Join(root, s.Project.Files[0])) {
		return settings, options, nil
	}
	l := s.Diagnostics.Check.Lock
	lock := &lockCopy{spec: l, path: filepath.Join(root, l.File)}
	args, env := l.Locked, map[string]any(nil)
	if cache != "" && semver.Compare(versionOf(ctx, s, root, l.Program), l.Since) >= 0 {
		if dir, err := launch.CacheFolder(filepath.Join(cache, s.ID), root); err == nil {
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
	settings = add(settings, l.ArgsAt, l.EnvAt)
	options = add(options, strings.TrimPrefix(l.ArgsAt, l.Option), strings.TrimPrefix(l.EnvAt, l.Option))
	return settings, options, lock
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
	version, _, _ := strings.Cut(ShortVersion(string(out)), "-")
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
		return &UnlockedError{Path: l.path, Missing: true, Command: l.spec.Make}
	case l.copy == "" || missing:
		return nil
	case err != nil:
		return err
	}
	return os.WriteFile(l.copy, raw, 0o600)
}

// refused is why a checker ended that may not change the lock file, by the server's words; nil where nothing speaks for that.
func (l *lockCopy) refused(why string) error {
	if l == nil || l.copy != "" || !strings.Contains(why, l.spec.Ended) {
		return nil
	}
	return &UnlockedError{Path: l.path, Command: l.spec.Update}
}
