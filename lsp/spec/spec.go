package spec

import (
	"slices"
	"time"

	"lspi/internal/source"
)

// Configured returns the command that a configuration names for the server; nil when it leaves that to the catalogue.
func (s *Spec) Configured() *Command {
	i := slices.IndexFunc(s.Commands, func(c Command) bool { return c.File != "" })
	if i < 0 {
		return nil
	}
	return &s.Commands[i]
}

// Spec is everything known about one language server: one row of the catalogue, or a [[servers]] entry of the
// configuration laid over such a row. A server's particularities are fields here, each with its evidence in the
// catalogue; no code branches on a server's name.
type Spec struct {
	ID    string // unique among the servers in use; what hosts see as server_id
	Kind  string // the catalogue row it is based on, for example "gopls"; "" for one that only the configuration knows
	Title string // the server's own name for people

	Languages []Language        // what it serves; empty only in a row that must be configured
	Commands  []Command         // tried in order until one is found
	Env       map[string]string // added to what is passed of lspi's environment; values never leave the process
	// of lspi's environment that its language's tools need, besides what every server gets; GO* stands for all that
	// begin so
	Variables []string
	Sets      map[string]string // variables that the server gets unless it gets one of that name anyway
	Environ   []string          // of the session that it runs for, as os.Environ has it; nil means that of this process
	Pass      []string          // names of variables that the configuration passes on, whatever they are called
	Code      *ProjectCode      // nil when it runs nothing of a project, or nobody knows of any
	// folders whose programs are not run, absolute and real: those of a workspace that is not trusted
	Untrusted []string
	Cwd       string    // working directory; "" means the root
	Elsewhere Elsewhere // where it runs, when that is another machine or a container

	Roots RootRule
	// root_dir of the configuration, absolute: the root, and no file outside it or Folders is served
	RootDir       string
	SharedFolders bool     // one process serves several roots as workspace folders
	Folders       []string // further workspace folders, absolute; from the configuration
	// OneProject: it renames, and relates methods to interfaces, in the project of the asked file alone, where others
	// use the symbol, too. In its language a use never stands for a second name ({ name } in JavaScript does).
	OneProject bool

	Roles Role // 0 means RoleAll

	Outputs []Output // what it writes besides the project; nil when nothing

	InitializationOptions map[string]any // nil sends none
	// answers to workspace/configuration by dotted section; also sent once after the handshake
	Settings map[string]any
	// notifications of the server's own without parameters, sent right behind initialized
	Notify       []string
	Capabilities map[string]any // laid over the client capabilities that lspi sends; nil adds none

	Readiness     Readiness
	Freshness     Freshness
	Diagnostics   Diagnostics
	Actions       Actions
	Formatting    Formatting
	Symbols       SymbolQuery
	Project       *ProjectFile   // nil when the server needs none
	Sources       *Sources       // nil where no folders of dependencies are known
	Packages      *Packages      // nil where there is no package manager, or the server sees what it does
	Build         *Build         // nil when the server reads every source, or nobody knows
	Dynamic       *Dynamic       // uses of members that the language leaves open; nil where types decide
	Lacks         []string       // LSP methods that it is known not to offer, so that it is not started for them alone
	Unannounced   []string       // LSP methods that the server answers without a capability that says so
	Raw           []RawRequest   // requests of its own that only read and may be passed on as they are
	Uncancellable []string       // LSP methods that the server must not be asked to cancel
	SilentCaps    map[string]int // LSP method → number of results at which the server cuts without saying so
	// UsesMistaken: with includeDeclaration=false it drops a real use or keeps the declaration, so lspi asks for all
	// and removes the declaration itself.
	UsesMistaken bool
	// DirectImplementations: textDocument/implementation returns those directly below, not what derives from or
	// overrides these.
	DirectImplementations bool
	// ImplementsItself: textDocument/implementation also returns the definition of what was asked about.
	ImplementsItself bool
	// SubtypesOf are the kinds of symbols that have types below them; it is not asked about others. Empty: any kind
	// may have some.
	SubtypesOf []string
	// Instead is a regular expression for the message by which it refuses a request and names the place to ask about
	// instead, in the groups file, line and character (both counted from one). "" where no message does.
	Instead string
	// Shutdown is what it does when it is asked to shut down (LSP 3.17, shutdown).
	Shutdown Shutdown
	// OpensOwn: the server takes every opened document for one of its own language, so files of other languages are
	// not opened.
	OpensOwn bool
	Omits    Omits
	// Lags is in the errors of a server that has not taken in a change yet of which it was told; "" where there is
	// none.
	Lags string
	// UsedBy are the extensions of files of other languages that may use what its sources declare. It reads none
	// that it does not serve.
	UsedBy []string
	// OneDocument: the server knows the open document alone, so its answers about names that others declare or use are
	// partial.
	OneDocument bool
	IgnoresMark bool     // a byte order mark at the beginning of a file on disk is not counted in positions
	SkipDirs    []string // names of dependency and build folders that are neither watched nor searched

	Sparing  *Sparing // nil when it cannot do with less memory, or nobody knows how
	Timeouts Timeouts
	Install  []Install
	Version  []string // arguments that print the version; nil means --version
	Verified string   // the version that this project's tests ran; "" when the row was never run
	Unproven bool     // it is a row of the catalogue that was never run: nothing shows that its answers are whole
}

