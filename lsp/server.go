package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lang/dependencies"
	"lspi/lsp/process"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
	"lspi/source"
)

// Defaults of [Timeouts].
const (
	DefaultInitialize = 60 * time.Second
	DefaultRequest    = 30 * time.Second
	DefaultWarmup     = 45 * time.Second
)

// How long a server may take for the steps of its end. Together they are below the 5 s after which nothing of lspi may
// be left.
const (
	shutdownTime = 1500 * time.Millisecond // to answer shutdown
	exitTime     = time.Second             // to exit after exit and the end of its stdin, and once more after SIGTERM
	brokenTime   = 500 * time.Millisecond  // to exit, and so on, when the connection is gone or never came up
)

// errEnded is why calls end that are in flight when their server does.
var errEnded = errors.New("the server has ended")

// Options are what a server needs besides its spec.
type Options struct {
	Spec    *Spec
	Root    string         // absolute
	Folders []string       // workspace folders; nil means the root alone
	Journal *watch.Journal // the changes of the tree that holds Root
	// JournalOf is the journal of the tree that holds a further folder; nil, or a nil journal, means that Journal does.
	JournalOf func(dir string) *watch.Journal
	// JournalBeyond is the journal of a folder outside of the workspace that the server names as a part of the project; nil
	// when such are not followed.
	JournalBeyond func(dir string) *watch.Journal
	Readable      []string // folders of the user's project, absolute, whose files are shown besides Folders
	Texts         *source.Cache
	Commands      *Commands             // over the processes of one server; nil remembers nothing
	Adapter       func(*Server) Adapter // makes what is particular about the server; nil for one that behaves as LSP says
	Cache         string                // lspi's cache of this user, absolute, where servers write instead of the tree; "" when there is none
	Log           *slog.Logger
	Trace         func(sent bool, message []byte) // nil traces nothing

	// Of this process; set by Start.
	options     map[string]any // InitializationOptions
	settings    map[string]any
	environment []string
	lock        *lockCopy // nil when the checker writes no lock file
	index       string    // the folder of the cache where it keeps its index; "" when that is in the tree, or there is none
	list        *listFile // nil when the server reads none
}

// Server is one running language server, from its handshake to its exit. Its methods may be called concurrently.
type Server struct {
	spec     *Spec
	options  map[string]any // initializationOptions, before what the project's files add
	settings map[string]any
	index    string    // Options.index
	list     *listFile // Options.list

	workCopies *workCopies
	root       string
	log        *slog.Logger
	texts      *source.Cache
	reach      *source.Reach
	journal    *watch.Journal // of the root
	journalOf  func(dir string) *watch.Journal
	// of a folder outside of the workspace; nil when such are not followed
	journalBeyond func(dir string) *watch.Journal

	proc         *process.Process
	conn         *wire.Conn
	capabilities capabilities
	ready        *readiness
	loads        *loads
	docs         *documents
	diagnostics  *diagnosticStore
	check        *checkRun // nil when the server has no external checker
	symbols      *symbolCache
	encoding     source.Encoding // set by the handshake, before anyone else sees the server
	command      string          // the executable that runs
	started      time.Time
	info         struct{ Name, Version string } // serverInfo of the handshake

	foldersMu sync.Mutex
	folders   []string        // guarded by foldersMu; written by who also holds the document lock
	tracked   []*tracked      // guarded by foldersMu; written by who also holds the document lock
	installs  map[string]bool // files whose change only a new process sees, by path: signs of package managers, WorkFile; nil without any; guarded by foldersMu
	project   projects

	overlay      atomic.Pointer[Overlay] // nil while none is shown; written by who also holds the document lock
	documentLock chan struct{}           // held by whoever tells the server of texts
	news         uint64                  // syncs that told of changes; needs the document lock
	adapter      Adapter
	code         codeSeen

	mixed    bool             // texts are sent that changed together with others; needs the document lock
	edits    uint64           // those with changes outside of build folders; needs the document lock
	unparsed map[string]int32 // versions of documents that a sync opened and that are not yet parsed; needs the document lock

	acting chan struct{} // held by whoever asks for code actions or has one done
	catch  catcher

	reportMu sync.Mutex
	report   SyncReport // guarded by reportMu

	life    context.Context // ends when the server can be asked no more: by Close, or with the connection or the process
	release context.CancelCauseFunc
	probe   probe
	hung    atomic.Bool    // it answered nothing any more and was ended for that
	mute    atomic.Bool    // the process lived on without its connection and was ended for that
	work    sync.WaitGroup // tend
	closing sync.Once
	closed  chan struct{} // closed when Close has been called
}

