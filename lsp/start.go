package lsp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp/process"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
	"lspi/source"
)

// Start starts the server with the first of its commands that works and shakes hands with it. The errors are
// server_not_installed, with everything that was tried, and server_start_failed. A cancelled ctx ends the process. One
// that does not answer is not replaced by the next candidate: that would only multiply the wait.
func Start(ctx context.Context, o Options) (*Server, error) {
	candidates, tried := findCommands(ctx, o.Spec)
	if len(candidates) == 0 {
		if err := process.CanSpawn(); err != nil { // or a command that tells where the server is could not run
			return nil, startFailed(o.Spec, tried, nil, err)
		}
		return nil, notInstalled(o.Spec, tried)
	}
	var err error
	if o.options, err = o.Spec.restrict(o.Root, candidates); err != nil {
		return nil, err
	}
	o.settings = o.Spec.Packages.settings(o.Spec.Settings, o.Root, o.Spec.distrusts)
	o.environment = o.Spec.environment()
	o.settings, o.options, err = o.Spec.placeOutputs(o.Cache, o.Root, o.settings, o.options)
	if err != nil {
		o.Log.Warn("a server writes into the project", "server_id", o.Spec.ID, "error", err)
	}
	if len(o.Spec.Untrusted) > 0 && o.Spec.Code != nil {
		if o.environment, err = o.Spec.Code.Restrict.User.place(userFiles(o.Cache, o.Spec), o.environment); err != nil {
			return nil, o.Spec.refuses(err.Error())
		}
	}
	o.settings, o.options, o.lock = o.Spec.placeLock(ctx, o.Cache, o.Root, o.settings, o.options)
	if err := lookForSpecial(ctx, o); err != nil {
		return nil, err
	}
	o.list = o.Spec.list(o.Root)
	o.index = o.Spec.indexFolder(o.Cache, o.Root)
	if n := o.Commands.outdate(o.Spec.Project, o.Root, o.index); n > 0 {
		o.Log.Info("commands of files have changed, the server's index is made anew", "server_id", o.Spec.ID, "dropped", n)
	}
	limit := o.Spec.Timeouts.Initialize
	if limit == 0 {
		limit = DefaultInitialize
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer to initialize within %v", limit))
	defer cancel()
	var failed *startError
	for _, c := range candidates {
		s, err := startOne(ctx, o, c)
		if err == nil {
			return s, nil
		}
		failed = err
		tried = append(tried, fmt.Sprintf("%s: %v", c.Path, err))
		if ctx.Err() != nil || process.Shortage(err) != "" {
			break
		}
		o.Log.Warn("starting a server", "server_id", o.Spec.ID, "command", c.Path, "error", err)
	}
	return nil, startFailed(o.Spec, tried, failed.tail, failed)
}

// startError is why one candidate did not come up.
type startError struct {
	err  error
	exit string   // how its process ended by itself; "" when it did not
	tail []string // of its stderr
}

func (e *startError) Error() string {
	text := e.err.Error()
	if e.exit != "" {
		text = e.exit
	}
	if len(e.tail) > 0 {
		text += " (" + e.tail[len(e.tail)-1] + ")"
	}
	return text
}

func (e *startError) Unwrap() error { return e.err }

func startOne(ctx context.Context, o Options, c Candidate) (*Server, *startError) {
	dir := o.Root
	if o.Spec.Cwd != "" {
		dir = o.Spec.Cwd
	}
	proc, err := process.Spawn(c.Path, c.Args, dir, o.environment)
	if err != nil {
		return nil, &startError{err: err}
	}
	s := newServer(o, proc, c.Path)
	s.open(wire.Options{Request: s.answer, Notification: s.hear, Trace: traceOf(o.Trace)})
	// Changes from now on are told; what the server reads at its start is at least as new.
	for _, folder := range s.folders {
		if err = s.track(ctx, folder); err != nil {
			break
		}
	}
	if err == nil {
		err = s.handshake(ctx)
	}
	if err == nil {
		return s, nil
	}
	failed := &startError{err: err}
	if closed := (*wire.ClosedError)(nil); errors.As(err, &closed) && proc.Gone(brokenTime) {
		failed.exit = proc.Exit()
	}
	s.abandon()
	failed.tail = proc.Stderr.Tail(5)
	return nil, failed
}

// walkPatience is how long a start waits for the first walk of the tree, which looks for special files.
const walkPatience = 5 * time.Second

// SpecialFile is an error that names a pipe, socket or device, or a link to one, that the server of this row would read as a source
// or project file of the root: it would wait for ever or read without end (a link to /dev/random had go list take 3.5 GB).
func (s *Spec) SpecialFile(j *watch.Journal, root string) error {
	if j == nil {
		return nil
	}
	reads := func(path string) bool {
		base := baseName(path)
		_, in := source.RelativeTo(root, path)
		return in && (s.SourceID(base) || s.IsProjectFile(base) || slices.Contains(s.Freshness.RestartOn, base))
	}
	for _, path := range j.Special(reads) {
		return contract.Errorf(contract.KindSpecialFile, contract.Facts{"server_id": s.ID, "file_path": path},
			"%s is a pipe, a socket or a device, or a link to one, and %s would read it as a source of the project without end", path, s.ID)
	}
	return nil
}

// lookForSpecial is SpecialFile once the tree was walked.
func lookForSpecial(ctx context.Context, o Options) error {
	if o.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, walkPatience, fmt.Errorf("walking the tree took longer than %v", walkPatience))
	defer cancel()
	if _, err := o.Journal.Barrier(ctx); err != nil {
		o.Log.Info("special files are not looked for", "root", o.Root, "error", err)
		return nil
	}
	return o.Spec.SpecialFile(o.Journal, o.Root)
}

// SourceID reports whether a file of this name is a source of the server's languages, and no file that only stands beside
// them. Editors keep locks and copies beside a file by names that begin with a dot.
func (s *Spec) SourceID(base string) bool {
	return s.Serves(base) && filepath.Ext(base) != "" && base[0] != '.'
}