// Elsewhere is where a server runs that the command starts on another machine or in a container; the zero value stands
// for this machine.
type Elsewhere struct {
	Paths source.PathPairs // the folders of this machine by their names there
	// Before are the arguments of the command behind which a program of that machine stands (those of ssh, of docker
	// exec); nil where that is not known.
	Before []string
}

// Shutdown is what a server does when it is asked to shut down.
type Shutdown int

// The kinds of [Shutdown].
const (
	ShutdownSaves  Shutdown = iota // it may have something to save, and answers when it has
	ShutdownWrites                 // it writes what it knows into the project, so it is ended without being asked
	ShutdownWaits                  // it has nothing to save, and may wait for seconds all the same: it gets a moment
)

// Sparing is how a server does the same with less memory and in more time. Its next process gets it after one was ended
// for its memory.
type Sparing struct {
	Sets     map[string]string // as Spec.Sets
	Options  map[string]any    // by their dotted names in initializationOptions; what the user set stays
	Settings map[string]any    // the same for workspace/configuration
}

// Omits is what a server is known to leave out, for people, as the object of "leaves out"; "" for nothing.
type Omits struct {
	Uses  string
	Calls string // incoming and outgoing calls alone
}

// RunsElsewhere reports whether the server runs on another machine or in a container, as far as the configuration says.
func (s *Spec) RunsElsewhere() bool { return len(s.Elsewhere.Paths) > 0 }

// Language is one language of a server.
type Language struct {
	ID         string   // LSP language identifier, for example "typescriptreact"
	Extensions []string // without the dot, lower case
	FileNames  []string // whole base names, for example "Dockerfile"
}

// Command is one way to start a server.
type Command struct {
	Name string   // looked up on PATH, or absolute
	Args []string // including the switch to stdio
	// File and Line are where a configuration names it; "" for a command of the catalogue.
	File string
	Line int
	// Resolve names a further way to find Name when PATH has none that works: a command line that prints its path,
	// for example ["rustup", "which", "rust-analyzer"]. nil when there is none.
	Resolve []string
}

// RootRule finds the root of a file. Groups are tried in order; the first group with a hit decides.
type RootRule struct {
	Groups []MarkerGroup
	// Required: without a marker the server is not offered for the file; otherwise the workspace root is its root.
	Required bool
	// OutermostOnly: a question about the workspace does not ask about a root below another root of the server, or
	// below a folder of test data: it is a project of its own, which a question about one of its files loads.
	OutermostOnly bool
	// Views: a process resolves the imports of any file that it is shown by the settings and the environment of its
	// own root, so that only that of the file's root can say what a name in it is.
	Views bool
	// Aside says which roots, relative to the workspace and with slashes, a question about the workspace is not about;
	// nil: all that OutermostOnly leaves.
	Aside func(rel string) Aside `json:"-"`
	// Copied reports whether a folder holds copies of dependencies, which the server reads as sources: it tells their
	// errors when one of the files was opened. nil where none does.
	Copied func(files source.Files, dir string) bool `json:"-"`
}

