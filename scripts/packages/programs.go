package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

// programs builds lspi for all systems, static and without paths of this machine.
func (r *release) programs() error {
	for _, s := range systems {
		env := []string{"CGO_ENABLED=0", "GOOS=" + s.OS, "GOARCH=" + s.Arch, "GOFLAGS="}
		err := r.command(".", env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w -X main.release=v"+
			r.version.semver,
			"-o", r.work(s.String(), s.program()), "./cmd/lspi")
		if err != nil {
			return err
		}
	}
	return nil
}

// documents makes the man pages and completions that packages have besides the program.
func (r *release) documents() error {
	man, completions := r.work("shared", "man"), r.work("shared", "completions")
	for _, dir := range []string{man, completions} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	lspi := r.work("lspi")
	err := r.command(".", []string{"CGO_ENABLED=0", "GOFLAGS="}, "go", "build", "-tags", "man", "-buildvcs=true",
		"-ldflags", "-X main.release=v"+r.version.semver, "-o", lspi, "./cmd/lspi")
	if err != nil {
		return err
	}
	if err := r.command(".", nil, lspi, "man", man); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("no man pages: %w", err)
	}
	for _, page := range pages {
		if err := compress(page); err != nil {
			return err
		}
	}
	for shell, file := range map[string]string{"bash": "lspi.bash", "zsh": "_lspi", "fish": "lspi.fish"} {
		err := r.command(completions, nil, "sh", "-c", `"$0" completion "$1" >"$2"`, lspi, shell, file)
		if err != nil {
			return err
		}
	}
	return nil
}

// compress replaces a file by its gzip, without name and time in it, so that the same file gives the same bytes.
func compress(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := os.Create(path + ".gz")
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(path)
}
