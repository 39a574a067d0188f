package watch

import (
	"context"
	"log/slog"
)

// Mode is how changes are found.
type Mode uint8

const (
	Auto    Mode = iota // in Options: Events where they can be relied on, else Compare
	Events              // by ordered events of the system
	Compare             // by walking the tree at each barrier
)

func (m Mode) String() string { return [...]string{"auto", "events", "compare"}[m] }

// Options configure a journal. The zero value is usable. The functions are called from the journal's own goroutine,
// must be quick and must not call the journal.
type Options struct {
	Log *slog.Logger // nil: discarded

	// SkipDir names folders that are left out beyond those that are ignored (dependencies, build output). nil: none.
	SkipDir func(path string) bool

	// Keep is asked for every folder and file that would be left out, except .git: true keeps it. Of what lies in
	// such a folder only what Keep wants is tracked; so for compile_commands.json in an ignored build, Keep has to be
	// true for both. nil: nothing is kept.
	Keep func(path string) bool

	// Apart is asked for what would be left out and Keep does not want, and for all that lies in a folder for which
	// it is true: changes of these files are told, as far as there are few enough (maxApart), but [Journal.Files]
	// does not have them. So for sources that a build writes, which belong to no project and are read by servers.
	// nil: nothing is followed so.
	Apart func(path string, isDir bool) bool

	// TempPrefix begins the names of files and folders that are there only while something is being done, and are
	// no part of the tree: they are never tracked. "": none.
	TempPrefix string

	// Hold is called before a barrier begins, and what it returns when that is over: meanwhile nobody changes
	// several files who wants that to be seen as one change. It may wait; its only error is the end of ctx. nil:
	// nobody wants that.
	Hold func(ctx context.Context) (release func(), err error)

	// Mode is Auto or Compare.
	Mode Mode

	historyLimit int                         // 0: historyLimit; for tests
	fault        func(op, path string) error // asked before an "open", "watch" or "token" is done; for tests
}
