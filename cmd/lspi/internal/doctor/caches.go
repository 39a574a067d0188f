package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
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

// UsageOf counts the files of a folder, within bounds. What cannot be read does not count.
func UsageOf(ctx context.Context, folder string) (u Usage) {
	ctx, cancel := context.WithTimeout(ctx, countedLimit)
	defer cancel()
	seen, counted := map[fileID]bool{}, 0
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		counted++
		switch {
		case err != nil: // such as a file that went meanwhile
			return nil
		case ctx.Err() != nil || counted > maxCounted:
			u.More = true
			return filepath.SkipAll
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
		u.Files, u.Bytes = u.Files+1, u.Bytes+bytes
		return nil
	})
	return u
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
