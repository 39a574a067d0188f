package watch

import (
	"context"
	"log/slog"
)

// Mode is how changes are found.
type Mode uint8

const (
	Auto    Mode = iota // for Options: Events where they tell everything, else Compare
	Events              // by events of the system
	Compare             // by walking the tree at each barrier
)

func (m Mode) String() string { return [...]string{"auto", "events", "compare"}[m] }

// Options configure a journal. The zero value is usable. The journal calls the functions from its own goroutine; they
// must return quickly and must not use the journal.
type Options struct {
	Log *slog.Logger // nil discards

	// SkipDir reports whether a folder is skipped beside those that .gitignore ignores (dependencies, build output).
	// nil skips none.
	SkipDir func(path string) bool

	// Keep is asked about each folder and file that would be left out, except .git; true keeps it tracked. Below a
	// kept folder only what Keep wants is tracked, so for compile_commands.json in an ignored build, Keep has to be
	// true for both. nil keeps nothing.
	Keep func(path string) bool

	// Unlisted is asked about what would be left out and Keep does not keep, and about all below a folder for which
	// it is true. Changes of these files are reported, up to maxUnlisted files and folders, but [Journal.Files] does
	// not list them. It is for sources that a build writes: they belong to no project, but servers read them. nil
	// reports none.
	Unlisted func(path string, isDir bool) bool

	// TempPrefix begins the names of files and folders that exist only during an edit; they are never tracked. "" has
	// none.
	TempPrefix string

	// Hold is called before a barrier begins, and its result when the barrier is over: while an edit of several files
	// is written it blocks, so that no barrier sees half of the edit. Its only error is the end of ctx. nil never
	// blocks.
	Hold func(ctx context.Context) (release func(), err error)

	// Mode is Auto or Compare.
	Mode Mode

	historyLimit int // 0 means the constant; for tests
	// fault is called before an "open", "watch" or "token"; its error is that of the operation. For tests.
	fault func(op, path string) error
}
