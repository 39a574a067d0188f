package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Options are what a server needs besides its spec.
type Options struct {
	Spec    *spec.Spec
	Root    string         // absolute
	Folders []string       // workspace folders; nil means the root alone
	Journal *watch.Journal // the changes of the tree that holds Root
	// JournalOf is the journal of the tree that holds a further folder; nil, or a nil journal, means that Journal does.
	JournalOf func(dir string) *watch.Journal
	// JournalBeyond is the journal of a folder outside of the workspace that the server names as a part of the
	// project; nil when such are not followed.
	JournalBeyond func(dir string) *watch.Journal
	// MaxFolders is how many workspace folders the process gets, further ones that are asked about by name not counted
	// ([Server.Reach]); 0 means any number.
	MaxFolders int
	Sparing    bool     // with less memory, as far as it can ([spec.Spec].Sparing)
	Readable   []string // folders of the user's project, absolute, whose files are shown besides Folders
	Texts      *source.Cache
	Launcher   Launcher // prepares the process and makes its hooks; nil for a server that behaves as LSP says
	Separate   bool     // another process of the server may run for the root, so nothing that it uses is changed
	// lspi's cache of this user, absolute, where servers write instead of the tree; "" when there is none
	Cache string
	Log   *slog.Logger
	Trace func(sent bool, message []byte) // nil traces nothing

	// Of this process; set by Start.
	options       map[string]any // InitializationOptions
	settings      map[string]any
	environment   []string
	projectFolder string // [launch.Plan].ProjectFolder
}

// Server is one running language server, from its handshake to its exit. Its methods may be called concurrently.
// The parts have their own locks; the Server itself writes none of its fields after newServer and the handshake but
// report.
type Server struct {
	*Connection

	options  map[string]any // initializationOptions, before what the project's files add
	settings map[string]any
	command  string // the executable that runs
	started  time.Time
	info     struct{ Name, Version string } // serverInfo of the handshake

	folders     *Folders
	projects    *Projects
	docs        *Documents
	diagnostics *Diagnostics
	health      *Health
	requests    *clientRequests
	hooks       *Hooks
	tree        treeNotes
	code        *codeSeen
	symbols     *symbolCache
	memory      memory
	elsewhere   *elsewhere

	acting chan struct{} // held by whoever asks for code actions or has one done
	catch  *catcher

	reportMu sync.Mutex
	report   SyncReport // guarded by reportMu

	stays struct{ path, mark string } // of a process that may stay ([Server.Stays]); only its one user has it
}

// newServer is the server of a process, before anything is said to it or heard from it.
func newServer(o Options, proc *process.Process, command string) *Server {
	can := &capabilities{unannounced: o.Spec.Unannounced}
	// Several parts share it: documents wait for pushes, diagnostics read them, client requests write them.
	store := newDiagnosticStore()
	s := &Server{
		Connection: newConnection(o.Spec, proc, can, o.Log.With("server_id", o.Spec.ID)),
		options:    o.options, settings: o.settings, command: command, started: time.Now(),
		symbols: newSymbolCache(),
		acting:  make(chan struct{}, 1), catch: &catcher{},
	}
	s.folders = &Folders{spec: o.Spec, root: o.Root, list: o.Folders, journal: o.Journal, journalOf: o.JournalOf,
		outside: o.JournalBeyond, most: o.MaxFolders,
		restarts: map[string]bool{}}
	// A server always has a folder: without one most of them answer about single files only.
	if len(s.folders.list) == 0 {
		s.folders.list = []string{o.Root}
	}
	s.code = &codeSeen{folders: s.folders}
	s.projects = &Projects{spec: o.Spec, folders: s.folders, told: o.projectFolder}
	s.docs = newDocuments(s.Connection, store, o.Texts)
	s.health = &Health{spec: o.Spec, conn: s.Connection, ready: newReadiness(o.Spec.Readiness),
		loads: newLoads(o.Spec.Readiness.Loads),
		store: store, code: s.code, projects: s.projects}
	s.health.loads.paths = o.Spec.Elsewhere.Paths
	s.docs.ready = s.health.ready
	s.doing = s.health.ready.doing
	s.diagnostics = &Diagnostics{spec: o.Spec, conn: s.Connection, store: store,
		check: newCheckRun(o.Spec.Diagnostics.Check),
		docs:  s.docs, folders: s.folders, projects: s.projects, health: s.health,
		swept: sweptFiles{turn: make(chan struct{}, 1), byPath: map[string]sweptFile{},
			imports: map[string]imports{}}}
	s.requests = &clientRequests{spec: o.Spec, log: s.log, capabilities: can, settings: o.settings, folders: s.folders,
		store: store, check: s.diagnostics.check, ready: s.health.ready, loads: s.health.loads, catch: s.catch}
	if s.elsewhere = newElsewhere(s); s.elsewhere != nil {
		s.works = s.elsewhere.works
	}
	s.health.differs = s.Differs
	s.docs.reach = reachOf(s, o.Readable)
	s.tree.unreadable = &unreadableFiles{}
	s.hooks = &Hooks{}
	if o.Launcher != nil {
		// Only now, because the hooks may ask the parts for their folders and documents; the parts get it below,
		// before anything is read from the process.
		s.hooks = o.Launcher.NewHooks(s)
	}
	if keeps := s.hooks.KeepsStderr; keeps != nil && o.Separate {
		proc.Stderr.Filter(keeps)
	}
	store.lostImport = s.hooks.LostImport
	s.folders.hooks, s.projects.hooks, s.docs.hooks = s.hooks, s.hooks, s.hooks
	s.diagnostics.hooks, s.requests.hooks = s.hooks, s.hooks
	return s
}

