package gopls

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// The go command (1.26.8, cmd/go/internal/modindex) keeps in its cache what it found in a folder, under the names,
// times and sizes of the files there. When a source is given back the right to be read and nothing else, all three
// are as before, and the go command goes on to say that it cannot be read; gopls (0.23.0) then has no package for
// the file, and its answers lack what is in it, without a word.

// folderIndex is whether the processes of one launcher let the go command use that cache. It is given up for good
// once a source is missing because of it: what is in the cache stays there for every later process, too. Not from
// the beginning, because without it go list takes 1.2 s for x/tools instead of 0.8.
type folderIndex struct{ off atomic.Bool }

// giveUp has every process that is started from now on do without it.
func (x *folderIndex) giveUp() { x.off.Store(true) }

// indexedAge is the age of files from which on the go command keeps what it found in their folder.
const indexedAge = 2 * time.Second

// debugVariable holds the switches of the go command that are no part of its documentation. noIndex is the one for
// the cache of folders.
const (
	debugVariable = "GODEBUG"
	noIndex       = "goindex=0"
)

// environment is that of a process, as os.Environ has it.
func (x *folderIndex) environment(environ []string) []string {
	if !x.off.Load() {
		return environ
	}
	value := noIndex
	// Behind what is there, because the last switch of a name counts.
	if given := spec.Variable(environ, debugVariable); given != "" {
		value = given + "," + noIndex
	}
	return append(environ[:len(environ):len(environ)], debugVariable+"="+value)
}

// readableAgain are those of the changed files that could not be read when an answer about the project was given last.
func (a *Process) readableAgain(changes []watch.Change) (out []string) {
	for _, c := range changes {
		if c.Kind == watch.Changed && a.serves(c) && a.Server.WasUnreadable(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out
}

// packageless is in the words with which gopls refuses a request about a file that is in no package that it has loaded.
const packageless = "no package metadata for file"

// missedByIndex reports whether gopls refuses a file, for which it was asked, because of what the go command keeps
// of its folder.
func (a *Process) missedByIndex(ctx context.Context, path string, err error) bool {
	var refused *contract.Error
	return errors.As(err, &refused) && refused.Kind == contract.KindRequestFailed &&
		strings.Contains(refused.Message, packageless) && a.mayBeIndexed(ctx, path)
}

// hearPushed is [lsp.DiagnosticHooks].HearPushed. What the go command says of a file that it cannot open is an
// error of its package.
func (a *Process) hearPushed(message string) {
	rest, ok := strings.CutPrefix(message, "open ")
	if !ok {
		return
	}
	if path, _, ok := cutLast(rest, ": "); ok && a.tree.rules.source(path) {
		a.closed.Store(&path)
	}
}

// missedAtLoad reports whether gopls has pushed that a file cannot be opened which can be: the cache was wrong
// already when the process began, so that no change names the file. gopls pushes it up to a second behind its first
// answers.
func (a *Process) missedAtLoad(ctx context.Context) bool {
	path := a.closed.Load()
	return path != nil && a.mayBeIndexed(ctx, *path)
}

// mayBeIndexed reports whether only the cache can keep the go command from taking a source in.
func (a *Process) mayBeIndexed(ctx context.Context, path string) bool {
	if a.index.off.Load() || !a.tree.rules.source(path) {
		return false
	}
	// A folder with a file that was written now is not in the cache. That is asked first, because most files that
	// gopls refuses are new ones of other builds, and what follows may read all sources.
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) < indexedAge {
		return false
	}
	if _, err := source.Read(path); err != nil {
		return false // nobody can read it
	}
	return a.tree.exclusion(ctx, path) == nil
}
