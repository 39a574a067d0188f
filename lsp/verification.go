package lsp

import (
	"sync"
)

// An answer is checked against the disk before it leaves: each place in it has to hold the name that it is about. A
// place that does not means that the server may be behind, or that the name is another one there (an alias, Self). What
// tells them apart is to show the server the text of that file, by opening it, and to ask once more: what it then still
// says, it says of the text that is on disk.

// verification is what the answers of one question left open: the files of places that did not hold what they should. Safe for
// concurrent use; nil keeps nothing.
type verification struct {
	mu       sync.Mutex
	doubtful map[string]int  // places that could not be verified, by path; guarded by mu
	behind   map[string]bool // of these, the files of which the server has an older text; guarded by mu
	believed map[string]int  // odd places in texts that the server was shown; guarded by mu
	lost     map[string]bool // names of symbols that the server places in files that are gone; guarded by mu
	open     bool            // what the server keeps of changed files was not confirmed; guarded by mu
	shown    []string        // by ShowDoubtful; not while somebody asks
	unsure   bool            // a lost symbol may be elsewhere; by ShowDoubtful; not while somebody asks
}

// doubt notes a place that does not hold what it should; behind tells that the file has changed since the server was told.
func (v *verification) doubt(path string, behind bool) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.doubtful == nil {
		v.doubtful, v.behind = map[string]int{}, map[string]bool{}
	}
	v.doubtful[path]++
	if behind {
		v.behind[path] = true
	}
}

// lose notes a symbol in a file that is gone; name is "" when nobody knows it.
func (v *verification) lose(name string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		v.lost = map[string]bool{}
	}
	v.lost[name] = true
}

// believe notes a place that does not hold the name in a text that the server was shown: it is another name for the same.
func (v *verification) believe(path string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.believed == nil {
		v.believed = map[string]int{}
	}
	v.believed[path]++
}
