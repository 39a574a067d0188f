package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
)

// Cache is a folder in which a server keeps for its next start what it found out.
type Cache struct {
	Folder    string `json:"folder"`    // absolute
	Holds     string `json:"holds"`     // what it keeps, for people
	Worktrees string `json:"worktrees"` // what another working tree of the repository has of it, for people
	Usage
}

// Usage is what a folder takes on disk; zero for one that is not there.
type Usage struct {
	Files int    `json:"files"` // how many
	Bytes uint64 `json:"bytes"` // on disk, each file with several names once
	// there are more: the count ended at its limit
	More bool `json:"more,omitempty"`
}

// The bounds of a count of a folder. The cache of gopls has two files for each entry, 100,000 for its 1 GB.
const (
	maxCounted   = 500_000 // entries
	countedLimit = 5 * time.Second
)

// CachesOf returns the caches of a server for the project at a root, with what they take on disk now. cache is lspi's
// own cache of this user; "" when there is none.
func CachesOf(ctx context.Context, sp *spec.Spec, root, cache string) (out []Cache) {
	for _, c := range launch.Caches(launch.Target{Spec: sp, Root: root, Cache: cache}, servers.Caches(sp)) {
		out = append(out, Cache{Folder: c.Path, Holds: c.Holds, Worktrees: c.Worktrees, Usage: UsageOf(ctx, c.Path)})
	}
	return out
}

// UsageOf counts the files of a folder, or of the one that a link leads to, within bounds. What cannot be read does not
// count.
func UsageOf(ctx context.Context, folder string) Usage {
	ctx, cancel := context.WithTimeout(ctx, countedLimit)
	defer cancel()
	return countWithin(ctx, func(ctx context.Context, add func(uint64)) bool { return countFiles(ctx, folder, add) })
}

// countWithin returns what count has added when it is done or ctx ends. It does not wait for count longer than that: a
// network file system that is gone may never answer, and a large folder is read before its first entry is seen.
// count runs on until that answers, at most until the program ends.
func countWithin(ctx context.Context, count func(ctx context.Context, add func(bytes uint64)) (more bool)) Usage {
	var mu sync.Mutex
	var u Usage
	done := make(chan bool, 1)
	go func() {
		done <- count(ctx, func(bytes uint64) {
			mu.Lock()
			defer mu.Unlock()
			u.Files, u.Bytes = u.Files+1, u.Bytes+bytes
		})
	}()
	more := true
	select {
	case more = <-done:
	case <-ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	counted := u
	counted.More = more
	return counted
}

// countFiles adds the bytes of each file below a folder, and reports whether there are more.
func countFiles(ctx context.Context, folder string, add func(bytes uint64)) (more bool) {
	folder, err := filepath.EvalSymlinks(folder) // WalkDir follows no link
	if err != nil {
		return false
	}
	seen, counted := map[fileID]bool{}, 0
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		counted++
		switch {
		case ctx.Err() != nil || counted > maxCounted:
			more = true
			return filepath.SkipAll
		case err != nil: // such as a file that went meanwhile
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		bytes, id, several := onDisk(info)
		if several && seen[id] {
			return nil
		}
		if several { // cargo gives what it built a second name
			seen[id] = true
		}
		add(bytes)
		return nil
	})
	return more
}

// String says how large the folder is.
func (u Usage) String() string {
	switch {
	case u.More:
		return fmt.Sprintf("more than %s in %d files", Size(u.Bytes), u.Files)
	case u.Files == 0:
		return "empty"
	}
	return fmt.Sprintf("%s in %d %s", Size(u.Bytes), u.Files, plural(u.Files, "file"))
}

// Size writes a number of bytes for people.
func Size(bytes uint64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.0f kB", float64(bytes)/(1<<10))
}
