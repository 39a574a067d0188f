package lsp

import (
	"context"
	"encoding/json"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/watch"
)

// Hooks are what one server does in its own way, beyond what its [spec.Spec] says as data. All of them are optional:
// a server whose hook is nil behaves as LSP says, or has nothing to tell.
//
// A [Launcher] makes the hooks of each process; what they keep is about that process and ends with it. The client
// calls those of the first groups during its own work. Those of the last group answer questions about a project that
// LSP has no request for; the tools look whether they are there, or ask them through functions of this package, which
// say what holds for a server without the hook. Each field names the servers that have it, and why they do; vue has
// those of typescript-language-server.
//
// A hook must not keep the caller waiting longer than its ctx, and one without a ctx asks the server nothing.
type Hooks struct {
	// Changed hears of every change that a sync saw, also of files that the server does not serve, before the server
	// is told of them. The caller holds the document lock, so Changed only takes notes and reads no file; what the
	// changes mean is found out when a question needs it.
	Changed func(changes []watch.Change)
	// Close gives up what the hooks hold besides the server, such as a process. It is called once, when the process
	// of the server has ended. vue runs a second process.
	Close func()

	ProjectHooks
	SyncHooks
	DiagnosticHooks
	SymbolHooks
	ActionHooks
	CoverageHooks
	EditHooks
}

// ProjectHooks say what the project files of a server mean to it.
type ProjectHooks struct {
	// OutsideBuild are the sources of the server's folders that the build leaves out; all is false when ctx ended
	// before all were known. It comes together with AskExcluded and HoldsSources. gopls loads one build, and is
	// silent about the others.
	OutsideBuild func(ctx context.Context) (files map[string]bool, all bool)
	// AskExcluded names those of the files in a request that the build leaves out, which makes a server load them
	// where it can, and notes in d those that it does not check all the same. Its error is the end of ctx or of the
	// server.
	AskExcluded func(ctx context.Context, paths []string, d *Diagnosis) error
	// HoldsSources reports whether a build takes in sources of the project in a folder; true when ctx ends before
	// that is known.
	HoldsSources func(ctx context.Context, folder string) bool

	// BrokenProject says why the project file of a root cannot be read, where the server then goes on without it and
	// says nothing; "" when it can, or is not there. clangd does so without the compilation database.
	BrokenProject func(root string) string
	// BrokenBy is the project file of a root that the server cannot read, with the reason; path is "" when there is
	// none. gopls, which then answers nothing, and says why only in an answer about that file.
	BrokenBy func(root string) (path, words string)

	// ListChanged reports whether the project file in which the sources are listed one by one, or an index that others
	// made, is another one than when the process was prepared, so that only a new process is certain to have read it:
	// clangd.
	ListChanged func() bool
	// FirstListed are the first sources, at most n, that such a file in a folder lists; nil when there is none.
	FirstListed func(folder string, n int) []string
	// RankSources sorts sources by how likely a project holds them, for a server that loads the project of the file
	// that it is asked about: typescript-language-server.
	RankSources func(sources []string) []string
}

// IncludeChange is what a file includes otherwise than an index has it.
type IncludeChange struct {
	Came    []string // files that it includes now, over others too
	Gone    []string // and those that it does not any more
	Unknown bool     // there may be others: a macro names them, or a file that lspi does not follow
}

