package git

import (
	"context"
	"path/filepath"
	"strings"

	"lspi/contract"
)

// Commit is one commit of a repository, by its id: what HEAD names later does not matter.
type Commit struct {
	repository
	id string
}

// Head returns the commit that is checked out in the repository around dir. Errors and environ are those of [Read].
func Head(ctx context.Context, dir string, environ []string) (*Commit, error) {
	r, err := open(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	id, err := r.commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	return &Commit{r, id}, nil
}

// Origin returns the address of the remote named origin of the repository around dir; "" where there is none. environ
// is that of [Read].
func Origin(ctx context.Context, dir string, environ []string) string {
	r, err := open(ctx, dir, environ)
	if err != nil {
		return ""
	}
	address, err := r.run(ctx, "config", "--get", "remote.origin.url")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(address)
}

// Dirty returns the files that differ on disk from the commit, and those that git does not track and does not ignore,
// of which there are at most maxUntracked; deleted ones are among them.
func (c *Commit) Dirty(ctx context.Context) (paths []string, err error) {
	d := &Diff{Base: c.id, repository: c.repository}
	if d.Files, err = c.changedFiles(ctx, c.id, ""); err == nil {
		err = d.untracked(ctx)
	}
	for _, f := range d.Files {
		paths = append(paths, f.Path)
	}
	return paths, err
}

// Text returns the text of a file in the commit; there is false when the commit does not have it.
func (c *Commit) Text(ctx context.Context, path string) (text string, there bool, err error) {
	rel, err := filepath.Rel(c.top, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "", false, contract.Errorf(contract.KindGitFailed, contract.Facts{"reason": "not_a_repository"},
			"%s lies outside of %s", path, c.top)
	}
	text, err = c.run(ctx, "cat-file", "blob", c.id+":"+filepath.ToSlash(rel))
	if isExit(err, 128) { // what git says of a path that is not there
		return "", false, nil
	}
	return text, err == nil, err
}
