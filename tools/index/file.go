package index

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/launch"
)

// Name is the name of an index beside a project, and of the one that lspi index makes.
const Name = "index.scip"

// CommitSuffix is what the name of the file beside an index ends with that holds the commit of the index.
const CommitSuffix = ".commit"

// File is an index on disk.
type File struct {
	Path   string // absolute
	Root   string // absolute: the folder that its documents are below
	Commit string // the commit that the configuration gives it; "" for none
}

// Own returns where lspi index puts the index of a folder that a tool makes: in lspi's cache, not in the project.
func Own(cache, root, tool string) File {
	return File{Path: filepath.Join(launch.CachePath(folderIn(cache), root), tool+filepath.Ext(Name)), Root: root}
}

// folderIn is the folder of lspi's cache that has lspi's own indexes by their roots, and the tables by their indexes.
func folderIn(cache string) string { return filepath.Join(cache, "index") }

// Place says where indexes are looked for.
type Place struct {
	Cache   string   // lspi's folder for caches, with the indexes of lspi index; "" for none
	Files   []string // that the configuration names, absolute
	Commit  string   // of Files; "" where files beside them say it
	Roots   []string // the folders of projects
	Allowed []string // the folders of the workspace, out of which no link of theirs leads
}

// Find returns the indexes that are there, those of the configuration first.
func (p Place) Find() (out []File) {
	seen := map[string]bool{}
	inside := func(path string) bool {
		return slices.ContainsFunc(p.Allowed, func(root string) bool { return source.Within(root, path) })
	}
	add := func(f File) {
		real, err := filepath.EvalSymlinks(f.Path)
		if err != nil || seen[real] || inside(f.Path) && !inside(real) {
			return
		}
		if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
			return
		}
		seen[real] = true
		out = append(out, f)
	}
	for _, file := range p.Files {
		add(File{Path: file, Root: filepath.Dir(file), Commit: p.Commit})
	}
	for _, root := range p.Roots {
		add(File{Path: filepath.Join(root, Name), Root: root})
		if p.Cache == "" {
			continue
		}
		made, _ := filepath.Glob(filepath.Join(source.GlobQuote(filepath.Dir(Own(p.Cache, root, "").Path)),
			"*"+filepath.Ext(Name)))
		for _, path := range made {
			add(File{Path: path, Root: root})
		}
	}
	return out
}

// CommitOf returns the commit of an index: that of the file beside it, else that of the configuration, else one that
// the arguments of its tool name; "" when nobody says it.
func (f File) CommitOf(arguments []string) string {
	if text, err := readShort(f.Path + CommitSuffix); err == nil {
		if id := strings.TrimSpace(text); commitID.MatchString(id) {
			return id
		}
	}
	if commitID.MatchString(f.Commit) {
		return f.Commit
	}
	for _, argument := range arguments { // --module-version=…, --project-version …
		if _, value, ok := strings.Cut(argument, "="); ok {
			argument = value
		}
		if wholeID.MatchString(argument) {
			return argument
		}
	}
	return ""
}

var (
	commitID = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)
	wholeID  = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

// IsCommit reports whether a text is the id of a commit, in full or the beginning of it.
func IsCommit(text string) bool { return commitID.MatchString(text) }

// readShort reads a small file.
func readShort(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.New("not a file")
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	return string(text), err
}

// sampled is how much of both ends of an index its stamp is of, in bytes.
const sampled = 64 << 10

// stampOf tells one state of an index from another: its size, its time, and what its ends hold.
func stampOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", f.Name())
	}
	hash := sha256.New()
	fmt.Fprintln(hash, tableVersion, info.Size(), info.ModTime().UnixNano())
	for _, from := range []int64{0, max(info.Size()-sampled, 0)} {
		if _, err := io.Copy(hash, io.NewSectionReader(f, from, sampled)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:12]), nil
}
