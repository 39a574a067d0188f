package setup

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
)

// ownLimit bounds the run of a host's own command.
const ownLimit = 30 * time.Second

// The kinds of records: an entry in a host's file, the hooks in a host's file, a marked section of a file, a whole
// file.
const (
	kindEntry   = "entry"
	kindHooks   = "hooks"
	kindSection = "section"
	kindFile    = "file"
)

// record says what setup did to one file, so that Undo takes out exactly that.
type record struct {
	Kind    string `json:"kind"`
	Host    string `json:"host,omitempty"`
	Scope   Scope  `json:"scope"`
	File    string `json:"file"`
	Target  string `json:"target"`
	Existed bool   `json:"existed"`
	Before  string `json:"before_sha256"`
	After   string `json:"after_sha256"`
	Added   string `json:"added,omitempty"`
	Command string `json:"command,omitempty"`
	Backup  string `json:"backup,omitempty"`
	Kept    string `json:"kept_folder,omitempty"` // the innermost folder around the file that existed before
	// Own: the host's own command wrote the file, and perhaps more than the entry.
	Own  bool      `json:"own_command,omitempty"`
	When time.Time `json:"written_at"`
}

// journal is a folder with a record per file, and the backups. A file that has an entry and hooks has a record of each.
type journal struct{ dir string }

func (p Place) journal() journal {
	dir := p.User.StateDir()
	if dir == "" {
		return journal{}
	}
	return journal{filepath.Join(dir, "setup")}
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

func (j journal) path(file string) string {
	return filepath.Join(j.dir, sum([]byte(file))[:32]+".json")
}

// pathOf returns the path of the record of a kind.
func (j journal) pathOf(kind, file string) string {
	if kind == kindHooks {
		return strings.TrimSuffix(j.path(file), ".json") + ".hooks.json"
	}
	return j.path(file)
}

// record writes the record of a change that is about to be made, and a backup of the file; "" when there was no file.
func (j journal) record(c *Change) (backup string, err error) {
	if j.dir == "" {
		return "", errors.New("there is no home folder to keep a backup in")
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return "", err
	}
	r := record{Kind: c.kind, Scope: c.Scope, File: c.File, Target: c.target, Existed: c.existed,
		Before: sum(c.before), After: sum(c.after), Added: c.added,
		Kept: c.kept, When: time.Now().UTC().Truncate(time.Second)}
	if c.Host != nil {
		r.Host = c.Host.Name
	}
	if c.kind == kindEntry {
		r.Command = c.entry.launch().command
	}
	if c.existed {
		r.Backup = filepath.Join(j.dir, sum([]byte(c.File))[:8]+"-"+r.Before[:16]+".backup")
		if err := replaceFile(r.Backup, c.before, 0o600); err != nil {
			return "", fmt.Errorf("keeping a backup of %s: %w", c.File, err)
		}
	}
	if old, err := j.read(j.pathOf(c.kind, c.File)); err == nil {
		// A second change of the same thing: undo goes back to before the first. When others changed the file in
		// between, it takes out what setup wrote, because the backup does not have their changes.
		if old.After != r.Before {
			r.After = ""
		}
		r.Existed, r.Before, r.Backup, r.Kept = old.Existed, old.Before, old.Backup, old.Kept
		switch {
		case r.Added == "":
			r.Added = old.Added
		case c.kind == kindHooks:
			r.Added += " " + old.Added
		}
	}
	return r.Backup, j.write(r)
}

func (j journal) write(r record) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(j.pathOf(r.Kind, r.File), append(raw, '\n'), 0o600)
}

// settle records the file as the host's own command has written it.
func (j journal) settle(c *Change) error {
	r, err := j.read(j.path(c.File))
	if err != nil {
		return err
	}
	r.After, r.Own = sum(c.after), true
	return j.write(r)
}

func (j journal) read(path string) (r record, err error) {
	raw, err := trust.ReadFile(path, 1<<20)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, err
}

// Undone is the result of Undo for one file of the journal.
type Undone struct {
	File, Kind, Host string
	Scope            Scope
	Diff             string // what was, or would be, taken out
	Err              error  // why nothing was taken out; nil otherwise
}

// Undo takes out what setup wrote, for the hosts with these names, or all when there are none. Other edits of the
// same files since then stay. With dryRun it changes nothing.
func (p Place) Undo(hosts []string, dryRun bool) (out []Undone, err error) {
	j := p.journal()
	if j.dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(j.dir, "*.json"))
	if err != nil {
		return nil, err
	}
	// Hooks go first: what setup wrote last is taken out first, and then the file is as the record of the entry says.
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	for _, path := range paths {
		r, err := j.read(path)
		if err != nil {
			out = append(out, Undone{File: path, Err: err})
			continue
		}
		if len(hosts) > 0 && !slices.Contains(hosts, r.Host) {
			continue
		}
		u := Undone{File: r.File, Kind: r.Kind, Host: r.Host, Scope: r.Scope}
		c, err := p.planUndo(j, r)
		if u.Err = err; err == nil {
			u.Diff = c.Diff
			if !dryRun {
				u.Err = j.finish(path, r, c)
			}
		}
		out = append(out, u)
	}
	return out, nil
}