// tracked is a journal and how far the server has been told of it.
type tracked struct {
	journal *watch.Journal
	synced  watch.Mark // needs the document lock
}

func newServer(o Options, proc *process.Process, command string) *Server {
	folders := o.Folders
	if len(folders) == 0 {
		folders = []string{o.Root}
	}
	s := &Server{
		spec: o.Spec, options: o.options, settings: o.settings, index: o.index, list: o.list, root: o.Root, folders: folders, texts: o.Texts, journal: o.Journal, journalOf: o.JournalOf,
		workCopies:    newWorkCopies(o),
		journalBeyond: o.JournalBeyond,
		proc:          proc, command: command,
		log: o.Log.With("server_id", o.Spec.ID, "pid", proc.PID()), ready: newReadiness(o.Spec.Readiness), loads: newLoads(o.Spec.Readiness.Loads),
		docs: newDocuments(), diagnostics: newDiagnosticStore(),
		check: newCheckRun(o.Spec.Diagnostics.Check, o.lock), symbols: newSymbolCache(), started: time.Now(),
		probe:        newProbe(),
		documentLock: make(chan struct{}, 1), acting: make(chan struct{}, 1), unparsed: map[string]int32{}, closed: make(chan struct{}),
	}
	s.diagnostics.lostSign = o.Spec.Freshness.Lost
	s.reach = reachOf(s, o.Readable)
	s.adapter = plain{}
	if o.Adapter != nil {
		s.adapter = o.Adapter(s)
	}
	s.life, s.release = context.WithCancelCause(context.Background())
	s.capabilities.unannounced = o.Spec.Unannounced
	s.conn = wire.New(proc, wire.Options{Request: s.answer, Notification: s.hear, Log: s.log, Trace: traceOf(o.Trace),
		Uncancellable: o.Spec.Uncancellable})
	s.work.Go(s.tend)
	return s
}

// tend ends with the server. Without its connection a process is of no use, and without its process a connection that
// somebody else holds open (a grandchild in a group of its own) is not either.
func (s *Server) tend() {
	for s.life.Err() == nil {
		select {
		case <-s.conn.Done():
			s.release(errEnded)
		case <-s.proc.Done():
			s.release(errEnded)
		case <-s.life.Done():
		case <-s.probe.wanted:
			s.judge()
		}
	}
	switch {
	case s.hung.Load():
		s.proc.Stop(brokenTime)
	case s.Closed(): // which ends the process, over this connection
		select {
		case <-s.conn.Done():
		case <-s.proc.Done():
		}
	case !s.proc.Gone(brokenTime) && !s.Closed():
		s.mute.Store(true)
		s.proc.Stop(brokenTime)
	}
	_ = s.conn.Close()
}

func traceOf(f func(bool, []byte)) func(wire.Direction, []byte) {
	if f == nil {
		return nil
	}
	return func(d wire.Direction, message []byte) { f(d == wire.Sent, message) }
}

// ID is the spec's id.
func (s *Server) ID() string { return s.spec.ID }

// Spec is what is known of the server; it must not be changed.
func (s *Server) Spec() *Spec { return s.spec }

// Root is the root that the server was started for.
func (s *Server) Root() string { return s.root }

