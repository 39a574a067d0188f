package recall

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"lspi/tools/recall/jsonl"
)

// errGone is the error of a session whose transcript was deleted.
var errGone = fmt.Errorf("its transcript, which the history of Claude Code names: %w", fs.ErrNotExist)

// historyName is the file in which Claude Code notes each prompt with its session and its project; its folder is that
// above the projects. The history of Codex (0.169.0) has no folder, so it does not tell whose workspace a session is
// of.
const historyName = "history.jsonl"

// inHistory reports whether the history of Claude Code names a session of the workspace. A history that cannot be read
// names none.
func (s *Store) inHistory(ctx context.Context, at *place, id string) bool {
	if s.folders.Claude == "" {
		return false
	}
	root, err := os.OpenRoot(s.folders.Claude)
	if err != nil {
		return false
	}
	defer root.Close()
	f, err := openIn(root, historyName)
	if err != nil {
		return false
	}
	defer f.Close()
	for r := jsonl.NewReader(ctx, f, 0); r.Next(); {
		session, project := historyLine(r)
		if r.End() == nil && session == id && at.holds(project) {
			return true
		}
	}
	return false
}

// historyLine returns the session and the project of the present line of a history (2.1.197).
func historyLine(r *jsonl.Reader) (session, project string) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "sessionId":
			session = short(r)
		case "project":
			project, _ = r.String(maxPath)
		}
	})
	return session, project
}

// named returns the session that a caller names by its id. One that an index still names, and whose transcript is gone,
// is a [DataError] and not a [NotFoundError].
func (s *Store) named(ctx context.Context, all *listing, at *place, id string) (Session, error) {
	one, err := s.sessionByID(ctx, all, at, "", id)
	if isNotFound(err) && !all.has(id) && s.inHistory(ctx, at, id) {
		return Session{}, &DataError{id, errGone}
	}
	return one, err
}