// Root is the root that the server was started for.
func (s *Server) Root() string { return s.folders.root }

// Folders are the workspace folders of the server.
func (s *Server) Folders() *Folders { return s.folders }

// Projects are what the files in its folders say of its projects.
func (s *Server) Projects() *Projects { return s.projects }

// Documents are the texts that the server sees.
func (s *Server) Documents() *Documents { return s.docs }

// Diagnostics are what the server says of files.
func (s *Server) Diagnostics() *Diagnostics { return s.diagnostics }

// Health is what the server shows of the state of its project.
func (s *Server) Health() *Health { return s.health }

// Journal is that of the tree that holds the root.
func (s *Server) Journal() *watch.Journal { return s.folders.journal }

// Ready waits until the server shows that its project is loaded, at most budget, and tells what is known then. report,
// which may be nil, hears of every change while it waits.
func (s *Server) Ready(ctx context.Context, budget time.Duration, report func(Status)) Status {
	defer s.waits(ctx, "its project")()
	return s.health.await(ctx, budget, report)
}

// Status is what is known of the project now.
func (s *Server) Status() Status {
	return s.health.unhealthy(s.health.ready.status())
}

// AddFolder makes a further root known to the server (LSP 3.17, workspace/didChangeWorkspaceFolders); one that it has
// is left alone.
func (s *Server) AddFolder(ctx context.Context, dir string) error {
	if s.folders.has(dir) {
		return nil
	}
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Asked again under the lock: of two callers the second would add the folder a second time.
	if s.folders.has(dir) { // meanwhile
		return nil
	}
	// Followed before the server is told: what changes between the two is then told, while the other order would
	// lose it.
	if err := s.folders.track(ctx, dir); err != nil {
		return s.interrupted(ctx, "waiting for file changes", err)
	}
	err = s.wire.Notify(ctx, "workspace/didChangeWorkspaceFolders", protocol.DidChangeWorkspaceFoldersParams{
		Event: protocol.WorkspaceFoldersChangeEvent{
			Added:   []protocol.WorkspaceFolder{{URI: uri.File(dir), Name: baseName(dir)}},
			Removed: []protocol.WorkspaceFolder{},
		},
	})
	if err != nil {
		return s.Failure(ctx, "workspace/didChangeWorkspaceFolders", err)
	}
	// Last: a folder in the list counts as known to the server, and a notification that failed is sent again by the
	// next caller.
	s.folders.add(dir)
	s.docs.newEdition()
	return nil
}

// Reach is [Server.AddFolder] for a folder that an answer can do without. It returns memory_limit, and adds nothing,
// when the process has as many as it may have: one with more was ended for its memory.
func (s *Server) Reach(ctx context.Context, dir string) error {
	if most := s.folders.most; most > 0 && !s.folders.has(dir) && len(s.folders.All()) >= most {
		return contract.Errorf(contract.KindMemoryLimit, contract.Facts{"server_id": s.ID(), "folders": most},
			"%s was ended for its memory, and has %d of its projects now", s.ID(), most)
	}
	return s.AddFolder(ctx, dir)
}

// LastSync is the last sync that found something to tell; zero when there was none.
func (s *Server) LastSync() SyncReport {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	return s.report
}

// setSyncReport has a lock of its own, because [Server.LastSync] must not wait for the document lock.
func (s *Server) setSyncReport(r SyncReport) {
	s.reportMu.Lock()
	defer s.reportMu.Unlock()
	s.report = r
}

// FollowOutside follows the changes of folders outside of the workspace, at most limit of them, that belong to the
// project. A folder in a tree that is followed, or around one, is left out, and one that is not there.
func (s *Server) FollowOutside(ctx context.Context, dirs []string, limit int) error {
	dirs = s.folders.apart(dirs)
	// The usual case takes no lock.
	if len(dirs) == 0 || s.folders.outside == nil {
		return nil
	}
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, dir := range dirs[:min(len(dirs), limit)] {
		if err := s.folders.trackJournal(ctx, s.folders.outside(dir)); err != nil {
			return s.interrupted(ctx, "following "+dir, err)
		}
	}
	return nil
}

