package index

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scip-code/scip/bindings/go/scip"
	"golang.org/x/sync/singleflight"
	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"lspi/internal/source"
	"lspi/lsp/launch"
)

// Table is an index that was read, open for questions. Its methods may be called from several goroutines.
type Table struct {
	File
	Tool, Version string // that made the index
	Commit        string // that it is of; "" when nobody says it
	Documents     int
	Relates       bool  // it tells implementations
	Size          int64 // of the table on disk, in bytes

	db *sql.DB
}

// Document is one file as the index has it.
type Document struct {
	Path     string // absolute
	Encoding source.Encoding
	*scip.Document
}

// Refused is the error of an index that lspi does not answer from.
type Refused struct {
	File string
	Why  string
}

func (e *Refused) Error() string { return e.Why }

// Open opens the table of an index in the folder for tables, which is lspi's cache; a table that is not there, or is of
// another state of the file, is made anew, which for a large index takes seconds. It goes on being made when ctx ends
// before. Tables whose index is gone, and what was not used for long, go ([launch.CacheFolder]). The error of an index
// that is refused is a [*Refused].
func Open(ctx context.Context, cache string, f File) (*Table, error) {
	if cache == "" {
		return nil, errors.New("lspi has no folder for caches")
	}
	stamp, err := stampOf(f.Path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Path, err)
	}
	// A cache that cannot be written may have the table all the same.
	if filepath.Dir(f.Path) == filepath.Dir(Own(cache, f.Root, "").Path) {
		_, _ = launch.CacheFolder(folderIn(cache), f.Root)
	}
	_, _ = launch.CacheFolder(folderIn(cache), f.Path)
	path := filepath.Join(launch.CachePath(folderIn(cache), f.Path), stamp+".db")
	if _, err := os.Stat(path); err != nil {
		made := making.DoChan(path, func() (any, error) {
			return nil, makeTable(context.WithoutCancel(ctx), f.Path, stamp, path)
		})
		select {
		case done := <-made:
			err = done.Err
		case <-ctx.Done():
			err = errors.New("lspi is still at it; ask again later")
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Path, err)
		}
	}
	t, err := openTable(ctx, f, path)
	if err != nil {
		return nil, err
	}
	if now, _ := stampOf(f.Path); now != stamp { // the commit that is beside it now may be of another index
		t.Commit = ""
	}
	return t, nil
}

// making are the tables that this process is making, by their paths.
var making singleflight.Group

// abandoned is the age of a table in the making whose process must have ended.
const abandoned = time.Hour

// makeTable makes the table of a state of an index beside its place and moves it there, so that no other process reads
// half of it; then it removes the tables of earlier states.
func makeTable(ctx context.Context, from, stamp, path string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	dir := filepath.Dir(path)
	made, err := os.CreateTemp(dir, "new-*.tmp")
	if err != nil {
		return err
	}
	made.Close()
	defer os.Remove(made.Name())
	if err := build(ctx, in, made.Name()); err != nil {
		return err
	}
	if now, err := stampOf(from); err != nil || now != stamp {
		return errors.New("it changed meanwhile")
	}
	// On Windows it fails where another process has made the same table and reads it.
	if err := os.Rename(made.Name(), path); err != nil && !source.Exists(path) {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(source.GlobQuote(dir), "*.*"))
	for _, other := range old {
		info, err := os.Stat(other)
		if err == nil && other != path && (filepath.Ext(other) == ".db" || time.Since(info.ModTime()) > abandoned) {
			_ = os.Remove(other) // on Windows a process may still read it
		}
	}
	return nil
}