// Aside says whether a question about the workspace asks about a root.
type Aside uint8

// The roots of a workspace: Within is asked about, Named where it holds a name of the question, Apart never, since the
// server loads it for its open files alone.
const (
	Within Aside = iota
	Named
	Apart
)

// MarkerGroup is a set of markers of equal rank, looked for in the folders from the file upwards to the workspace root.
type MarkerGroup struct {
	Files []string // names, or globs such as "*.csproj"; "build/compile_commands.json" looks into a sub-folder
	Pick  Pick
	// Contains narrows a marker to files that hold this text, for example "[workspace]" in a Cargo.toml; "" takes any.
	Contains string
	// Members reports whether the project of a marker takes in the file at path, both absolute; nil takes all below
	// the marker.
	Members func(files source.Files, marker, path string) bool `json:"-"`
}

// Pick says which of several folders with a marker is the root.
type Pick uint8

// Nearest is the folder closest to the file, Outermost the one closest to the workspace root.
const (
	Nearest Pick = iota
	Outermost
)

// Role is what a server is asked for.
type Role uint8

// The roles. RoleAll is what a server without a role gets.
const (
	RoleNavigation Role = 1 << iota
	RoleDiagnostics
	RoleEdits
	RoleAll = RoleNavigation | RoleDiagnostics | RoleEdits
)

// Has reports whether r includes role; the zero Role includes all.
func (r Role) Has(role Role) bool { return r == 0 || r&role != 0 }

// Sign is how a server shows that its project is loaded and indexed.
type Sign uint8

const (
	// SignNone: the server shows nothing; its answers are of unknown completeness.
	SignNone Sign = iota
	// SignWaits: the server holds a request back until the project is loaded, so that an answer is the evidence.
	SignWaits
	// SignProgress: work done progress with one of Readiness.Tokens (a token or a title) began and ended.
	SignProgress
	// SignServerStatus: rust-analyzer's experimental/serverStatus with quiescent.
	SignServerStatus
	// SignMessage: a notification named Readiness.Tokens[0] arrives, for example jdtls' language/status ServiceReady
	// (Tokens[1] must then occur in its params).
	SignMessage
)

// Readiness says how to tell that the server may be asked.
type Readiness struct {
	Sign   Sign
	Tokens []string // for SignProgress and SignMessage; empty counts every work done progress
	// OpenFirst: the sign does not begin before a file was opened (clangd).
	OpenFirst bool
	// Reloads: base names of files whose change makes the server load anew. It says so Announces later at most; until
	// then it is not taken for ready after such a change (rust-analyzer). One that Waits says so of its first load,
	// too: a request that came before would seem to be answered of two loads (gopls).
	Reloads   []string
	Announces time.Duration
	// Unsure: the sign is waited for, but what was loaded may be what the server knew at an earlier time, so that
	// answers are of unknown completeness.
	Unsure bool
	// Parses is the title of the work done progress that the server shows while it parses a document that was
	// opened, with %s for the base name; it is no part of the sign. "" when it shows none. Only with
	// Freshness.ParsedBy, which is asked where the progress does not come.
	Parses string
	// Opens is likewise the text of a window/logMessage behind which the server has read a document that was
	// opened, with %s for its path: some answer a request that comes behind a notification before they have taken
	// that in. Only with Freshness.ParsedBy.
	Opens string
	// Watches is likewise the text behind which it has read a workspace/didChangeWatchedFiles; only with Opens.
	Watches string
	// Waits: besides its sign, the server holds requests back while it loads, so no sign is needed before the first
	// request (gopls).
	Waits bool
	// Outlines: textDocument/documentSymbol is answered while the server loads, from the text and its includes: in
	// full, or with an error or no symbol at all, so that an answer with symbols needs no sign.
	Outlines bool
	// Hover is how long a textDocument/hover waits for the sign in a project of many files: while the server loads
	// it is answered from the text and its includes, and may lack the definition and the documentation of another
	// file. 0 waits like any other request.
	Hover time.Duration
	// Loads is how the server tells that a load failed.
	Loads Loads
}

