package recall

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// opencodeTables are what recall reads of the tables of opencode 1.18.33.
const opencodeTables = `
	CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, revert TEXT,
		time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
	CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);
	CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, data TEXT NOT NULL)`

// opencodeAt is a database of opencode that a test writes.
type opencodeAt struct {
	*home
	*sql.DB
	path string
}

// newOpencode makes a database with a session, one of a sub-agent, and one of another folder.
func newOpencode(t *testing.T, journal string) *opencodeAt {
	h := newHome(t)
	o := &opencodeAt{home: h, path: filepath.Join(h.dir, "opencode", databaseName)}
	h.must(os.MkdirAll(filepath.Dir(o.path), 0o700))
	db, err := sql.Open("sqlite", o.path+"?_pragma=journal_mode("+journal+")")
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	o.DB = db
	o.exec(opencodeTables)
	at := noon.UnixMilli()
	for _, s := range [][]any{{"ses_1", nil, h.work, `{"messageID":"msg_6"}`}, {"ses_2", "ses_1", h.work, nil},
		{"ses_3", nil, "/elsewhere", nil}} {
		o.exec(`INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)`, append(s, at, at+1000)...)
	}
	user := object{"role": "user"}
	o.say("ses_1", "msg_1", user, object{"type": "file", "text": "not asked"}, object{"type": "text", "text": "one"},
		object{"type": "text", "text": "not asked", "synthetic": true})
	o.say("ses_1", "msg_2", object{"role": "assistant"}, object{"type": "text", "text": "not asked"})
	o.say("ses_1", "msg_3", user, object{"type": "text", "text": "not asked", "synthetic": true},
		object{"type": "text", "text": "two"})
	o.exec(`INSERT INTO message VALUES ('msg_4', 'ses_1', ?, '{"role":"user"')`, at)
	o.exec(`INSERT INTO message VALUES ('msg_5', 'ses_1', ?, '{"role":"user"}')`, at)
	o.exec(`INSERT INTO part VALUES ('prt_5', 'msg_5', 'no JSON')`)
	o.say("ses_1", "msg_6", user, object{"type": "text", "text": "taken back"})
	o.say("ses_2", "msg_7", user, object{"type": "text", "text": "of a sub-agent"})
	return o
}

func (o *opencodeAt) exec(query string, args ...any) {
	o.Helper()
	_, err := o.Exec(query, args...)
	o.must(err)
}

// say adds a message with its parts.
func (o *opencodeAt) say(session, id string, message object, parts ...object) {
	o.Helper()
	o.exec(`INSERT INTO message VALUES (?, ?, ?, ?)`, id, session, noon.UnixMilli(), asJSON(o, message))
	for i, p := range parts {
		o.exec(`INSERT INTO part VALUES (?, ?, ?)`, id+"_"+string(rune('a'+i)), id, asJSON(o, p))
	}
}

func asJSON(h interface{ must(error) }, v any) string {
	raw, err := json.Marshal(v)
	h.must(err)
	return string(raw)
}

// What was asked is read from opencode's database, whether or not opencode has it open, and nothing is created there.
// Files from before the database do not count.
func TestOpencodeDatabase(t *testing.T) {
	for _, c := range []struct {
		journal string
		open    bool // by opencode, which has written all into the log yet
	}{{"wal", true}, {"wal", false}, {"delete", false}} {
		o := newOpencode(t, c.journal)
		o.write("opencode/storage/session/p1/ses_9.json", `{"id":"ses_9","directory":"`+o.work+`"}`, 0)
		if !c.open {
			o.must(o.Close())
		}
		before := o.files()
		o.asked("ses_1", "one", "two")
		l, err := o.store.Sessions(t.Context(), o.work, 0)
		o.must(err)
		if len(l.Sessions) != 1 || l.Total != 1 || l.Unread > 0 || len(l.Overlooked) > 0 {
			t.Errorf("%+v", l)
		}
		s := l.Sessions[0]
		if s.ID != "ses_1" || s.Client != Opencode || s.Cwd != o.work || !s.Started.Equal(noon) || s.Path != o.path ||
			!s.Updated.Equal(noon.Add(time.Second)) || s.Preview != "one" || s.Count != 2 {
			t.Errorf("%+v", s)
		}
		if s, rule, err := o.store.Current(t.Context(), Hints{Root: o.work, Client: ClientOf("opencode")}); err != nil ||
			s.ID != "ses_1" || rule != ByTime {
			t.Errorf("%s by %s, %v", s.ID, rule, err)
		}
		if after := o.files(); !slices.Equal(before, after) {
			t.Errorf("%v, before %v", after, before)
		}
	}
}

// files are the names of what is beside the database.
func (o *opencodeAt) files() (out []string) {
	all, err := os.ReadDir(filepath.Dir(o.path))
	o.must(err)
	for _, f := range all {
		out = append(out, f.Name())
	}
	return out
}

// A text that changed since it was listed is not told for the one that was.
func TestOpencodeDatabaseChanges(t *testing.T) {
	o := newOpencode(t, "wal")
	l, err := o.store.Sessions(t.Context(), o.work, 0)
	o.must(err)
	o.exec(`UPDATE part SET data = '{"type":"text","text":"other"}' WHERE message_id = 'msg_3'`)
	if _, err := l.Sessions[0].Request(t.Context(), 2); Message(err) != "Chat data not available for session" {
		t.Error(err)
	}
	o.asked("ses_1", "one", "other")
}

// A database that cannot be read says why, and costs other clients nothing.
func TestOpencodeDatabaseCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(o *opencodeAt)
		says  string
	}{
		"another version": {func(o *opencodeAt) { o.exec(`ALTER TABLE session RENAME COLUMN directory TO place`) },
			"no such column: directory"},
		"no database": {func(o *opencodeAt) {
			o.must(o.Close())
			o.must(os.WriteFile(o.path, []byte(strings.Repeat("no database ", 100)), 0o600))
		}, "file is not a database"},
		"locked": {func(o *opencodeAt) { o.exec(`PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE`) }, "database is locked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOpencode(t, "delete")
			o.SetMaxOpenConns(1)
			o.home.write(project("whole"), newChat("whole", o.work).ask("whole").String(), 1)
			c.spoil(o)
			l, err := o.store.Sessions(t.Context(), o.work, 0)
			o.must(err)
			if len(l.Sessions) != 1 || len(l.Overlooked) != 1 {
				t.Fatalf("%+v", l)
			}
			said := l.Overlooked[0].Error()
			testkit.Holds(t, said, "the sessions of opencode: opencode.db is not as opencode 1.18 writes it, or in use: ", name)
			testkit.Holds(t, said, c.says, name)
		})
	}
}