// Folders are the workspace folders that the server has, the root first.
func (s *Server) Folders() []string {
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	return slices.Clone(s.folders)
}

// Journal is that of the tree that holds the root.
func (s *Server) Journal() *watch.Journal { return s.journal }

// PID is the process id.
func (s *Server) PID() int { return s.proc.PID() }

// Offers reports whether the server answers an LSP method.
func (s *Server) Offers(method string) bool { return s.capabilities.has(method) }

// Encoding is the server's unit of characters.
func (s *Server) Encoding() source.Encoding { return s.encoding }

// Done is closed when the process has ended.
func (s *Server) Done() <-chan struct{} { return s.proc.Done() }

// Ended reports whether the process has ended.
func (s *Server) Ended() bool {
	select {
	case <-s.proc.Done():
		return true
	default:
		return false
	}
}

// Closed reports whether Close was called, so that the end of the process is no crash.
func (s *Server) Closed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Close ends the server: shutdown, exit, then as [process.stop] does. It returns when the process was reaped, after
// 5 s at most; all calls in flight fail at once.
func (s *Server) Close() {
	s.closing.Do(func() {
		close(s.closed)
		dead := s.life.Err() != nil
		s.release(errEnded)
		if !dead {
			s.shutDown()
		}
		s.proc.Stop(exitTime)
		_ = s.conn.Close()
		s.work.Wait()
	})
}

// shutDown asks the server to end (LSP 3.17, shutdown and exit). One that refuses shutdown is told to exit all the same.
func (s *Server) shutDown() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	_ = s.conn.Call(ctx, "shutdown", nil, nil)
	exit, cancel := context.WithTimeout(context.Background(), shutdownTime/10) // its queue may be full
	defer cancel()
	if s.conn.Notify(exit, "exit", nil) == nil {
		s.proc.Gone(exitTime / 2) // before stdin ends: it may still be in the queue
	}
}

// Ready waits until the server shows that its project is loaded, at most budget, and tells what is known then. report,
// which may be nil, hears of every change while it waits.
func (s *Server) Ready(ctx context.Context, budget time.Duration, report func(Status)) Status {
	s.ready.waive(s.MissingProject(s.root) != nil || s.brokenProject(s.root) != "")
	return s.unhealthy(s.ready.wait(ctx, budget, s.life.Done(), report))
}

// Status is what is known of the project now.
func (s *Server) Status() Status {
	return s.unhealthy(s.ready.status())
}