// SyncHooks are part of bringing a server up to date ([Server.Sync]).
type SyncHooks struct {
	// BeforeSync is called before the sync waits for the journals, without the document lock: it may have further
	// folders followed. gopls reads modules outside of the workspace that go.mod and go.work name.
	BeforeSync func(ctx context.Context) error
	// NeedsRestart reports whether the server sees the changes only as a new process. The caller holds the document
	// lock. gopls does when the copy of a go.work has to be another one, and for more files than are named one by
	// one.
	NeedsRestart func(changes []watch.Change) bool
	// RestartFiles are files of a workspace folder whose change, too, only a new process sees. They need not exist,
	// and may be outside of the folder. gopls has them where it was given a copy of a go.work.
	RestartFiles func(folder string) []string
	// AfterTell makes the server have the changes that it was told of, where it does not have them as soon as the
	// notification is sent. The caller holds the document lock. gopls loads a project for a request only, clangd
	// builds a document anew when it is opened; rust-analyzer and pyright read files later.
	AfterTell func(ctx context.Context, changes []watch.Change) error
	// LacksTold reports whether the server still lacks a change that it was told of, so that who waits for parsing
	// waits on: rust-analyzer and pyright. The caller holds the document lock.
	LacksTold func() bool

	// MayInclude reports whether a file may be built with the text of another one of these, now or before they
	// changed. It is false only where that is certain. The caller holds the document lock. It comes together with
	// FollowIncludes, for a server that builds each document with the texts of the files that it includes: clangd.
	MayInclude func(ctx context.Context, path string, others []string) bool
	// IncludedSince is how the includes of each of some files differ from those that it had when the index that the
	// server goes by was made; nil when ctx ended. The caller holds the document lock. It comes with MayInclude.
	IncludedSince func(ctx context.Context, files []string) map[string]IncludeChange
	// FollowIncludes has the journal follow what a file includes, or imports, that it does not follow anyway. The
	// caller holds the document lock, and is about to send the file. clangd, and pyright for installed packages.
	FollowIncludes func(path string)

	// Surroundings is a mark of all that the build of a file rests on besides the files that lspi follows, and whose
	// change the server does not tell, so that its separate process may stay for another question. It is "" where
	// that is not known; the process then ends with its question. It comes together with BuiltAsIs and KeepsStderr.
	// clangd has it: a process that stays has built the headers of the file.
	Surroundings func(path string) string
	// BuiltAsIs waits until the server tells whether a version of a document is built with what it includes as it
	// is now; false where it is not, or the server does not tell before ctx ends.
	BuiltAsIs func(ctx context.Context, path string, version int32) bool
	// KeepsStderr sees each line that the separate process writes to stderr; one for which it is false is not kept
	// for error messages.
	KeepsStderr func(line string) bool

	// NameFiles names files in a request, for a server that counts a new file only then: gopls. An [Overlay] does so
	// for files that are not on disk. The caller holds the document lock.
	NameFiles func(ctx context.Context, paths []string) error
	// Configuration is a section of the settings for a workspace folder; value is what they have there, nil when it
	// is not set. gopls is given another go.work for some folders.
	Configuration func(folder, section string, value any) any
	// RenameFiles is the parameters of a notification in which each copy of a file that the server was given has the
	// name of the file. Every notification of the server comes here first. gopls reads copies of some go.work files.
	RenameFiles func(params json.RawMessage) json.RawMessage
}

// DiagnosticHooks are about what a server reports.
type DiagnosticHooks struct {
	// PartOf is a source with which a file is compiled that no build compiles by itself, though the server reads it so: a
	// header, or a source that another one includes; certain is false where a condition may leave it out. unit is ""
	// for a file that a build compiles, and where none is known. clangd reports errors there that no build has.
	PartOf func(ctx context.Context, path string) (unit string, certain bool)
	// OtherBuilt are those of the files of which another build than the one that the server checks has other code, with
	// the first place that decides about it. clangd is given one database, and a tree may have several.
	OtherBuilt func(ctx context.Context, paths []string) []OtherBuild
	// Checks are those of the sources below a root that are opened when the whole project is checked, and those that
	// no build takes in, of which the server guesses how they are compiled. The others are left out by the
	// configuration of the project. nil opens all. clangd; pyright.
	Checks func(ctx context.Context, root string, sources []string) (opened, unbuilt []string)
	// BodiesIn are the sources whose errors lack those in the bodies of templates that they include, of a file: itself,
	// or sources that include it, at most MaxBodies; nil when there are none. With outside, templates of headers
	// outside of the workspace count, too. The server compiles these bodies where the line BodiesBy stands before the
	// text of such a source. clangd: the line ends what it compiles once for all.
	BodiesIn func(ctx context.Context, path string, outside bool) []string
	BodiesBy string
	// DiagnosesBy is the workspace/executeCommand that passes on DiagnoseFile's requests. A server that does not
	// offer it is not asked so.
	DiagnosesBy string
	// DiagnoseFile adds to d what the server says of the current text of one file, by requests of the server's own.
	// What typescript-language-server pushes lags, and has no version; vue adds what its own server finds.
	DiagnoseFile func(ctx context.Context, path string, d *Diagnosis) error
	// PushesBy is the workspace/executeCommand by which AskPushes asks. A server that does not offer it is not asked
	// so.
	PushesBy string
	// AskPushes asks the server to push what it knows of files, and of the projects that hold them; the answer comes
	// behind all of the pushes: gopls.
	AskPushes func(ctx context.Context, paths []string) error
	// Witnesses are files of which each has an error itself when a file has errors that the server leaves out when it
	// is asked for that file alone ([spec.FirstErrors]). gopls compiles a package once more with its tests.
	Witnesses func(path string) []string

	// BeforeCheck is called before each run of the external checker ([spec.Check]), to keep it from writing into the
	// project. Its error, an [UnlockedError], is why the checker cannot run. It comes together with CheckRefused.
	// cargo, at rust-analyzer, writes Cargo.lock.
	BeforeCheck func() error
	// CheckRefused is an [UnlockedError] where the server's words say that the checker ended because it may not
	// write; else nil.
	CheckRefused func(words string) error

	// FoundUnreadable reports whether a finding says that the server could not read the file, as which it may take an
	// open document, and go on so while its text is the same: pyright. The document is then sent once more.
	FoundUnreadable func(f Diagnostic) bool
	// LostImport reports whether the message of an error says that the server has lost what the imports of a package
	// are. It does not find it again when the code is mended: until a new process starts it finds no uses there.
	// gopls does so after an import cycle.
	LostImport func(message string) bool

	// Refused reports whether a warning is an error to the compiler of the build, which is another one than the server:
	// clangd.
	Refused func(f Finding) bool
	// IsInactive reports whether a finding marks code that the server does not build (#[cfg]): it reports no other
	// diagnostics there. It comes together with Unlinked, at rust-analyzer.
	IsInactive func(f Finding) bool
	// Unlinked says why the file of a finding belongs to no project, and is not checked; nil for a finding that
	// does not say so. The server's refusal to answer about a file is such a finding, with its message alone.
	Unlinked func(path string, f Finding) *Exclusion
	// RegionsMethod is the notification, with {"textDocument", "regions"}, by which the server tells, behind the
	// diagnostics of each build, which lines of the document the build left out: clangd's inactiveRegions.
	RegionsMethod string
}