// Freshness says how to make a server see what changed on disk.
type Freshness struct {
	// Watched: workspace/didChangeWatchedFiles for files that are not open is enough.
	Watched bool
	// Open: a changed file must be opened and parsed before its new text counts (clangd).
	Open bool
	// ParsedBy is a request (an LSP method) about a document alone, whose answer tells that the server has parsed
	// the document as it is now, which it else does some time later; only with Open or OpenAnew. "" where nothing
	// is known to make it.
	ParsedBy string
	// PushTells: the server pushes diagnostics of each text that it has parsed, without a version, so that ParsedBy
	// is not asked before that.
	PushTells bool
	// OpenAll: the server reads the files of a project one after the other and does not tell when it has them, so
	// that they are opened before the first question where they are few.
	OpenAll bool
	// OpenAnew: the server takes the other files as they were when a document was opened, or takes no change of its
	// text, so that the document is closed and opened again when any file has changed (perlnavigator 0.6.3).
	OpenAnew bool
	// OpenNew: a created file must be opened, and stay open, to count at once; a notification alone starts a rescan
	// that ends some time later without a sign (pyright 1.1.414: about 130 ms).
	OpenNew bool
	// RestartOn: base names whose change only a restart makes effective (compile_commands.json for clangd).
	RestartOn []string
	// DeletedStay: symbols of deleted files stay in the index; places in them are dropped at the edge (clangd).
	DeletedStay bool
	// QueryClosed: a position request works on a document that is not open (gopls and rust-analyzer read the disk);
	// false makes lspi open the document first.
	QueryClosed bool
	// OpenAsked: though it answers about closed documents, a file of its folders is opened when a position in it is
	// asked about, because the server keeps what it worked out only for open ones. Not a dependency's: open, its
	// uses would count as those of the project (gopls).
	OpenAsked bool
	// Globs are the files that matter besides those of Languages (go.mod, Cargo.toml); base-name globs. A server's own
	// registration comes on top.
	Globs []string
}

// Diagnostics says how a file's diagnostics are obtained for certain. The means are tried in the order of the fields;
// a server with none of them pushes without a sign, and its answers are of unknown completeness.
type Diagnostics struct {
	// Pull: the server answers textDocument/diagnostic when it offers it; it is then asked instead of waited for. A
	// server that offers it and has none of the other sure means is asked without this, too.
	Pull bool
	// Versioned: a push carries the document's version, so one for the current version is the evidence.
	Versioned bool
	// Rebuild: a server of versioned pushes keeps silent about a text that it has built before, reports a new one first
	// with what it included before, and answers questions about it so. Closed and opened again a document is built
	// anew, and reported once; that is done before any question, where something that it includes has changed, and a
	// save, which has all open documents built again, is not told (clangd).
	Rebuild bool
	// Patience bounds the wait for a push that carries no version; 0 means 5 s, for servers that may have nothing
	// more to say. A server that reports on every text, though late, is worth more.
	Patience time.Duration

	// Overlay is how a process is started that is shown texts which are not on disk; nil when the one that runs can.
	Overlay *OverlayArgs
	// FilesOnDisk: a new file that is only open does not exist for what others import, or not for what is resolved
	// already.
	FilesOnDisk bool
	// DataFiles are files of others that its sources may read, and that count when they are on disk; base-name globs.
	DataFiles []string
	// Imports are the words by which what a text imports names files; nil when nobody knows.
	Imports func(text string) []string `json:"-"`
	// Global reports whether a new file of this name and text gives names to sources that do not import it; nil
	// when none does.
	Global func(base, text string) bool `json:"-"`

	// First is how the errors of one file are had before the rest of what the server has to say; nil where that
	// takes no longer, or where nothing tells when they are all there.
	First *FirstErrors
	// Check is an external checker that the server runs besides, for the whole workspace; nil when it has none.
	Check *Check
	// Workspace: the server reports on files that are not open.
	Workspace bool
	// OpenFolders: besides what it reports on all files, its analysers look at folders with an open file (gopls).
	OpenFolders bool
	// Apart: each of its files stands for itself (configuration, prose, a script), so that a question about the
	// workspace does not mean them.
	Apart bool
	// Stops says which of its errors keep its analysers from running; nil when none does, or nobody knows.
	Stops *Stops
	// Unindexed: diagnostics need no index, so the server's readiness is not waited for.
	Unindexed bool
	// Unresolved are the findings that say that an import leads to nothing; nil when nobody knows them.
	Unresolved *Unresolved
	// Needs is a program that the server takes its diagnostics from; without it there are none ("shellcheck").
	Needs string
}

