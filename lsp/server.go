package lsp

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lang/dependencies"
	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/source"
)

// Options are what a server needs besides its spec.
type Options struct {
	Spec    *spec.Spec
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
	Commands      *Commands // over the processes of one server; nil remembers nothing
	Launcher      Launcher  // prepares the process and makes its adapter; nil for a server that behaves as LSP says
	Separate      bool      // another process of the server may run for the root, so nothing that it uses is changed
	Cache         string    // lspi's cache of this user, absolute, where servers write instead of the tree; "" when there is none
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
	*Connection

	options  map[string]any // initializationOptions, before what the project's files add
	settings map[string]any
	index    string    // Options.index
	list     *listFile // Options.list

	root      string
	texts     *source.Cache
	reach     *source.Reach
	journal   *watch.Journal // of the root
	journalOf func(dir string) *watch.Journal
	// of a folder outside of the workspace; nil when such are not followed
	journalBeyond func(dir string) *watch.Journal

	ready       *readiness
	loads       *loads
	docs        *documents
	diagnostics *diagnosticStore
	check       *checkRun // nil when the server has no external checker
	symbols     *symbolCache
	command     string // the executable that runs
	started     time.Time
	info        struct{ Name, Version string } // serverInfo of the handshake

	foldersMu sync.Mutex
	folders   []string        // guarded by foldersMu; written by who also holds the document lock
	tracked   []*tracked      // guarded by foldersMu; written by who also holds the document lock
	installs  map[string]bool // files whose change only a new process sees, by path: signs of package managers, those of a [FileFollower]; nil without any; guarded by foldersMu
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
}

// tracked is a journal and how far the server has been told of it.
type tracked struct {
	journal *watch.Journal
	synced  watch.Mark // needs the document lock
}

// newServer is the server of a process, before anything is said to it or heard from it.
func newServer(o Options, proc *process.Process, command string) *Server {
	folders := o.Folders
	if len(folders) == 0 {
		folders = []string{o.Root}
	}
	can := &capabilities{unannounced: o.Spec.Unannounced}
	log := o.Log.With("server_id", o.Spec.ID)
	s := &Server{
		Connection: newConnection(o.Spec, proc, can, log),
		options:    o.options, settings: o.settings, index: o.index, list: o.list, root: o.Root, folders: folders, texts: o.Texts, journal: o.Journal, journalOf: o.JournalOf,
		journalBeyond: o.JournalBeyond,
		command:       command,
		ready:         newReadiness(o.Spec.Readiness), loads: newLoads(o.Spec.Readiness.Loads),
		docs: newDocuments(), diagnostics: newDiagnosticStore(),
		check: newCheckRun(o.Spec.Diagnostics.Check, o.lock), symbols: newSymbolCache(), started: time.Now(),
		documentLock: make(chan struct{}, 1), acting: make(chan struct{}, 1), unparsed: map[string]int32{},
	}
	s.diagnostics.lostSign = o.Spec.Freshness.Lost
	s.reach = reachOf(s, o.Readable)
	s.adapter = plain{}
	if o.Launcher != nil {
		s.adapter = o.Launcher.NewAdapter(s)
	}
	return s
}

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
	err = s.wire.Notify(ctx, "workspace/didChangeWorkspaceFolders", protocol.DidChangeWorkspaceFoldersParams{
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

// reachOf is what a server may be shown to read: the workspace's folders, its own, and its dependencies.
func reachOf(s *Server, folders []string) *source.Reach {
	r := source.NewReach(append(slices.Clone(folders), s.folders...)...)
	if from := s.spec.Sources; from != nil {
		folders := []func() []string{sync.OnceValue(func() []string {
			d := &launch.Dependencies{Spec: s.spec, Root: s.root, Command: s.command, PID: s.PID(), Life: s.life, Reach: s.reach}
			return d.Folders()
		})}
		if from.Local != 0 && len(s.spec.Untrusted) == 0 {
			project := *r
			folders = append(folders, dependencies.New(from.Local, s.Folders, &project).Folders)
		}
		r.Depend(func(base string) bool { return from.AnyName || s.spec.Serves(base) || from.HasExtension(base) }, folders...)
	}
	return r
}
