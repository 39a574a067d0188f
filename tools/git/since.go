package git

import (
	"context"
	"path/filepath"
	"strings"
)

// State is how a working tree stands to a commit.
type State struct {
	Commit, Head string // in full
	// Changed are the files that differ on disk from Commit, and those that git does not track and does not ignore, of
	// which there are at most maxUntracked; deleted ones are among them.
	Changed []string

	followed map[string]bool
	repository
}

// Since compares the working tree around dir with a commit. Errors and environ are those of [Read]; a commit that the
// repository does not have is one of reason revision.
func Since(ctx context.Context, dir, commit string, environ []string) (*State, error) {
	r, err := open(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	s := &State{repository: r}
	if s.Commit, err = r.commit(ctx, commit); err != nil {
		return nil, err
	}
	if s.Head, err = r.commit(ctx, "HEAD"); err != nil {
		return nil, err
	}
	d := &Diff{repository: r}
	if d.Files, err = r.changedFiles(ctx, s.Commit, ""); err == nil {
		err = d.untracked(ctx)
	}
	for _, f := range d.Files {
		s.Changed = append(s.Changed, f.Path)
	}
	if err == nil {
		err = s.follow(ctx)
	}
	return s, err
}

// Tells reports whether git would tell that a file changed: not of ignored files, those of other repositories, and
// those that are marked as not to be looked at (assume-unchanged, skip-worktree).
func (s *State) Tells(path string) bool { return s.followed[path] }

// follow lists the files whose changes git tells.
func (s *State) follow(ctx context.Context) error {
	raw, err := s.run(ctx, "ls-files", "-v", "-z")
	s.followed = map[string]bool{}
	for entry := range strings.SplitSeq(raw, "\x00") {
		if name, ok := strings.CutPrefix(entry, "H "); ok { // H: in git's index, and nothing else
			s.followed[filepath.Join(s.top, filepath.FromSlash(name))] = true
		}
	}
	return err
}