// AddFolder makes a further root known to the server (LSP 3.17, workspace/didChangeWorkspaceFolders); one that it has
// is left alone.
func (s *Server) AddFolder(ctx context.Context, dir string) error {
	if s.hasFolder(dir) {
		return nil
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if s.hasFolder(dir) { // meanwhile
		return nil
	}
	if err := s.track(ctx, dir); err != nil {
		return s.interrupted(ctx, "waiting for file changes", err)
	}
	err = s.conn.Notify(ctx, "workspace/didChangeWorkspaceFolders", protocol.DidChangeWorkspaceFoldersParams{
		Event: protocol.WorkspaceFoldersChangeEvent{
			Added:   []protocol.WorkspaceFolder{{URI: uri.File(dir), Name: baseName(dir)}},
			Removed: []protocol.WorkspaceFolder{},
		},
	})
	if err != nil {
		return s.Failure(ctx, "workspace/didChangeWorkspaceFolders", err)
	}
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	s.folders = append(s.folders, dir)
	return nil
}

func (s *Server) hasFolder(dir string) bool {
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	return slices.Contains(s.folders, dir)
}

// track follows the changes of a folder from now on: those of its tree, and those of the project files in it that the
// tree may leave out (a compile_commands.json in an ignored build folder). It needs the document lock once others see the server.
func (s *Server) track(ctx context.Context, dir string) error {
	j := s.journal
	if s.journalOf != nil {
		if of := s.journalOf(dir); of != nil {
			j = of
		}
	}
	j.Extra(s.spec.Project.Paths(dir)...)
	s.follow(j, dir)
	s.followWork(j, dir)
	s.foldersMu.Lock()
	known := slices.ContainsFunc(s.tracked, func(t *tracked) bool { return t.journal == j })
	s.foldersMu.Unlock()
	if known {
		return nil
	}
	mark, err := j.Barrier(ctx)
	if err != nil {
		return err
	}
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	s.tracked = append(s.tracked, &tracked{j, mark})
	return nil
}

// LastSync is the last sync that found something to tell; zero when there was none.
func (s *Server) LastSync() SyncReport {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	return s.report
}

func (s *Server) setSyncReport(r SyncReport) {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	s.report = r
}

// crashed is the error of a call that the end of the process left without an answer.
func (s *Server) crashed() error {
	exit := s.ending()
	facts := contract.Facts{"server_id": s.spec.ID, "exit": exit}
	message := fmt.Sprintf("%s ended (%s)", s.spec.ID, exit)
	if !s.Closed() {
		tail := s.proc.Stderr.Tail(5)
		if facts["stderr_tail"] = tail; len(tail) > 0 {
			message += "; its last words: " + tail[len(tail)-1]
		}
	}
	return contract.Errorf(contract.KindServerCrashed, facts, "%s", message)
}

// ending tells how the server ended, as far as is known.
func (s *Server) ending() string {
	if broken := (*wire.ProtocolError)(nil); errors.As(s.conn.Err(), &broken) {
		return broken.Error() + ", the process was stopped" // how that then ended tells nothing
	}
	if s.Closed() {
		return "stopped by lspi"
	}
	if s.hung.Load() {
		return "it did not answer any more, the process was stopped"
	}
	select {
	case <-s.proc.Done():
		if s.mute.Load() {
			return "its output ended, the process was stopped"
		}
		return s.proc.Exit()
	default:
		return "its output ended"
	}
}

// Failure is explain for all but requests: a server that does not take what it is told in time is suspected.
func (s *Server) Failure(ctx context.Context, method string, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.suspect()
	}
	return s.explain(ctx, method, err)
}

// interrupted is failure for work of lspi itself that stands before a request, such as "waiting for file changes": its
// name is no method, so that no limit of a method can be raised for it.
func (s *Server) interrupted(ctx context.Context, activity string, err error) error {
	err = s.Failure(ctx, activity, err)
	e := (*contract.Error)(nil)
	if !errors.As(err, &e) || e.Facts["method"] != activity {
		return err
	}
	e.Facts = contract.Facts{"server_id": s.spec.ID, "activity": activity}
	if e.Kind == contract.KindRequestTimeout {
		e.Message = fmt.Sprintf("%s for %s took too long: %v", activity, s.spec.ID, context.Cause(ctx))
	}
	return err
}

