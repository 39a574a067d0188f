package hooks

import (
	"context"

	"lspi/internal/source"
	"lspi/tools/answer"
	"lspi/tools/git"
)

// The bounds of what is kept of files that differ from the commit when a session begins.
const (
	maxDirty      = 200     // files
	maxDirtyBytes = 8 << 20 // of their texts
)

// texts are those from before the session's changes: of the commit that was checked out when it began, and of the
// files that differed from it then.
type texts struct {
	known  bool                    // they were looked for
	commit *git.Commit             // nil where there is none
	dirty  map[string]*source.Text // nil for a file that was not there
	more   bool                    // dirty has not all of them
}

// readTexts finds the texts as they are now. Without git there are none.
func readTexts(ctx context.Context, c *answer.Call) texts {
	out := texts{known: true, dirty: map[string]*source.Text{}}
	commit, err := git.Head(ctx, c.Workspace.Root, c.Workspace.Table.Environ)
	if err != nil {
		return out
	}
	out.commit = commit
	paths, err := commit.Dirty(ctx)
	out.more = err != nil || len(paths) > maxDirty
	left := maxDirtyBytes
	for _, path := range paths[:min(len(paths), maxDirty)] {
		if len(c.Workspace.Table.Candidates(base(path))) == 0 {
			continue
		}
		text, err := c.Workspace.Text(path)
		if err != nil {
			out.dirty[path] = nil
			continue
		}
		if left -= len(text.Content()); left < 0 {
			out.more = true
			break
		}
		out.dirty[path] = text
	}
	return out
}

// forget drops the text of a file that changed in the session when it is what the file has now: then it was read behind
// the change, and the one from before is that of the commit, if any.
func (t *texts) forget(path string, c *answer.Call) {
	was, dirty := t.dirty[path]
	if !dirty || was == nil {
		return
	}
	if now, err := c.Workspace.Text(path); err == nil && now.Content() == was.Content() {
		delete(t.dirty, path)
	}
}

// of returns the text of a file from before; nil when there was no such file. Its error says that nobody can tell.
func (t *texts) of(ctx context.Context, path string) (*source.Text, error) {
	if text, dirty := t.dirty[path]; dirty || t.commit == nil {
		return text, nil
	}
	content, there, err := t.commit.Text(ctx, path)
	if err != nil || !there {
		return nil, err
	}
	return source.New(path, content), nil
}
