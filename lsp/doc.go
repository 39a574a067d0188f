// Package lsp is the client of one language server: it starts the server, keeps it told of every change on disk,
// asks it, and checks what it answers. Inside the package files are URIs and positions are 0-based in the encoding
// of the server; its exported methods take and give absolute paths and the 1-based positions of package contract.
// Package source converts between the two.
//
// # The life of a server
//
//	Start ── launch.Prepare ──> process.Spawn ──> handshake (initialize, initialized, settings)
//	  │                                             │ failed: the next candidate, else server_start_failed
//	  v                                             v
//	not started                                  running
//	                                                │
//	             ┌──────────── loading <────────────┤  Health: the server's sign has begun (readiness)
//	             │                │ the load failed  │
//	             │ sign ended     │ (loads)          │
//	             v                v                  │
//	           ready         load failed ────────────┤  a change of a project file: Status.Generation grows
//	             │                │                  │
//	             └───── Sync ─────┴──────────────────┘  Folders, Projects, SyncHooks: ErrRestartNeeded,
//	                                                │  and the pool starts a new process
//	                                                │
//	                 Connection.Close: shutdown, exit, end of stdin, SIGTERM, SIGKILL
//	                 probe: it answers nothing, and is ended
//	                 crash: wire.ClosedError with exit status and the end of stderr
//	                                                v
//	                                              ended (Connection.Done is closed)
//
// Ready means that the server may be asked; whether the answer is complete is told by [Status] and by the warnings
// of the caller.
//
// # One question
//
// [Server.Ready] waits for the sign within the deadline. [Server.Sync] waits for the journal of changes (package
// watch) and tells the server of what came since, in the way that its row of the catalogue says ([spec.Freshness]).
// [Server.Snapshot] notes what the server has then: versions of documents, marks of the journals, the state of the
// load. The typed requests are methods of the snapshot ([Snapshot.References] and the others): each place of an
// answer is held against the text on disk, and the snapshot keeps the places that do not hold the name that was
// asked about. [Snapshot.ShowUnverified] shows the server these files, so that the caller can ask once more with a
// new snapshot; what cannot be verified then is left out with a warning. An edit that the server proposes
// ([Proposal]) has a snapshot of its own, so that [Snapshot.Plan] finds the files that changed since.
//
// # Who owns what
//
// What is particular about one server, and is no data of its row, is in its [Hooks], a struct of optional functions:
// what it leaves uncovered, what its project files say, how it sees a change that a notification does not tell it. The
// folder of the server below lsp/servers makes them, and no code here branches on a server's name. What has to be done
// before a process starts is done by a [Launcher], which also makes the hooks of the process.
//
// The tools ask for what LSP has no request for by functions of this package ([Excluded], [Unlisted], [OnlyCompiler],
// [Overrides] and others), which say what holds for a server without the hook.
//
// A [Server] is made of parts. Each has its own fields and locks, and knows only the parts above it in this list:
//
//	Connection    the process and the wire: requests, time limits, errors, the end; its probe finds a server that hangs
//	Folders       workspace folders, the journals that follow them, files whose change only a new process sees
//	Projects      what the files in the folders say: project files, what the build leaves out
//	Documents     the texts that the server sees: open documents, versions, the document lock
//	Health        whether the project is loaded, what failed, what the server complains about
//	Diagnostics   what the server says of files: pushed (diagnosticStore), asked for, found by its external checker
//	Overlay       texts that are shown in place of those on disk, for a while
//
// clientRequests gives them what the server sends by itself. Sync tells the server of changes, with all of them. No
// lock is held while another process is waited for, but the document lock, which is there for that. What a
// [spec.Spec] says is data; it is never changed after [Start].
package lsp