// rank orders the records of one file for undo.
func rank(path string) int {
	if strings.HasSuffix(path, ".hooks.json") {
		return 0
	}
	return 1
}

// finish writes the file that planUndo computed and removes the record and the backup.
func (j journal) finish(path string, r record, c *Change) error {
	if c.existed {
		if err := unchanged(c); err != nil {
			return err
		}
		var err error
		if c.after == nil {
			err = os.Remove(c.target)
			for dir := filepath.Dir(c.target); err == nil && r.Kept != "" && dir != r.Kept &&
				source.Within(r.Kept, dir); dir = filepath.Dir(dir) {
				if os.Remove(dir) != nil { // it is not empty
					break
				}
			}
		} else {
			err = replaceFile(c.target, c.after, c.mode)
		}
		if err != nil {
			return err
		}
	}
	if r.Backup != "" {
		_ = os.Remove(r.Backup)
	}
	return os.Remove(path)
}

// planUndo computes a file without what setup wrote; its after is nil when the file is to be removed.
func (p Place) planUndo(j journal, r record) (*Change, error) {
	c, err := p.open(r.File, User) // the journal has the target, which a link of the project cannot move
	if err != nil {
		return nil, err
	}
	if c.target != r.Target {
		return nil, fmt.Errorf("%s leads to another file than when lspi setup wrote it", r.File)
	}
	if !c.existed {
		return c, nil
	}
	switch {
	case sum(c.before) == r.After && !r.Existed && !r.Own:
		c.after = nil
	case sum(c.before) == r.After && !r.Own:
		if c.after, err = trust.ReadFile(r.Backup, maxFile); err != nil || sum(c.after) != r.Before {
			c.after, err = p.takeOut(c, r)
		}
	default:
		c.after, err = p.takeOut(c, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	if c.after != nil && !r.Existed && r.Kind != kindFile && strings.Trim(string(withoutMark(c.after)),
		"{} \t\r\n") == "" {
		c.after = nil
	}
	c.Diff = undoDiff(c)
	return c, nil
}

// takeOut returns the text of a file without what setup wrote; others may have changed the file since.
func (p Place) takeOut(c *Change, r record) ([]byte, error) {
	text := withoutMark(c.before)
	var after []byte
	var err error
	switch r.Kind {
	case kindFile:
		return nil, errors.New("the file was changed since lspi setup wrote it; remove it by hand")
	case kindSection:
		after, err = withoutSection(text)
	case kindHooks:
		after, err = takeOutHooks(text, r)
	default:
		after, err = withoutHost(text, r)
	}
	if err == nil && bytes.HasPrefix(c.before, mark) {
		after = append(slices.Clone(mark), after...)
	}
	return after, err
}

// withoutHost returns a host's file without lspi's entry, or with the entry that it had before setup changed it.
func withoutHost(text []byte, r record) ([]byte, error) {
	h := Find(r.Host)
	if h == nil {
		return nil, fmt.Errorf("there is no host %q", r.Host)
	}
	tree, err := h.form.decode(text)
	if err != nil {
		return nil, err
	}
	there := h.form.find(tree, h.path)
	if there == nil {
		return text, nil // somebody has removed it
	}
	if e := entryOf(there); !e.Starts() {
		return nil, errChanged
	}
	if own := entryBefore(h, r); own != nil {
		if entryOf(there).Command != r.Command {
			return nil, errChanged
		}
		return restored(h, text, tree, own)
	}
	after, err := h.form.remove(text, h.path, r.Added)
	if err != nil {
		return nil, err
	}
	left, err := h.form.decode(after)
	if err != nil || h.form.find(left, h.path) != nil || !reflect.DeepEqual(withoutEntry(h, tree),
		withoutEntry(h, left)) {
		return nil, errChanged
	}
	return after, nil
}

// entryBefore returns the entry of lspi that the file had before setup changed it; nil when it had none.
func entryBefore(h *Host, r record) map[string]any {
	if !r.Existed {
		return nil
	}
	backup, err := trust.ReadFile(r.Backup, maxFile)
	if err != nil {
		return nil
	}
	tree, err := h.form.decode(withoutMark(backup))
	if err != nil {
		return nil
	}
	return h.form.find(tree, h.path)
}

// restored returns the text with an entry that again starts what it started before setup changed it. The other fields
// of the entry stay as they are now.
func restored(h *Host, text []byte, tree, own map[string]any) ([]byte, error) {
	there := h.form.find(tree, h.path)
	var fields entryFields
	for _, key := range []string{"command", "cmd", "args"} {
		if reflect.DeepEqual(plainTree(there[key]), plainTree(own[key])) {
			continue
		}
		switch v := own[key].(type) {
		case string:
			fields = append(fields, field{key, v})
		case []any:
			fields = append(fields, field{key, stringsOf(v)})
		default:
			return nil, errChanged
		}
	}
	if len(fields) == 0 {
		return text, nil
	}
	after, err := h.form.change(text, h.path, fields)
	if err != nil {
		return nil, err
	}
	left, err := h.form.decode(after)
	if err != nil || !reflect.DeepEqual(withoutEntry(h, tree), withoutEntry(h, left)) ||
		entryOf(h.form.find(left, h.path)).Line() != entryOf(own).Line() {
		return nil, errChanged
	}
	return after, nil
}