// OtherBuild is a file that another build compiles otherwise.
type OtherBuild struct {
	Path string
	File string // it or a file that it includes, with the place that decides
	Line int
	Name string // what the builds set otherwise
	By   string // the project file of the other build
}

// MaxBodies is of how many sources [DiagnosticHooks].BodiesIn tells.
const MaxBodies = 4

// SymbolHooks are about symbols, and the places that a server gives.
type SymbolHooks struct {
	// Outline is the answer to textDocument/documentSymbol about a text, with columns in the encoding of the server,
	// where it comes from elsewhere; ok is false for a document about which the server itself is asked. tsserver has
	// no symbols of a component of vue.
	Outline func(ctx context.Context, path string, text *source.Text) (symbols json.RawMessage, ok bool, err error)
	// Complete adds the declarations of a text that the server's outline lacks; what it gets is shared and not changed.
	// Pyright lists the last of several declarations of one name alone.
	Complete func(text *source.Text, symbols []Symbol) []Symbol
	// SearchSymbols is [Snapshot.WorkspaceSymbols] for a server whose workspace/symbol alone does not search the
	// whole project: typescript-language-server searches that of the document that it was asked about last.
	SearchSymbols func(ctx context.Context, s *Snapshot, query string) (found []WorkspaceSymbol, limited bool, err error)
	// SymbolInfo is how a server tells which symbols a position means, whose answers may be about another symbol than
	// the one whose name stands there: clangd, where a type or a header is not found.
	SymbolInfo SymbolInfo
	// WrittenByTool reports whether a file is what a tool of the build wrote for itself, so that a place in it is none
	// that a user has: gopls leads to what the go command makes of cgo sources, in its cache.
	WrittenByTool func(path string) bool
	// IsImport reports whether a name stands in an import, before it names the module, at a server that leads to the
	// import itself when it cannot follow it ([Place].Import): typescript-language-server.
	IsImport func(t *source.Text, p Place) bool
	// MixedColumns: places may have columns in another encoding than the one agreed on. The server's index on disk
	// has them in the encoding of whatever client wrote it, and does not say which: clangd.
	MixedColumns bool
	// Documented is what a hover about a position says with the documentation that the texts have, at a server that takes
	// it from its index, which may be behind: clangd.
	Documented func(ctx context.Context, s *Snapshot, path string, at contract.Position, said *Hover) (*Hover, error)
	// ConfirmImplementations leaves out of places, an answer about the position, what the texts refute, at a server
	// whose index keeps what the types of a file derive from as it was: clangd, as ConfirmSubtypes.
	ConfirmImplementations func(ctx context.Context, s *Snapshot, path string, at contract.Position,
		places []Place) ([]Place, error)
	// ConfirmSubtypes leaves out of items, which are said to stand right below base, what the texts refute.
	ConfirmSubtypes func(ctx context.Context, s *Snapshot, base HierarchyItem, items []HierarchyItem) ([]HierarchyItem,
		error)
}

