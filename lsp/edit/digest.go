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

// maxFolderEntries bounds a folder that is moved or deleted; a variable for tests.
var maxFolderEntries = 100_000

// A digest names what is at a path: the SHA-256 of a file's bytes in hex; with "link:" before it, of a symbolic link's
// target; with "folder:", of a folder's entries. "" is nothing at all.

// DigestText is the digest of a file with this text.
func DigestText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// digest is the digest of what is at path, without following a link. What is neither file, link nor folder is an error.
func digest(path string) (string, error) {
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

// gone reports whether nothing is at the path of err, also because its folder is a file.
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
		if strings.HasPrefix(d.Name(), Prefix) { // the plan's own
			return nil
		}
		rel, _ := filepath.Rel(path, p)
		if d.IsDir() {
			entries[rel] = ""
			return nil
		}
		entries[rel], err = digest(p)
		return err
	})
	if err != nil {
		return "", err
	}
	return digestEntries(entries), nil
}

// digestEntries is the digest of a folder with these entries: the digest of each by its path in the folder, "" for
// a folder.
func digestEntries(entries map[string]string) string {
	lines := make([]string, 0, len(entries))
	for rel, sum := range entries {
		lines = append(lines, filepath.ToSlash(rel)+"\x00"+sum+"\n")
	}
	slices.Sort(lines)
	return "folder:" + DigestText(strings.Join(lines, ""))
}

// readText is the text of a regular file, with its digest. It has at most [source.MaxBytes].
func readText(path string) (text, sum string, err error) {
	raw, err := source.ReadBytes(path)
	if err != nil {
		return "", "", err
	}
	return string(raw), DigestText(string(raw)), nil
}