// explain turns an error of what ctx bounds into one of the contract.
func (s *Server) explain(ctx context.Context, method string, err error) error {
	if e := (*contract.Error)(nil); errors.As(err, &e) || errors.Is(err, ErrRestartNeeded) {
		return err
	}
	var response *wire.ResponseError
	var closed *wire.ClosedError
	facts := contract.Facts{"server_id": s.spec.ID, "method": method}
	switch {
	case errors.As(err, &response):
		return s.refused(method, response)
	case errors.As(err, &closed), errors.Is(context.Cause(ctx), errEnded):
		// The stream ends a moment before the process is reaped; its exit status belongs into the error.
		if !s.Closed() {
			s.proc.Gone(2 * brokenTime)
		}
		return s.crashed()
	case errors.Is(err, watch.ErrClosed):
		return contract.Errorf(contract.KindCancelled, facts, "lspi is shutting down")
	case ctx.Err() == nil:
		return contract.Errorf(contract.KindRequestFailed, facts, "%s at %s: %w", method, s.spec.ID, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return contract.Errorf(contract.KindRequestTimeout, facts, "%s did not answer %s in time: %w", s.spec.ID, method, context.Cause(ctx))
	}
	return contract.Errorf(contract.KindCancelled, facts, "%s was cancelled: %w", method, context.Cause(ctx))
}

func (s *Server) refused(method string, r *wire.ResponseError) error {
	facts := contract.Facts{"server_id": s.spec.ID, "method": method}
	kind := contract.KindRequestFailed
	if r.Code == wire.CodeMethodNotFound {
		kind = contract.KindRequestUnsupported
	}
	if kind == contract.KindRequestFailed {
		facts["refused"] = true
	}
	e := contract.Errorf(kind, facts, "%s refused %s: %s", s.spec.ID, method, Cut(r.Message, 1000))
	e.Code = r.Code
	if len(r.Data) > 0 && len(r.Data) < 4000 {
		e.Data = r.Data
	}
	return e
}

// CrashError describes the end of the process; only after Done.
func (s *Server) CrashError() error { return s.crashed() }

// FollowOutside follows the changes of folders outside of the workspace, at most limit of them, that belong to the project. A folder in a tree
// that is followed, or around one, is left out, and one that is not there.
func (s *Server) FollowOutside(ctx context.Context, dirs []string, limit int) error {
	dirs = s.apart(dirs)
	if len(dirs) == 0 || s.journalBeyond == nil {
		return nil
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, dir := range dirs[:min(len(dirs), limit)] {
		j := s.journalBeyond(dir)
		mark, err := j.Barrier(ctx)
		if err != nil {
			return s.interrupted(ctx, "following "+dir, err)
		}
		s.foldersMu.Lock()
		if !slices.ContainsFunc(s.tracked, func(t *tracked) bool { return t.journal == j }) {
			s.tracked = append(s.tracked, &tracked{j, mark})
		}
		s.foldersMu.Unlock()
	}
	return nil
}

// apart are those of dirs that are folders, neither in a tree that is followed nor around one, each once.
func (s *Server) apart(dirs []string) (out []string) {
	s.foldersMu.Lock()
	defer s.foldersMu.Unlock()
	for _, dir := range dirs {
		apart := !slices.ContainsFunc(s.tracked, func(t *tracked) bool {
			_, inside := source.RelativeTo(t.journal.Root(), dir)
			_, around := source.RelativeTo(dir, t.journal.Root())
			return inside || around
		})
		if info, err := os.Stat(dir); apart && err == nil && info.IsDir() && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// Changed are the files that changed since their journals began, by path: what an index on disk has of them may be of a text before. all
// is true when that is not known any more.
func (s *Server) Changed() (files map[string]bool, all bool) {
	s.foldersMu.Lock()
	tracked := slices.Clone(s.tracked)
	s.foldersMu.Unlock()
	files = map[string]bool{}
	for _, t := range tracked {
		changes, ok := t.journal.SinceFirst()
		if !ok {
			return nil, true
		}
		for _, c := range changes {
			files[c.Path] = true
		}
	}
	return files, false
}

func (s *Server) alive() error {
	if s.life.Err() != nil {
		return s.crashed()
	}
	return nil
}

// reachOf is what a server may be shown to read: the workspace's folders, its own, and its dependencies.
func reachOf(s *Server, folders []string) *source.Reach {
	r := source.NewReach(append(slices.Clone(folders), s.folders...)...)
	if from := s.spec.Sources; from != nil {
		folders := []func() []string{sync.OnceValue(func() []string {
			return from.folders(&dependencySearch{spec: s.spec, root: s.root, command: s.command, pid: s.PID(), life: s.life, reach: s.reach})
		})}
		if from.Local != 0 && len(s.spec.Untrusted) == 0 {
			project := *r
			folders = append(folders, dependencies.New(from.Local, s.Folders, &project).Folders)
		}
		r.Depend(func(base string) bool { return from.AnyName || s.spec.Serves(base) || from.hasExtension(base) }, folders...)
	}
	return r
}
