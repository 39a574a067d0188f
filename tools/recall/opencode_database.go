package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite": SQLite in Go, without cgo

	"lspi/tools/recall/jsonl"
)

// databaseName is the file of opencode's database.
const databaseName = "opencode.db"

// opencodeStore implements [stored]: the database in which opencode keeps its sessions. Of its tables session, message
// and part the last two have documents in their column data (1.18.33). A session is the ref opencode.db/SESSION.
type opencodeStore struct{}

// openDatabase opens the database of a folder for reading; nil where there is none. SQLite creates nothing beside it:
// what is not in the main file yet is read from its log (-wal) where there is one. Without a log the main file is all;
// it is taken as one that does not change, because SQLite would create an empty log for it.
func openDatabase(folder string) (*sql.DB, error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := openIn(root, databaseName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	how := url.Values{"mode": {"ro"}, "readonly_shm": {"1"}, "_pragma": {"query_only(1)", "busy_timeout(500)"}}
	if log, err := root.Lstat(databaseName + "-wal"); (err != nil || log.Size() == 0) && logged(f) {
		how.Set("immutable", "1")
	}
	at := filepath.ToSlash(filepath.Join(folder, databaseName))
	if !strings.HasPrefix(at, "/") { // a drive of Windows
		at = "/" + at
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Path: at, RawQuery: how.Encode()}).String())
}

// logged reports whether a database is one with a log, by its header (sqlite.org/fileformat2.html, 1.3).
func logged(f io.ReaderAt) bool {
	var version [1]byte
	_, err := f.ReadAt(version[:], 18)
	return err == nil && version[0] == 2
}

// unreadable says what an error of the database means to whoever looks for a session.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s is not as opencode 1.18 writes it, or in use: %w", databaseName, err)
}

// listOpencode lists the sessions in the database, with what is known of each; where there is none those in files.
func listOpencode(ctx context.Context, p *program, folders []string, all *listing) error {
	storage, folder := folders[:1], folders[1]
	db, err := openDatabase(folder)
	if err != nil {
		return err
	}
	if db == nil {
		return listFilesOf(ctx, p, storage, all)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT id, directory, COALESCE(parent_id, ''), time_created, time_updated FROM session`)
	if err != nil {
		return unreadable(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var h head
		var created, updated int64
		if err := rows.Scan(&id, &h.cwd, &h.parent, &created, &updated); err != nil {
			return unreadable(err)
		}
		h.started, h.side, h.whole = time.UnixMilli(created).UTC(), h.parent != "", true
		all.sessions = append(all.sessions, listed{found: found{ref{folder, databaseName + "/" + id},
			time.UnixMilli(updated)}, client: Opencode, id: id, begin: &h})
	}
	return unreadable(rows.Err())
}

// visit implements [stored].
func (opencodeStore) visit(ctx context.Context, r ref) (out snapshot, err error) {
	out.path = filepath.Join(r.folder, databaseName)
	err = inSession(ctx, r, func(s *opencodeSession) error {
		out.head, out.modified = s.head, s.updated
		for i, q := range s.asked {
			out.requests = append(out.requests, newEntry(r, int64(i), 0, q.text, q.at))
		}
		return nil
	})
	return out, err
}

// texts implements [stored].
func (opencodeStore) texts(ctx context.Context, r ref, entries []entry) (out []text, err error) {
	err = inSession(ctx, r, func(s *opencodeSession) error {
		for _, e := range entries {
			if e.offset >= int64(len(s.asked)) || sum(s.asked[e.offset].text.text) != e.sum {
				return errChanged
			}
			out = append(out, s.asked[e.offset].text)
		}
		return nil
	})
	return out, err
}

// opencodeSession is a session as the database has it.
type opencodeSession struct {
	head    head
	updated time.Time
	asked   []opencodeRequest
}

// opencodeRequest is a request of the user.
type opencodeRequest struct {
	text text
	at   time.Time
}

// inSession reads a session for use.
func inSession(ctx context.Context, r ref, use func(*opencodeSession) error) error {
	db, err := openDatabase(r.folder)
	if err != nil {
		return err
	}
	if db == nil {
		return fs.ErrNotExist
	}
	defer db.Close()
	var s opencodeSession
	if err := s.read(ctx, db, path.Base(r.name)); err != nil {
		return unreadable(err)
	}
	return use(&s)
}

// read reads the session with an id, in one transaction: as it was at one moment.
func (s *opencodeSession) read(ctx context.Context, db *sql.DB, id string) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var created, updated int64
	var reverted string
	err = tx.QueryRowContext(ctx, `SELECT directory, COALESCE(parent_id, ''), time_created, time_updated,
		CASE WHEN json_valid(revert) THEN COALESCE(json_extract(revert, '$.messageID'), '') ELSE '' END
		FROM session WHERE id = ?`, id).Scan(&s.head.cwd, &s.head.parent, &created, &updated, &reverted)
	if err != nil {
		return err
	}
	s.head.started, s.updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated)
	s.head.side, s.head.whole = s.head.parent != "", true
	messages, err := userMessages(ctx, tx, id, reverted)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := s.addTyped(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}

// opencodeMessage is a message of the user.
type opencodeMessage struct {
	id string
	at time.Time
}

// userMessages returns the messages of the user in a session, before the first one that was taken back; "" for none.
// Ids are in the order of time.
func userMessages(ctx context.Context, tx *sql.Tx, session, reverted string) (out []opencodeMessage, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, time_created FROM message WHERE session_id = ?1
		AND (?2 = '' OR id < ?2) AND CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END = 'user'
		ORDER BY id LIMIT ?3`, session, reverted, maxMessages)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m opencodeMessage
		var created int64
		if err := rows.Scan(&m.id, &created); err != nil {
			return nil, err
		}
		m.at = time.UnixMilli(created).UTC()
		out = append(out, m)
	}
	return out, rows.Err()
}

// addTyped adds the first part of a message that the user typed: the others are files that it names.
func (s *opencodeSession) addTyped(ctx context.Context, tx *sql.Tx, m opencodeMessage) error {
	rows, err := tx.QueryContext(ctx, `SELECT data FROM part WHERE message_id = ? ORDER BY id`, m.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var data string
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if r := jsonl.NewDocument(ctx, strings.NewReader(data), 0); r.Next() {
			if p := readOpencodePart(r); r.End() == nil && p.typed() {
				s.asked = append(s.asked, opencodeRequest{p.text, m.at})
				return nil
			}
		}
	}
	return rows.Err()
}
