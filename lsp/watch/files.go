package watch

import (
	"iter"
	"maps"
	"path/filepath"
	"slices"
)

// Files iterates over the paths of all tracked files, extra ones not among them, folder by folder in sorted order. It
// gives the state of the last barrier or a later one; call [Journal.Barrier] first, since before the first walk there
// are none. The journal may be used in the loop.
func (j *Journal) Files() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, dir := range j.folders() {
			for _, name := range j.namesIn(dir) {
				if !yield(join(dir, name)) {
					return
				}
			}
		}
	}
}

// CountByExt counts the tracked files by extension, as filepath.Ext has it (".go", "" for none).
func (j *Journal) CountByExt() map[string]int {
	counts := make(map[string]int)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, d := range j.dirs {
		for name := range d.files {
			counts[filepath.Ext(name)]++
		}
	}
	return counts
}

func (j *Journal) folders() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Sorted(maps.Keys(j.dirs))
}

func (j *Journal) namesIn(dir string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d := j.dirs[dir]; d != nil {
		return slices.Sorted(maps.Keys(d.files))
	}
	return nil
}
