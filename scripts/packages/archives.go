package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a file of an archive.
type entry struct {
	name string // in the archive, with slashes
	path string // here
	mode fs.FileMode
}

// archives makes one archive for each system: zip for Windows, else a compressed tar.
func (r *release) archives() error {
	for _, s := range systems {
		name := "lspi_" + r.version.semver + "_" + s.String()
		entries, err := r.entries(s, name)
		if err != nil {
			return err
		}
		write, suffix := r.tarball, ".tar.gz"
		if s.OS == "windows" {
			write, suffix = r.zip, ".zip"
		}
		if err := create(filepath.Join(r.dist, name+suffix), entries, write); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the files of an archive, all below one folder.
func (r *release) entries(s System, folder string) ([]entry, error) {
	out := []entry{
		{folder + "/" + s.program(), r.work(s.String(), s.program()), 0o755},
		{folder + "/LICENSE", "LICENSE", 0o644}, {folder + "/README.md", "README.md", 0o644},
		{folder + "/lspi.toml.example", "lspi.toml.example", 0o644},
	}
	for _, kind := range []string{"man", "completions"} {
		files, err := os.ReadDir(r.work("shared", kind))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, entry{folder + "/" + kind + "/" + f.Name(), r.work("shared", kind, f.Name()), 0o644})
		}
	}
	slices.SortFunc(out[1:], func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// create writes an archive.
func create(path string, entries []entry, write func(io.Writer, []entry) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f, entries); err != nil {
		return err
	}
	return f.Close()
}

func (r *release) tarball(out io.Writer, entries []entry) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(packed)
	for _, e := range entries {
		raw, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(raw)), ModTime: r.time,
			Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func (r *release) zip(out io.Writer, entries []entry) error {
	w := zip.NewWriter(out)
	for _, e := range entries {
		raw, err := os.ReadFile(e.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(e.mode)
		file, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := file.Write(raw); err != nil {
			return err
		}
	}
	return w.Close()
}
