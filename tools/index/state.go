package index

import (
	"context"
	"path/filepath"

	"lspi/tools/answer"
	"lspi/tools/git"
)

// State is how the disk stands to the commit of an index.
type State struct {
	Git     *git.State // nil where the commit is not known
	Changed []string   // files that differ from it, without the index itself
	// Reason, as warnings have it, and Unproven, in words, say why nothing shows that the disk is that of the commit; ""
	// when it is.
	Reason, Unproven string
}

// StateOf compares the tree around a folder with the commit of an index, "" for an unknown one. path is where the index
// is, or would be: beside it a file may say the commit.
func StateOf(ctx context.Context, folder, path, commit string, environ []string) *State {
	if commit == "" {
		return &State{Reason: "commit_unknown", Unproven: "nobody says of which commit it is (" + filepath.Base(path) +
			CommitSuffix + " beside it, or the key commit of [index])"}
	}
	found, err := git.Since(ctx, folder, commit, environ)
	if err != nil {
		return &State{Reason: "commit_not_found", Unproven: answer.AsError(err).Message}
	}
	s := &State{Git: found}
	for _, changed := range found.Changed {
		if changed != path && changed != path+CommitSuffix {
			s.Changed = append(s.Changed, changed)
		}
	}
	switch {
	case len(s.Changed) > 0:
		s.Reason, s.Unproven = "changed", answer.Counted(len(s.Changed), "file")+" changed since"
	case found.Head != found.Commit:
		s.Reason, s.Unproven = "another_commit", "another commit is checked out: "+Short(found.Head)
	}
	return s
}

// Short is the beginning of a commit's id, as people write it.
func Short(id string) string { return id[:min(len(id), 12)] }
