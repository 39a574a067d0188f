package watch

import (
	"maps"
	"path/filepath"
	"time"
)

// Extra tracks single files beside the tree from now on: outside it (a go.work above), left out of it
// (build/compile_commands.json), there or not. Each barrier looks at each of them, and links are followed. Their
// changes come with the path as given, made absolute. A folder changes when entries come and go (node_modules).
func (j *Journal) Extra(paths ...string) {
	found := make(map[string]stamp, len(paths))
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			found[abs] = followed(abs)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for path, s := range found {
		if _, ok := j.extras[path]; !ok {
			j.extras[path] = s
		}
	}
}

// followed is the stamp of the file behind path; zero when there is none.
func followed(path string) stamp {
	n, err := stat(path)
	if err != nil || n.sort != file && n.sort != folder {
		return stamp{}
	}
	return n.stamp
}

// checkExtras looks at the extra files.
func (j *Journal) checkExtras() {
	j.mu.Lock()
	extras := maps.Clone(j.extras)
	j.mu.Unlock()
	if len(extras) == 0 {
		return
	}
	j.recentExtras.turn()
	edge := time.Now().UnixNano() - j.window
	for path, old := range extras {
		s := followed(path)
		if j.recentExtras.differs(path, old, s, edge) {
			j.noteExtra(path, old, s)
		}
	}
}

func (j *Journal) noteExtra(path string, old, s stamp) {
	kind := Changed
	switch (stamp{}) {
	case old:
		kind = Created
	case s:
		kind = Deleted
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.extras[path] = s
	j.history.add(placeOf(path), kind)
}