// Unresolved says which findings of a server tell that an import leads to nothing.
type Unresolved struct {
	Codes   []string // of the findings
	Message string   // a regular expression that their messages match, with the imported name as its first group
	// Generators are how to have what the project names installed, by what its root holds; the first that fits.
	Generators []Generator
	Hint       string // what to do about it where that is not enough, one sentence; "" for nothing
}

// Generator returns the way to install that fits a folder; nil when none does.
func (u *Unresolved) Generator(folder string) *Generator {
	return fitting(u.Generators, source.Holds(folder))
}

// FirstErrors says that a server answers textDocument/diagnostic (LSP 3.17) for a file with the errors in it,
// though it does not offer that.
type FirstErrors struct {
	Languages []string // the LSP language identifiers of the files for which it does
	Pending   string   // what it has not looked at by then, as answers name it
}

// Stops are errors behind which a server tells none of the findings that its analysers had before: these are not gone.
type Stops struct {
	Sources   []string // the sources of such errors, as diagnostics have them; nil takes any
	Codes     []string // their codes; nil takes any
	Elsewhere bool     // analysers of other files stop, too
}

// Sure reports whether there is a sign that the server has said all about the current text of a file.
func (d Diagnostics) Sure() bool {
	return d.Pull || d.Versioned
}

// Check is an external checker, run by a notification. Its pushes come before the end of its work done progress.
type Check struct {
	Notification string // with {"textDocument": null}
	Token        string // the progress tokens begin with it
	Title        string // for people: "cargo check"
	// Fence is a request for a document that the threads answer which also push; "" where one thread does both in
	// order.
	Fence string
}

// Timeouts of one server; zero means the default.
type Timeouts struct {
	Initialize time.Duration            // default 60 s
	Request    time.Duration            // default 30 s
	Requests   map[string]time.Duration // by LSP method
	Warmup     time.Duration            // how long a call waits for readiness; default 45 s
	Idle       time.Duration            // stop after so long without a call; 0 means never
	Restart    time.Duration            // restart after so long; 0 means never
}

// LoadsBy reports whether a file, which is not a source, is one by which the project is loaded.
func (s *Spec) LoadsBy(base string) bool {
	return slices.ContainsFunc(s.Freshness.Globs, func(g string) bool { return source.Match(g, base) })
}

// IsProjectFile reports whether what a file of this name says decides about the other files of the project.
func (s *Spec) IsProjectFile(base string) bool {
	return s.LoadsBy(base) || s.Project != nil && slices.Contains(s.Project.Files, base)
}

// LoadedBy reports whether a file of this name decides how the server loads or checks a project: a project file, one
// whose change it is restarted for, or the list of the packages.
func (s *Spec) LoadedBy(base string) bool {
	return s.IsProjectFile(base) || slices.Contains(s.Freshness.RestartOn, base) ||
		slices.Contains(s.Readiness.Reloads, base) || s.Packages != nil && base == s.Packages.Manifest ||
		s.Project != nil && (slices.Contains(s.Project.Flags, base) || slices.Contains(s.Project.Single, base))
}

// LanguageID returns the LSP language identifier for a base name, or "" when the server does not serve it. Whole
// names win over extensions, longer extensions ("d.ts") over shorter.
func (s *Spec) LanguageID(base string) string {
	id, _ := s.match(base)
	return id
}

// Build says which build a server loads, so that one can tell the sources of a project that are no part of it: the
// server reads none of them, and its answers about the whole project do not say so.
type Build struct {
	Why string // why sources are left out, for people
	// Tables are the tables below [tool] of pyproject.toml that hold the configuration; the first that is there counts.
	Tables []string
}