// SymbolInfo is a request that tells which symbols a position means, in the form of clangd's
// textDocument/symbolInfo.
type SymbolInfo struct {
	Method string // "" when the server has no such request
	// Words are contextual keywords, of no symbol, at which the server answers with the symbol that they are about.
	Words []string
}

// ActionHooks are of a server whose code actions do other things than LSP says: typescript-language-server.
type ActionHooks struct {
	// IsRefactoring reports whether a command edits files itself, so that its edit is asked for by RefactoringEdit.
	IsRefactoring func(command string) bool
	// RefactoringEdit is the edit, as a WorkspaceEdit, for the arguments of such a command.
	RefactoringEdit func(ctx context.Context, arguments []json.RawMessage) (json.RawMessage, error)
	// MoveToFile is the edit, as a WorkspaceEdit, that moves the statements between two places of an open file to
	// another file, with the imports of all files of the project: typescript-language-server, whose action for it lacks
	// the file.
	MoveToFile func(ctx context.Context, path string, statements contract.Range, to string) (json.RawMessage, error)
	// ActsByPushes: what is about a whole file (source.fixAll) goes by the diagnostics that the server has pushed of
	// it, which lag behind its answers.
	ActsByPushes bool
}

// CoverageHooks tell which sources an answer about a whole project does not cover, and what it lacks.
type CoverageHooks struct {
	// Excluded is [Excluded] for a server that does not read all sources: gopls has one build,
	// typescript-language-server what tsconfig.json takes in.
	Excluded func(ctx context.Context, asked string, may func(path string, m *lang.Mentions) bool) []Uncovered
	// Declared is [Declared] for it.
	Declared func(path string, at contract.Position) (Place, bool)
	// Unlisted is [Unlisted] for a server whose project says which sources belong to it: clangd's compilation
	// database, pyright's include and exclude, TypeScript's own server has tsconfig.json; of rust-analyzer every
	// source may belong to no crate.
	Unlisted func(ctx context.Context, root, method string, asked time.Time) []Uncovered
	// OutsideProject is [OutsideProject] for a server that is asked about each source whether it belongs to a
	// project: rust-analyzer, which knows it by the mod lines of the code.
	OutsideProject func(ctx context.Context, found []Uncovered) []Uncovered
	// NeverBuilt reports whether the language says that no build looks at a path below a root: gopls.
	NeverBuilt func(rel string) bool

	// Vouch tells for which of the files of a question the references of the server are whole, as far as they are
	// code: it has loaded and checked them, and the language decides by types what a name means. A file that is not
	// told has to be looked at place by place. Without the hook that are all files.
	Vouch func(ctx context.Context, q VouchQuestion) map[string]Vouched

	// Kin reports whether a declaration at a place may be overridden by a member of its name, at a server that does not
	// connect the two: gopls, the methods of an interface without a name.
	Kin func(p Place, name string) bool
	// Structural: a class satisfies an interface by having its members, and the server connects only those that say so:
	// typescript-language-server.
	Structural bool
	// UsedIn reports whether code of another language in a file, which holds a name, may use what is declared by the
	// name; the file may be a source of the server with such code in it: gopls, for cgo; clangd.
	UsedIn func(ctx context.Context, path, name string) bool
	// Restates tells whether a file declares anew what a source does, so that a use of the one is a use of the other:
	// what a build made of the source, and a file of declarations beside a script. typescript-language-server.
	Restates func(ctx context.Context, path, source string) Restated
	// Written are the uses of what declared gives, by its name, in sources that a build wrote outside of the tree: the
	// server reads these and does not list all uses in them; all is false when ctx ended before each was looked at.
	// rust-analyzer, of what build scripts write.
	Written func(ctx context.Context, s *Snapshot, name string, declared func() Place) (uses []Place, all bool)
	// Exported reports whether a source gives something to the linker by a name, which a foreign declaration of the
	// same language then uses: rust-analyzer.
	Exported func(name string) bool
	// Foreign reports whether the name at an offset of a source comes, by an import that the server does not resolve,
	// from what is not in the tree, such as a package that is not installed: pyright and typescript-language-server. At
	// rust-analyzer, which resolves little in code that #[cfg] leaves out, the type or module in front of the name says
	// so; declared is where the symbol is.
	Foreign func(ctx context.Context, text *source.Text, offset int, declared Place) bool
	// MayDerive reads a source once, and returns what tells, without asking the server, whether a declaration at an
	// offset of it may be a member of what has a base that the server does not know. It comes together with
	// UnknownBase.
	MayDerive func(text *source.Text) func(ctx context.Context, offset int) bool
	// UnknownBase tells what the server knows of the bases of the class, or of the type of the object, of which a place
	// declares a member, and where the one stands that it does not know: it connects the member with no other by it.
	// pyright and typescript-language-server.
	UnknownBase func(ctx context.Context, s *Snapshot, path string, at contract.Position) (base Place, is Base)
	// Unnamed are uses of a member that do not name it: values that set it by their place. doubtful are places where
	// there may be such. gopls and clangd, whose references have places with the name only.
	Unnamed func(ctx context.Context, s *Snapshot, name string, declared Place) (sure, doubtful []Place)

	// Implicit are the places that may use a symbol without its name, which the server does not list; whole is false
	// where there was no time to look at all: clangd.
	Implicit func(ctx context.Context, s *Snapshot, q ImplicitQuestion) (doubtful []Place, whole bool)
	// External are the indexes that the server asks in place of its own, for files below the root: clangd. Where there are
	// any, its references are those of the commit of such an index, and files count as they are on disk once they are
	// open.
	External func() []ExternalIndex
	// ReadAhead reads what Implicit needs of libraries, once, before the time for a question begins: clangd.
	ReadAhead func(ctx context.Context)

	// NamedByStrings reports whether strings are the uses of a declared member: pyright, keys of a TypedDict.
	NamedByStrings func(ctx context.Context, s *Snapshot, declared Place) bool
	// KeyAt reports whether the string at a place may be the name of a member, going by its type: tsserver, where a key
	// of a type is wanted.
	KeyAt func(ctx context.Context, s *Snapshot, path string, at contract.Position) bool
	// Through tells what a declared member implements, and where that is used: a call through a trait may be one of
	// the member, and the references of the member lack it. ok is false for what implements nothing; of is a guess
	// where the server does not find what the member implements: rust-analyzer.
	Through func(ctx context.Context, s *Snapshot, declared Place) (of Place, uses []Place, ok bool, err error)
	// IncludesTexts: sources may take in files of any name, as include! does, whose calls have no callers:
	// rust-analyzer.
	IncludesTexts bool

	// Conditions tell which code a condition of the language leaves out of the build; nil when there are none. clangd
	// and rust-analyzer have them.
	Conditions *ConditionHooks
	// Includes are for a language whose sources are compiled with the texts of the files that they include: clangd.
	Includes *IncludeHooks
	// Projects are for a server that answers for the projects that it has loaded, and loads that of each opened file:
	// typescript-language-server.
	Projects *LoadedProjectHooks
	// Link says how projects of one tree use each other by path, at a server that answers for each on its own:
	// modules of Go without a go.work, crates of Rust in several workspaces.
	Link *Link
	// Scopes are for a server whose hovers, with the text of a declaration, tell what can only be used in its file:
	// clangd.
	Scopes *ScopeHooks

	// LinkerUses are the places, with the first column, where the linker joins by name what declared gives, or only calls
	// of it; all is false when ctx ended before each file was looked at. The names are composed there, so that no word is
	// the name. gopls does not look into assembly and go:linkname.
	LinkerUses func(ctx context.Context, name string, declared func() Place, calls bool) (uses []Place, all bool)
	// ReferencesAndFields is [ReferencesAndFields] for a server whose references leave out the uses of fields that
	// embed a type: gopls.
	ReferencesAndFields func(ctx context.Context, s *Snapshot, path string, at contract.Position,
		declaration bool) ([]Place, error)
	// NothingCalls reports whether the texts prove that nothing calls an item, at a server that needs long to find
	// that out: gopls.
	NothingCalls func(item HierarchyItem) bool
	// OpenMacroKind is the kind that macros, and nothing else, have among symbols, at a server whose index has no
	// macros: it names those of open files only, and tells callers that a macro of another file makes only while the
	// file that uses the macro is open: clangd.
	OpenMacroKind SymbolKind
	// InStub is [InStub] for a server that takes uses in other files as those of a stub beside the source: pyright.
	InStub func(ctx context.Context, s *Snapshot, path string, at contract.Position) []Place
	// ReferencesInStub is [ReferencesInStub] for it.
	ReferencesInStub func(ctx context.Context, s *Snapshot, path string, at contract.Position, declaration bool,
		places []Place) ([]Place, error)
	// AliasUses are the uses by the other name that an import or an export gives to what stands from one offset of a
	// text to another, at a server whose references and callers leave these out; given is false where none is given.
	// pyright, rust-analyzer, and typescript-language-server in modules of CommonJS.
	AliasUses func(ctx context.Context, s *Snapshot, text *source.Text, from, to int) (uses []Place, given bool,
		err error)
}

