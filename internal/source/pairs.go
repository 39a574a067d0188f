package source

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// PathPair is one folder with its two names: the path here, and the path on the machine where a language server runs.
// Both are absolute and clean.
type PathPair struct{ Local, Remote string }

// PathPairs translate paths between this machine and another one. Paths inside of no pair have no other name.
type PathPairs []PathPair

// NewPathPairs makes pairs of a table of local and remote folders, the ones with the longest local path first.
func NewPathPairs(folders map[string]string) PathPairs {
	var out PathPairs
	for local, remote := range folders {
		out = append(out, PathPair{filepath.Clean(local), path.Clean(remote)})
	}
	slices.SortFunc(out, func(a, b PathPair) int {
		if d := len(b.Local) - len(a.Local); d != 0 {
			return d
		}
		return strings.Compare(a.Local, b.Local)
	})
	return out
}

// Remote returns what a path of this machine is called there; ok is false for a path in no pair.
func (p PathPairs) Remote(local string) (remote string, ok bool) {
	pair, rest := p.Holding(local)
	if pair == nil {
		return "", false
	}
	return path.Join(pair.Remote, filepath.ToSlash(rest)), true
}

// Holding returns the pair with the longest local folder around a path, and the path relative to it; nil where none is.
func (p PathPairs) Holding(local string) (pair *PathPair, rest string) {
	for i := range p {
		if rel, ok := RelativeTo(p[i].Local, local); ok && (pair == nil || len(p[i].Local) > len(pair.Local)) {
			pair, rest = &p[i], rel
		}
	}
	return pair, rest
}

// Here returns what a path of the other machine is called on this one; ok is false for a path in no pair.
func (p PathPairs) Here(remote string) (local string, ok bool) {
	best := -1
	for i := range p {
		rest, below := strings.CutPrefix(path.Clean(remote), strings.TrimSuffix(p[i].Remote, "/"))
		if below && (rest == "" || rest[0] == '/') && (best < 0 || len(p[i].Remote) > len(p[best].Remote)) {
			best, local = i, filepath.Join(p[i].Local, filepath.FromSlash(rest))
		}
	}
	return local, best >= 0
}
