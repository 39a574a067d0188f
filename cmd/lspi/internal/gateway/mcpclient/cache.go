package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Cache keeps the last lists of servers over restarts of lspi. Its methods may be called at the same time; a value
// is what was stored under its key by any process, or nothing.
type Cache interface {
	Load(key string) ([]byte, bool)
	Store(key string, value []byte)
}

// kept is a list in a cache.
type kept struct {
	At    time.Time         `json:"at"`
	Items []json.RawMessage `json:"items"`
}

// maxKept bounds a list in the cache.
const maxKept = 4 << 20

func (l *listing[T]) key() string { return l.c.spec.Digest() + "-" + string(l.kind) }

// load takes the list of an earlier process as the newest that is known, once.
func (l *listing[T]) load() {
	c := l.c
	c.mu.Lock()
	loaded := l.loaded || l.last != nil || c.opts.Cache == nil
	l.loaded = true
	c.mu.Unlock()
	if loaded {
		return
	}
	raw, ok := c.opts.Cache.Load(l.key())
	var k kept
	if !ok || len(raw) > maxKept || json.Unmarshal(raw, &k) != nil {
		return
	}
	got := l.snapshot(k.Items, nil, k.At)
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.last == nil {
		l.last = got
	}
}

// store keeps a list. One that holds a secret is not kept.
func (l *listing[T]) store(items []json.RawMessage, at time.Time) {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	err := enc.Encode(kept{at, items})
	if err == nil && raw.Len() <= maxKept && l.c.mask.Text(raw.String()) == raw.String() {
		l.c.opts.Cache.Store(l.key(), raw.Bytes())
	}
}

// Folder is a Cache in a folder: a file for each key, written as a whole, at most maxFiles of them.
type Folder struct{ dir string }

const (
	maxFiles   = 200
	suffix     = ".json"
	folderMode = 0o700
	fileMode   = 0o600
)

// NewFolder returns a cache in dir, which is made when something is stored.
func NewFolder(dir string) *Folder { return &Folder{dir} }

// path returns the file of a key; "" for a key that is no name of a file.
func (f *Folder) path(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) {
		return ""
	}
	return filepath.Join(f.dir, key+suffix)
}

// Load reads what was stored under a key.
func (f *Folder) Load(key string) ([]byte, bool) {
	path := f.path(key)
	if path == "" {
		return nil, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKept {
		return nil, false
	}
	raw, err := os.ReadFile(path)
	return raw, err == nil
}

// Store keeps a value. A folder that cannot be written costs the cache, nothing else.
func (f *Folder) Store(key string, value []byte) {
	path := f.path(key)
	if path == "" || len(value) > maxKept {
		return
	}
	if had, ok := f.Load(key); ok && slices.Equal(had, value) {
		return
	}
	if err := os.MkdirAll(f.dir, folderMode); err != nil {
		return
	}
	temp, err := os.CreateTemp(f.dir, key+".*.tmp")
	if err != nil {
		return
	}
	_, err = temp.Write(value)
	err = errors.Join(err, temp.Chmod(fileMode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return
	}
	f.prune()
}

// prune removes the files that were written longest ago, and what a killed process left.
func (f *Folder) prune() {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case strings.HasSuffix(e.Name(), suffix):
			files = append(files, info)
		case strings.HasSuffix(e.Name(), ".tmp") && time.Since(info.ModTime()) > time.Hour:
			_ = os.Remove(filepath.Join(f.dir, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range files[min(len(files), maxFiles):] {
		_ = os.Remove(filepath.Join(f.dir, info.Name()))
	}
}