// EditHooks tell what an edit changes that the server's diagnostics do not show.
type EditHooks struct {
	// OnlyCompiler is [OnlyCompiler] for a server that leaves something of an edit to the compiler: gopls, and clangd
	// the bodies of templates.
	OnlyCompiler func(ctx context.Context, changes []SourceChange) []CompilerLine
	// ExcludedUsers is [ExcludedUsers] for a server that does not read all sources that an edit may break: gopls.
	ExcludedUsers func(ctx context.Context, texts map[string]string) (found []Uncovered, names []string)
	// ExportedChanges is [ExportedChanges] for it.
	ExportedChanges func(texts map[string]string) (names []string, all bool)
	// StaysLocal reports whether nobody outside of a file's package can notice an edit of the file, from one text to
	// another, at a server that tells of all files, and of some alone ([Diagnostics.FirstOfTexts]). beside are the
	// files of the package besides tests, where an error may show. gopls is then asked for the package alone.
	StaysLocal func(path, before, after string) (beside []string, ok bool)
	// Unchecked reports whether the server reports no error for a name that is not there any more, in a source of which
	// it lists the uses: typescript-language-server, in most scripts.
	Unchecked func(text *source.Text) bool
	// Linker is for a language whose files are compiled one by one, at a server that sees no error of the linker:
	// clangd.
	Linker *LinkerHooks
	// Overrides is [Overrides] for a server that renames a member in one class and not in those that override it:
	// pyright.
	Overrides func(ctx context.Context, s *Snapshot, path string, at contract.Position, name string,
		files []string) (out []Place, all bool)
	// RenameAnew is for a server that may keep the old name for those who import it: it gets the edit of a rename in a
	// file, and how to ask once more, and returns the edit to take. typescript-language-server.
	RenameAnew func(ctx context.Context, path string, first json.RawMessage,
		again func() (json.RawMessage, error)) (json.RawMessage, error)
	// Promoted is [Promoted] for a server whose rename of an interface's method leaves methods that types have from
	// what they embed: gopls.
	Promoted func(ctx context.Context, s *Snapshot, path string, at contract.Position) ([]Place, error)
	// UnseenUse is [UnseenUse] for a language that runs declarations without naming them, and whose types implement
	// interfaces that they do not name: gopls; clangd, of variables whose making runs code.
	UnseenUse func(ctx context.Context, s *Snapshot, declared Place, name, as string) string
}

// Hooks are those of this process; never nil.
func (s *Server) Hooks() *Hooks { return s.hooks }

// ImplicitWays are ways in which code uses a declaration without its name.
type ImplicitWays uint8

const (
	// ByLanguage: the language uses the name by itself, as a loop over a range uses begin in C++.
	ByLanguage ImplicitWays = 1 << iota
	// ByLibraries: a template of a library uses it, when code hands it a type or a value.
	ByLibraries
	// ByMaking: it is a constructor or destructor, and code makes or ends an object without a call that the server
	// lists.
	ByMaking
)

// ImplicitQuestion asks for the uses of a symbol that do not name it.
type ImplicitQuestion struct {
	Name  string
	Asked Place // with its line
	Ways  ImplicitWays
	// Declared is where it is declared; asked for only where the texts have such a use.
	Declared func() Place
	// Holding are the files that hold one of some words in code.
	Holding func(words []string) []string
	// Listed reports whether a line has a place among the references.
	Listed func(path string, line int) bool
}
