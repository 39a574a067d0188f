package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// DiskCache is [OS] for a long-lived process. A question about root markers asks every folder above the file for some
// thirty names, most of which never exist. What a folder has depends on its entries alone, and every change of its
// entries changes its mtime: so answers are kept with the mtime at which they were true, and one stat per folder and
// question tells whether they still are. Nothing is kept of a folder that changed a moment ago, because a second
// change might leave the same mtime.
type DiskCache struct {
	mu      sync.Mutex
	folders map[string]*folder // by absolute path; guarded by mu
}

// NewDiskCache returns an empty cache.
func NewDiskCache() *DiskCache { return &DiskCache{folders: map[string]*folder{}} }

const (
	// mtimeGrain is longer than the coarsest unit of mtimes (2 s on FAT).
	mtimeGrain = 3 * time.Second
	// maxFolders bounds the folders that are kept. Beyond it all of them are dropped, and asked again when needed.
	maxFolders = 8192
)

// folder is what was learnt of one folder while it was in the state of info.
type folder struct {
	info    os.FileInfo
	mu      sync.Mutex
	matches map[string][]string // element of a glob → the entries that match; guarded by mu
}

// View returns files for one question of one goroutine. For a [DiskCache] it looks at each folder once; anything else
// it returns as it is.
func View(files Files) Files {
	if c, ok := files.(*DiskCache); ok {
		return &diskView{cache: c, seen: map[string]*folder{}}
	}
	return files
}

// Has implements [Files]. It is a question of its own; see [View].
func (c *DiskCache) Has(dir, glob string) bool { return View(c).Has(dir, glob) }

// Names implements [Files], as Has does.
func (c *DiskCache) Names(dir, element string) []string { return View(c).Names(dir, element) }

// Read implements [Files]. Texts are not kept, since they change without their folder.
func (c *DiskCache) Read(path string) []byte { return OS{}.Read(path) }

type diskView struct {
	OS
	cache *DiskCache
	seen  map[string]*folder // nil for a folder that does not exist
}

func (v *diskView) Has(dir, glob string) bool {
	element, rest, deeper := strings.Cut(glob, "/")
	names := v.Names(dir, element)
	if !deeper {
		return len(names) > 0
	}
	return slices.ContainsFunc(names, func(name string) bool { return v.Has(filepath.Join(dir, name), rest) })
}

func (v *diskView) Names(dir, element string) []string {
	f, ok := v.seen[dir]
	if !ok {
		f = v.cache.folder(dir)
		v.seen[dir] = f
	}
	if f == nil {
		return nil
	}
	return f.matching(dir, element)
}

// folder returns what is known of dir in its present state; nil when dir is not a folder.
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
	if time.Since(info.ModTime()) < mtimeGrain {
		delete(c.folders, dir)
		return f
	}
	if len(c.folders) >= maxFolders {
		clear(c.folders)
	}
	c.folders[dir] = f
	return f
}

// matching lists the entries of the folder that match one element of a glob.
func (f *folder) matching(dir, element string) []string {
	f.mu.Lock()
	names, ok := f.matches[element]
	f.mu.Unlock()
	if ok {
		return names
	}
	names = entries(dir, element)
	f.mu.Lock() // not held while the disk is read: two goroutines may read the same, and get the same
	f.matches[element] = names
	f.mu.Unlock()
	return names
}
