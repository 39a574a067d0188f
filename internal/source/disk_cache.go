package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// DiskCache is [OS] for a long-lived process: a question about markers asks every folder above the file for some thirty
// names, most of which are never there. What a folder has is a function of its entries, and every change of its entries
// changes its modification time; so answers are kept with the time at which they were true, and one stat per folder
// and question tells whether they still are. Nothing is kept of a folder that changed a moment ago, because a second
// change within the clock's grain would not show.
type DiskCache struct {
	mu      sync.Mutex
	folders map[string]*folder // by absolute path; guarded by mu
}

// NewDiskCache knows nothing yet.
func NewDiskCache() *DiskCache { return &DiskCache{folders: map[string]*folder{}} }

const (
	// grain is longer than the coarsest grain of modification times (2 s on FAT).
	grain = 3 * time.Second
	// maxFolders bounds what is kept; beyond it everything is forgotten, and asked again when needed.
	maxFolders = 8192
)

// folder is what was learnt of one folder while it had the state of info.
type folder struct {
	info    os.FileInfo
	mu      sync.Mutex
	matches map[string][]string // pattern of one element → the entries that match; guarded by mu
}

// View is files for one question of one goroutine: of a [DiskCache] a view that looks at each folder once, and
// files themselves of anything else.
func View(files Files) Files {
	if c, ok := files.(*DiskCache); ok {
		return &view{cache: c, seen: map[string]*folder{}}
	}
	return files
}

// Has asks through a view of its own.
func (c *DiskCache) Has(dir, glob string) bool { return View(c).Has(dir, glob) }

// Read is not kept: texts change without their folder.
func (c *DiskCache) Read(path string) []byte { return OS{}.Read(path) }

type view struct {
	OS
	cache *DiskCache
	seen  map[string]*folder // nil for a folder that is not there
}

func (v *view) Has(dir, glob string) bool {
	f, ok := v.seen[dir]
	if !ok {
		f = v.cache.folder(dir)
		v.seen[dir] = f
	}
	if f == nil {
		return false
	}
	element, rest, deeper := strings.Cut(glob, "/")
	names := f.match(dir, element)
	if !deeper {
		return len(names) > 0
	}
	return slices.ContainsFunc(names, func(name string) bool { return v.Has(filepath.Join(dir, name), rest) })
}

// folder is what is known of dir in its present state, nil when it is not a folder.
func (c *DiskCache) folder(dir string) *folder {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.folders[dir]; f != nil && f.info.ModTime().Equal(info.ModTime()) && os.SameFile(f.info, info) {
		return f
	}
	f := &folder{info: info, matches: map[string][]string{}}
	if time.Since(info.ModTime()) < grain {
		delete(c.folders, dir)
		return f
	}
	if len(c.folders) >= maxFolders {
		clear(c.folders)
	}
	c.folders[dir] = f
	return f
}

// match lists the entries of the folder that match one element of a glob.
func (f *folder) match(dir, element string) []string {
	f.mu.Lock()
	names, ok := f.matches[element]
	f.mu.Unlock()
	if ok {
		return names
	}
	names = entries(dir, element)
	f.mu.Lock()
	f.matches[element] = names
	f.mu.Unlock()
	return names
}
