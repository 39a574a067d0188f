package pyright

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/lsp/watch"
)

// Pyright lists the files of its project when files come or go, up to 250 ms after the last notification, and logs
// how many it found. A new file that is opened belongs to the project before that. One that was deleted and is
// there again does not: what is known of it from before has to be listed first, and until then neither a search for
// symbols nor a rename looks at it, even while it is open (1.1.414; basedpyright 1.40.1 looks at every open file).

// listTime is how long the list may take; a question that finds no list then is answered as partial.
const listTime = 3 * time.Second

// listing is what is known of sources that were deleted and came again.
type listing struct {
	deleted map[string]bool // those that were deleted during the life of the process, and are not there again
	again   []watch.Change  // those that are there again and may not be listed yet
	told    bool            // the server was told twice of them, when it had logged signs lists
	signs   int
}

// changed notes what a sync saw. A sync that fails is repeated with the same changes.
func (l *listing) changed(changes []watch.Change, serves func(name string) bool) {
	for _, c := range changes {
		switch {
		case !serves(filepath.Base(c.Path)):
		case c.Kind == watch.Deleted:
			if l.deleted == nil {
				l.deleted = map[string]bool{}
			}
			l.deleted[c.Path] = true
			l.again = slices.DeleteFunc(l.again, func(a watch.Change) bool { return a.Path == c.Path })
		case l.deleted[c.Path]:
			delete(l.deleted, c.Path)
			l.again, l.told = append(l.again, watch.Change{Path: c.Path, Kind: watch.Created}), false
		}
	}
}

// changed is [lsp.Hooks].Changed.
func (a *Process) changed(changes []watch.Change) {
	a.importsChanged(changes)
	if slices.Contains(a.closed, lsp.MethodWorkspaceSymbol) {
		a.listing.changed(changes, a.Server.Spec().Serves)
	}
}

// afterTell is [lsp.SyncHooks].AfterTell. It waits until the server has listed its files after a deleted one came
// again, once for at most listTime; a list that comes later is noticed by a later sync, and until then
// [Process.lacksTold] says that it is not there. The caller holds the document lock.
func (a *Process) afterTell(ctx context.Context, _ []watch.Change) error {
	l := &a.listing
	if len(l.again) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	if !l.told {
		// The server may be about to log a list that it made before it read the notification. So it has to answer
		// something first, and is then told once more, which makes it list anew: what it logs from here on is a
		// list with the file.
		_, err := a.Server.RequestRaw(limited, lsp.MethodWorkspaceSymbol, map[string]string{"query": ""})
		if err == nil {
			l.signs = a.Server.Health().Signs()
			err = a.Server.TellWatched(limited, l.again)
		}
		if err != nil && (ctx.Err() != nil || a.Server.Ended()) {
			return err
		}
		if err != nil {
			return nil // it was late; the next sync tells it
		}
	} else {
		cancel()
	}
	l.told = true
	if a.Server.Health().AwaitSign(limited, l.signs) {
		l.again = nil
	}
	return ctx.Err()
}

// lacksTold is [lsp.SyncHooks].LacksTold.
func (a *Process) lacksTold() bool { return len(a.listing.again) > 0 }