func openTable(ctx context.Context, f File, path string) (*Table, error) {
	db, err := sql.Open("sqlite", "file:"+uriPath(path)+"?mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	t := &Table{File: f, db: db}
	if info, err := os.Stat(path); err == nil {
		t.Size = info.Size()
	}
	meta := map[string]string{}
	err = rows(ctx, db, "select key, value from meta", func(scan func(...any) error) error {
		var key, value string
		err := scan(&key, &value)
		meta[key] = value
		return err
	})
	if err == nil && meta["refused"] != "" {
		err = &Refused{f.Path, meta["refused"]}
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	t.Tool, t.Version = meta["tool"], meta["version"]
	t.Documents, _ = strconv.Atoi(meta["documents"])
	t.Relates = meta["relates"] != ""
	t.Commit = f.CommitOf(strings.Split(meta["arguments"], "\n"))
	return t, nil
}

// Close closes the table, which stays on disk.
func (t *Table) Close() error { return t.db.Close() }

// rows runs a query and gives each row to each.
func rows(ctx context.Context, db *sql.DB, query string, each func(scan func(...any) error) error, args ...any) error {
	found, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := each(found.Scan); err != nil {
			return err
		}
	}
	return found.Err()
}

// Document returns a file of the index; nil when the index does not have it.
func (t *Table) Document(ctx context.Context, path string) (*Document, error) {
	rel, ok := source.RelativeTo(t.Root, path)
	if !ok {
		return nil, nil
	}
	found, err := t.documents(ctx, "select path, body from documents where path = ?", filepath.ToSlash(rel))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, more := range found[1:] { // such as one for each of several builds
		found[0].Occurrences = append(found[0].Occurrences, more.Occurrences...)
		found[0].Symbols = append(found[0].Symbols, more.Symbols...)
	}
	return found[0], nil
}

// Has reports whether a file is among the documents.
func (t *Table) Has(ctx context.Context, path string) (bool, error) {
	rel, ok := source.RelativeTo(t.Root, path)
	if !ok {
		return false, nil
	}
	n := 0
	err := t.db.QueryRowContext(ctx, "select count(*) from documents where path = ?", filepath.ToSlash(rel)).Scan(&n)
	return n > 0, err
}

// Holding returns the documents that hold a global symbol, or name it in a relationship; at most all that share its
// hash.
func (t *Table) Holding(ctx context.Context, symbol string) (out []*Document, err error) {
	var packed []byte
	err = t.db.QueryRowContext(ctx, "select documents from uses where symbol = ?", hash(symbol)).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	id := uint64(0)
	for err == nil && len(packed) > 0 {
		more, n := binary.Uvarint(packed)
		if n <= 0 {
			return nil, errors.New("a table of lspi is broken")
		}
		packed, id = packed[n:], id+more
		var found []*Document
		found, err = t.documents(ctx, "select path, body from documents where id = ?", id)
		out = append(out, found...)
	}
	return out, err
}

// documents reads the documents of a query.
func (t *Table) documents(ctx context.Context, query string, args ...any) (out []*Document, err error) {
	err = rows(ctx, t.db, query, func(scan func(...any) error) error {
		var path string
		var body []byte
		if err := scan(&path, &body); err != nil {
			return err
		}
		d := &Document{Path: filepath.Join(t.Root, filepath.FromSlash(path)), Document: &scip.Document{}}
		if err := proto.Unmarshal(body, d.Document); err != nil {
			return err
		}
		d.Encoding, _ = encodingOf(t.Tool, d.PositionEncoding) // an index with another one was refused
		out = append(out, d)
		return nil
	}, args...)
	return out, err
}

// Defined is a symbol that a document defines.
type Defined struct{ Name, Symbol string }

// Named returns the global symbols with a bare name, each once.
func (t *Table) Named(ctx context.Context, name string) ([]Defined, error) {
	return t.defined(ctx, "select distinct name, symbol from names where name = ?", name)
}

// Matching returns the global symbols whose bare name match accepts, each once.
func (t *Table) Matching(ctx context.Context, match func(name string) bool) (out []Defined, err error) {
	all, err := t.defined(ctx, "select distinct name, symbol from names")
	for _, d := range all {
		if match(d.Name) {
			out = append(out, d)
		}
	}
	return out, err
}

func (t *Table) defined(ctx context.Context, query string, args ...any) (out []Defined, err error) {
	err = rows(ctx, t.db, query, func(scan func(...any) error) error {
		var d Defined
		err := scan(&d.Name, &d.Symbol)
		out = append(out, d)
		return err
	}, args...)
	return out, err
}

// External returns what the index says of a symbol that no document defines; nil for nothing.
func (t *Table) External(ctx context.Context, symbol string) (*scip.SymbolInformation, error) {
	var body []byte
	err := t.db.QueryRowContext(ctx, "select body from externals where symbol = ?", hash(symbol)).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &scip.SymbolInformation{}
	if err := proto.Unmarshal(body, s); err != nil || s.Symbol != symbol {
		return nil, err
	}
	return s, nil
}

// Label names the tool of an index with its version.
func (t *Table) Label() string {
	return strings.TrimSpace(t.Tool + " " + t.Version)
}
