package trust

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Reach is what a host over HTTP may choose as its workspace: lspi's user did not start that host.
type Reach struct {
	Allowed []string // folders that the user allows; absolute, symbolic links resolved, as by [Real]
	Open    []string // the roots of the open workspaces, in the same form
	User    User
}

// The reasons of a [NoMatchError].
const (
	NotAllowed = "not_allowed"
	Ambiguous  = "ambiguous"
)

// NoMatchError says that a folder belongs to no workspace that may be chosen. It does not tell what exists outside the
// allowed folders.
type NoMatchError struct {
	Given      string
	Reason     string
	Known      []string // the workspaces and folders that may be chosen
	Candidates []string // the workspaces that an ambiguous name may mean
}

func (e *NoMatchError) Error() string {
	switch {
	case e.Reason == Ambiguous:
		return fmt.Sprintf("%q is the name of several workspaces: %s", e.Given, strings.Join(e.Candidates, ", "))
	case len(e.Known) == 0:
		return fmt.Sprintf("%q is no folder that may be used over HTTP: the user allows none (daemon.http_roots)",
			e.Given)
	}
	return fmt.Sprintf("%q is no folder within those that the user allows over HTTP (daemon.http_roots)", e.Given)
}

// Known returns the open workspaces that are allowed, and the allowed folders, sorted.
func (r Reach) Known() []string {
	out := slices.Clone(r.Allowed)
	for _, root := range r.Open {
		if r.Allows(root) {
			out = append(out, root)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Allows reports whether a folder, with symbolic links resolved, lies in an allowed one.
func (r Reach) Allows(real string) bool {
	return slices.ContainsFunc(r.Allowed, func(dir string) bool { return source.Within(dir, real) })
}

// Match finds the workspace of a folder. given is an absolute path, a file URI, a path that begins with ~/, or the last
// parts of the path of a known folder. root is the innermost folder around it, or itself, that is an open workspace, a
// repository or an allowed folder. real is the folder, with symbolic links resolved. The error is a [*NoMatchError].
func (r Reach) Match(given string) (root, real string, err error) {
	path := given
	if rest, ok := strings.CutPrefix(given, "~/"); ok {
		path = filepath.Join(r.User.HomeDir(), rest)
	}
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "file:") {
		return r.byName(given)
	}
	path, err = hostPath(path)
	if err == nil {
		real, err = Real(path)
	}
	if err != nil || !r.Allows(real) { // one answer for both, or it would tell which folders exist elsewhere
		return "", "", r.refuse(given, NotAllowed, nil)
	}
	return r.around(real), real, nil
}

// around returns the innermost known folder or repository that holds real.
func (r Reach) around(real string) string {
	holds := r.Known()
	if repository := repositoryAround(real, r.User); isRepository(repository) && r.Allows(repository) {
		holds = append(holds, repository)
	}
	best := ""
	for _, root := range holds {
		if source.Within(root, real) && len(root) > len(best) {
			best = root
		}
	}
	return best
}

// byName finds a known folder by the last parts of its path.
func (r Reach) byName(given string) (root, real string, err error) {
	tail := string(filepath.Separator) + filepath.Clean(filepath.FromSlash(given))
	var found []string
	for _, root := range r.Known() {
		if strings.HasSuffix(root, tail) {
			found = append(found, root)
		}
	}
	switch len(found) {
	case 0:
		return "", "", r.refuse(given, NotAllowed, nil)
	case 1:
		return found[0], found[0], nil
	}
	return "", "", r.refuse(given, Ambiguous, found)
}

func (r Reach) refuse(given, reason string, candidates []string) error {
	return &NoMatchError{Given: given, Reason: reason, Known: r.Known(), Candidates: candidates}
}
