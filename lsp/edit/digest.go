package edit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"lspi/internal/source"
)

// maxFolderEntries bounds a folder that is moved or deleted, since each entry is read; tests change it.
var maxFolderEntries = 100_000

// A digest identifies what is at a path. For a file it is the SHA-256 of its bytes in hex, for a symbolic link "link:"
// and that of its target, for a folder "folder:" and that of its entries. "" means that nothing is there.

// DigestText returns the digest of a file with this text.
func DigestText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// digestOf returns the digest of what is at path, without following a link. A device, pipe or socket is an error.
func digestOf(path string) (string, error) {
	info, err := os.Lstat(path)
	if gone(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	switch {
	case info.Mode().IsRegular():
		return digestFile(path)
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := os.Readlink(path)
		return "link:" + DigestText(target), err
	case info.IsDir():
		return digestFolder(path)
	default:
		return "", &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is a %s", info.Mode().Type())}
	}
}

// gone reports whether err says that nothing is at a path, also because a folder of the path is a file.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func digestFile(path string) (string, error) {
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digestFolder(path string) (string, error) {
	entries := map[string]string{}
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == path {
			return err
		}
		if len(entries) >= maxFolderEntries {
			return &fs.PathError{Op: "read", Path: path, Err: errors.New("the folder has too many entries")}
		}
		if strings.HasPrefix(d.Name(), Prefix) { // an auxiliary file of an edit
			return nil
		}
		rel, _ := filepath.Rel(path, p)
		if d.IsDir() {
			entries[rel] = ""
			return nil
		}
		entries[rel], err = digestOf(p)
		return err
	})
	if err != nil {
		return "", err
	}
	return digestEntries(entries), nil
}

// digestEntries returns the digest of a folder with these entries: relative path → digest, "" for a folder.
func digestEntries(entries map[string]string) string {
	lines := make([]string, 0, len(entries))
	for rel, sum := range entries {
		// A NUL cannot be in a path, so that no two sets of entries have the same lines.
		lines = append(lines, filepath.ToSlash(rel)+"\x00"+sum+"\n")
	}
	slices.Sort(lines)
	return "folder:" + DigestText(strings.Join(lines, ""))
}

// readText returns the text of a regular file, and its digest. A file larger than [source.MaxBytes] is an error.
func readText(path string) (text, sum string, err error) {
	raw, err := source.ReadBytes(path)
	if err != nil {
		return "", "", err
	}
	return string(raw), DigestText(string(raw)), nil
}
