package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// systemPackages makes deb, rpm and apk packages with nfpm, as packaging/nfpm.yaml says.
func (r *release) systemPackages() error {
	config, err := os.ReadFile("packaging/nfpm.yaml")
	if err != nil {
		return err
	}
	if err := r.sameTimes(r.work()); err != nil {
		return err
	}
	for _, s := range systems {
		if s.OS != "linux" {
			continue
		}
		filled := os.Expand(string(config), func(name string) string {
			return map[string]string{"ARCH": s.Arch, "VERSION": r.version.semver, "HOMEPAGE": r.homepage,
				"DIST":  r.work(),
				"MTIME": r.time.Format("2006-01-02T15:04:05Z07:00")}[name]
		})
		file := r.work("nfpm_" + s.Arch + ".yaml")
		if err := os.WriteFile(file, []byte(filled), 0o644); err != nil {
			return err
		}
		for _, kind := range []string{"deb", "rpm", "apk"} {
			err := r.command(".", []string{"GOFLAGS="}, "go", "tool", "-modfile=packaging/go.mod", "nfpm", "package",
				"-f", file, "-p", kind, "-t", r.dist)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sameTimes gives all files of a folder the time of the commit.
func (r *release) sameTimes(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, r.time, r.time)
	})
}

// billOfMaterials writes the modules in lspi and their licences in the format of CycloneDX, read from the program for
// Linux; all programs are built from the same modules.
func (r *release) billOfMaterials() error {
	file := filepath.Join(r.dist, "lspi_"+r.version.semver+"_sbom.cdx.json")
	err := r.command(".", []string{"GOFLAGS="}, "go", "tool", "-modfile=packaging/go.mod", "cyclonedx-gomod", "bin",
		"-json", "-licenses", "-noserial",
		"-version", "v"+r.version.semver, "-output", file, r.work("linux_amd64", "lspi"))
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, timestamp.ReplaceAll(raw, []byte(`"timestamp": "`+r.time.Format(time.RFC3339)+`"`)),
		0o644)
}

// timestamp matches the time at which cyclonedx-gomod ran, which is replaced: the same commit has to give the same
// bytes.
var timestamp = regexp.MustCompile(`"timestamp": "[^"]*"`)