// reachOf is what a server may be shown to read: the workspace's folders, its own, and its dependencies.
func reachOf(s *Server, folders []string) *source.Reach {
	r := source.NewReach(append(slices.Clone(folders), s.folders.list...)...)
	if from := s.spec.Sources; from != nil && !s.spec.RunsElsewhere() { // else they are elsewhere, too
		folders := []func() []string{sync.OnceValue(func() []string {
			d := &launch.Dependencies{Spec: s.spec, Root: s.folders.root, Command: s.command, PID: s.PID(),
				Life: s.life, Reach: s.docs.reach}
			return d.Folders()
		})}
		folders = append(folders, s.outputs)
		// What the project's own files name as a dependency is believed only in a trusted workspace: a stranger's
		// repository could name any folder of this machine as one.
		if from.Local != nil && len(s.spec.Untrusted) == 0 {
			project := *r
			folders = append(folders, from.Local(s.folders.All, &project))
		}
		r.Depend(func(base string) bool {
			return from.AnyName || s.spec.Serves(base) || from.HasExtension(base)
		}, folders...)
	}
	return r
}

// Dependencies are the folders of dependencies from which sources are read and shown.
func (s *Server) Dependencies() []string { return s.docs.reach.Dependencies() }

// outputs are the folders that the server was given for what it, and the build, write: its answers lead there.
func (s *Server) outputs() (out []string) {
	for _, o := range s.spec.Outputs {
		dir, ok := spec.At(s.options, o.Option).(string)
		if ok && o.Option != "" && filepath.IsAbs(dir) && !source.TooWide(dir) {
			out = append(out, source.RealFolders(dir)...)
		}
	}
	return out
}

// A separate process ([Options].Separate) is for one question about texts that are not on disk, which leaves no
// trace on other questions when the process ends with it. What it has built of the file costs most of the time, so
// it may stay for the next question about the same file alone. That needs certainty that a new process would say
// the same, which is sought anew each time:
//
//   - no other document is open, so that no text can count for another one;
//   - nothing that is followed has changed but the file itself, of which the server is told;
//   - what is not followed is as it was before the first build ([SyncHooks].Surroundings);
//   - and the server tells, of every text of the further question, that it was built with the headers as they are
//     ([SyncHooks].BuiltAsIs).

// Stays notes that a separate process which has just started may stay for further questions about a file.
func (s *Server) Stays(path string) {
	if mark := s.hooks.Surroundings; mark != nil {
		s.stays.path, s.stays.mark = path, mark(path)
	}
}

// MayStay reports whether a separate process may stay: its one document is that of [Server.Stays], with the text on
// disk.
func (s *Server) MayStay() bool {
	return s.stays.mark != "" && s.docs.overlay.Load() == nil &&
		slices.Equal(s.docs.Paths(), []string{s.stays.path}) && s.life.Err() == nil
}

// Reuse reports whether a process that stayed says the same as a new one would; only then may it be asked about the
// file.
func (s *Server) Reuse(ctx context.Context, path string) bool {
	mark := s.hooks.Surroundings
	if mark == nil || path != s.stays.path || !s.MayStay() || mark(path) != s.stays.mark {
		return false
	}
	marks, err := s.folders.barriers(ctx)
	if err != nil {
		return false
	}
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return false
	}
	defer release()
	changes, err := since(marks)
	if err != nil || slices.ContainsFunc(changes, func(c watch.Change) bool { return c.Path != path }) {
		return false
	}
	s.diagnostics.reused.Store(true)
	return true
}

// OpenAny opens some file of the project at a server that does not begin to index before it has one (clangd), for
// questions that belong to no file. Where the server needs no file, or has one open, it does nothing.
func (s *Server) OpenAny(ctx context.Context) error {
	if !s.spec.Readiness.OpenFirst || s.docs.count() > 0 {
		return nil
	}
	// The first one that can be read is enough.
	for _, path := range s.projects.files() {
		if _, err := s.docs.OpenDocument(ctx, path); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// State is that of a running server at one moment, for whoever asks how it is doing. Making one asks the server
// nothing and waits for nothing.
type State struct {
	PID     int
	Command string // the executable, absolute
	Version string // as it says, shortened to the version; "" when it tells none
	Started time.Time
	Folders []string // workspace folders, absolute, sorted

	Status   Status
	Since    time.Time // when Status.Ready changed last
	Encoding source.Encoding
	Methods  []string // LSP methods that lspi uses and the server offers, sorted
	Open     int      // documents that it holds open
	LastSync SyncReport

	Watch       string // how changes of its files are found: "events" or "compare"
	WatchReason string // why, when not by events from the start
}

// State is the state of the server now.
func (s *Server) State() State {
	out := State{
		PID: s.proc.PID(), Command: s.command, Version: ShortVersion(s.info.Version), Started: s.started,
		Encoding: s.encoding, Methods: s.capabilities.methods(), Open: s.docs.count(),
	}
	out.Status, out.Since = s.health.ready.snapshot()
	// Of the root alone: further folders are mostly in the same tree.
	mode, reason := s.folders.journal.Mode()
	out.Watch, out.WatchReason = mode.String(), reason
	s.folders.mu.Lock()
	out.Folders = slices.Sorted(slices.Values(s.folders.list))
	s.folders.mu.Unlock()
	out.LastSync = s.LastSync()
	return out
}

// snapshot is the status with the time since when it is ready, or is not.
func (r *readiness) snapshot() (Status, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.statusLocked(), r.since
}
