package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// sum returns the SHA-256 of a file in dist.
func (r *release) sum(name string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(r.dist, name))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(raw)), nil
}

// sums writes SHA256SUMS, which sha256sum -c reads.
func (r *release) sums() error {
	files, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		sum, err := r.sum(f.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(r.dist, "SHA256SUMS"), []byte(b.String()), 0o644)
}

// formula fills packaging/lspi.rb.tmpl, for a tap of Homebrew.
func (r *release) formula() error {
	t, err := template.ParseFiles("packaging/lspi.rb.tmpl")
	if err != nil {
		return err
	}
	t = t.Option("missingkey=error")
	data := map[string]any{"Version": r.version.semver, "Homepage": r.homepage}
	for _, s := range systems {
		if s.OS == "windows" {
			continue
		}
		name := "lspi_" + r.version.semver + "_" + s.String() + ".tar.gz"
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		data[s.String()] = map[string]string{"URL": r.download + "/" + name, "Sum": sum}
	}
	f, err := os.Create(filepath.Join(r.dist, "lspi.rb"))
	if err != nil {
		return err
	}
	if err := t.Execute(f, data); err != nil {
		return err
	}
	return f.Close()
}
