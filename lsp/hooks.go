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
// LSP has no request for; the tools ask them through functions of this package, which say what holds for a server
// without the hook.
//
// A hook must not keep the caller waiting longer than its ctx, and one without a ctx asks the server nothing.
type Hooks struct {
	// Changed hears of every change that a sync saw, also of files that the server does not serve, before the server
	// is told of them. The caller holds the document lock, so Changed only takes notes and reads no file; what the
	// changes mean is found out when a question needs it.
	Changed func(changes []watch.Change)
	// Close gives up what the hooks hold besides the server, such as a process. It is called once, when the process of
	// the server has ended.
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
	// before all were known. It comes together with AskExcluded and HoldsSources.
	OutsideBuild func(ctx context.Context) (files map[string]bool, all bool)
	// AskExcluded names those of the files in a request that the build leaves out, which makes a server load them
	// where it can, and notes in d those that it does not check all the same. Its error is the end of ctx or of the
	// server.
	AskExcluded func(ctx context.Context, paths []string, d *Diagnosis) error
	// HoldsSources reports whether a build takes in sources of the project in a folder; true when ctx ends before
	// that is known.
	HoldsSources func(ctx context.Context, folder string) bool

	// BrokenProject says why the project file of a root cannot be read, where the server then goes on without it
	// and says nothing; "" when it can, or is not there.
	BrokenProject func(root string) string
	// BrokenBy is the project file of a root that the server, when it is asked, says it cannot read, with its words;
	// path is "" when there is none.
	BrokenBy func(ctx context.Context, root string) (path, words string)

	// ListChanged reports whether the project file in which the sources are listed one by one is another one than
	// when the process was prepared, so that only a new process is certain to have read it.
	ListChanged func() bool
	// FirstListed are the first sources, at most n, that such a file in a folder lists; nil when there is none.
	FirstListed func(folder string, n int) []string
	// RankSources sorts sources by how likely a project holds them, for a server that loads the project of the file
	// that it is asked about.
	RankSources func(sources []string) []string
}

// SyncHooks are part of bringing a server up to date ([Server.Sync]).
type SyncHooks struct {
	// BeforeSync is called before the sync waits for the journals, without the document lock: it may have further
	// folders followed.
	BeforeSync func(ctx context.Context) error
	// NeedsRestart reports whether the server sees the changes only as a new process. The caller holds the document
	// lock.
	NeedsRestart func(changes []watch.Change) bool
	// RestartFiles are files of a workspace folder whose change, too, only a new process sees. They need not exist,
	// and may be outside of the folder.
	RestartFiles func(folder string) []string
	// AfterTell makes the server have the changes that it was told of, where it does not have them as soon as the
	// notification is sent. The caller holds the document lock.
	AfterTell func(ctx context.Context, changes []watch.Change) error
	// LacksTold reports whether the server still lacks a change that it was told of. The caller holds the document
	// lock.
	LacksTold func() bool

	// MayInclude reports whether a file may be built with the text of another one of these, now or before they
	// changed. It is false only where that is certain. The caller holds the document lock. It comes together with
	// FollowIncludes, for a server that builds each document with the texts of the files that it includes.
	MayInclude func(ctx context.Context, path string, others []string) bool
	// FollowIncludes has the journal follow what a file includes that it does not follow anyway. The caller holds
	// the document lock, and is about to send the file.
	FollowIncludes func(path string)

	// Surroundings is a mark of all that the build of a file rests on besides the files that lspi follows, and whose
	// change the server does not tell, so that its separate process may stay for another question. It is "" where
	// that is not known; the process then ends with its question. It comes together with BuiltAsIs and KeepsStderr.
	Surroundings func(path string) string
	// BuiltAsIs waits until the server tells whether a version of a document is built with what it includes as it
	// is now; false where it is not, or the server does not tell before ctx ends.
	BuiltAsIs func(ctx context.Context, path string, version int32) bool
	// KeepsStderr sees each line that the separate process writes to stderr; one for which it is false is not kept
	// for error messages.
	KeepsStderr func(line string) bool

	// NameFiles names files in a request, for a server that counts a new file only then. The caller holds the
	// document lock.
	NameFiles func(ctx context.Context, paths []string) error
	// Configuration is a section of the settings for a workspace folder; value is what they have there, nil when it
	// is not set.
	Configuration func(folder, section string, value any) any
	// RenameFiles is the parameters of a notification in which each copy of a file that the server was given has the
	// name of the file. Every notification of the server comes here.
	RenameFiles func(params json.RawMessage) json.RawMessage
}

// DiagnosticHooks are about what a server reports.
type DiagnosticHooks struct {
	// DiagnosesBy is the workspace/executeCommand that passes on DiagnoseFile's requests. A server that does not
	// offer it is not asked so.
	DiagnosesBy string
	// DiagnoseFile adds to d what the server says of the current text of one file, by requests of the server's own.
	DiagnoseFile func(ctx context.Context, path string, d *Diagnosis) error
	// PushesBy is the workspace/executeCommand by which AskPushes asks. A server that does not offer it is not asked
	// so.
	PushesBy string
	// AskPushes asks the server to push what it knows of files, and of the projects that hold them; the answer comes
	// behind all of the pushes.
	AskPushes func(ctx context.Context, paths []string) error
	// Witnesses are files of which each has an error itself when a file has errors that the server leaves out when it
	// is asked for that file alone ([spec.FirstErrors]).
	Witnesses func(path string) []string

	// BeforeCheck is called before each run of the external checker ([spec.Check]), to keep it from writing into the
	// project. Its error, an [UnlockedError], is why the checker cannot run. It comes together with CheckRefused.
	BeforeCheck func() error
	// CheckRefused is an [UnlockedError] where the server's words say that the checker ended because it may not
	// write; else nil.
	CheckRefused func(words string) error

	// FoundUnreadable reports whether a finding says that the server could not read the file, as which it may take
	// an open document, and go on so while its text is the same.
	FoundUnreadable func(f Diagnostic) bool
	// LostImport reports whether the message of an error says that the server has lost what the imports of a package
	// are. It does not find it again when the code is mended: until a new process starts it finds no uses there.
	LostImport func(message string) bool
	// HearPushed hears the message of each diagnostic that the server pushes, in their order, and only takes notes:
	// some say what the server's answers lack.
	HearPushed func(message string)

	// IsInactive reports whether a finding marks code that the server does not build (#[cfg]): it reports no other
	// diagnostics there. It comes together with Unlinked.
	IsInactive func(f Finding) bool
	// Unlinked says why the file of a finding belongs to no project, and is not checked; nil for a finding that
	// does not say so.
	Unlinked func(f Finding) *Exclusion
	// RegionsMethod is the notification, with {"textDocument", "regions"}, by which the server tells, behind the
	// diagnostics of each build, which lines of the document the build left out.
	RegionsMethod string
}

// SymbolHooks are about symbols, and the places that a server gives.
type SymbolHooks struct {
	// Outline is the answer to textDocument/documentSymbol about a text, with columns in the encoding of the
	// server, where it comes from elsewhere; ok is false for a document about which the server itself is asked.
	Outline func(ctx context.Context, path string, text *source.Text) (symbols json.RawMessage, ok bool, err error)
	// SearchSymbols is [Snapshot.WorkspaceSymbols] for a server whose workspace/symbol alone does not search the
	// whole project.
	SearchSymbols func(ctx context.Context, s *Snapshot, query string) (found []WorkspaceSymbol, limited bool, err error)
	// SymbolInfo is how a server tells which symbols a position means, whose answers may be about another symbol than
	// the one whose name stands there.
	SymbolInfo SymbolInfo
	// IsImport reports whether a name stands in an import, before it names the module, at a server that leads to the
	// import itself when it cannot follow it.
	IsImport func(t *source.Text, p Place) bool
	// MixedColumns: places may have columns in another encoding than the one agreed on. The server's index on disk has
	// them in the encoding of whatever client wrote it, and does not say which.
	MixedColumns bool
	// ConfirmImplementations leaves out of places, an answer about the position, what the texts refute, at a server
	// whose index keeps what the types of a file derive from as it was.
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

// ActionHooks are of a server whose code actions do other things than LSP says.
type ActionHooks struct {
	// IsRefactoring reports whether a command edits files itself, so that its edit is asked for by RefactoringEdit.
	IsRefactoring func(command string) bool
	// RefactoringEdit is the edit, as a WorkspaceEdit, for the arguments of such a command.
	RefactoringEdit func(ctx context.Context, arguments []json.RawMessage) (json.RawMessage, error)
	// ActsByPushes: what is about a whole file (source.fixAll) goes by the diagnostics that the server has pushed of
	// it, which lag behind its answers.
	ActsByPushes bool
}

// CoverageHooks tell which sources an answer about a whole project does not cover, and what it lacks.
type CoverageHooks struct {
	// Excluded is [Excluded] for a server that does not read all sources.
	Excluded func(ctx context.Context, asked string, may func(path string, m *lang.Mentions) bool) []Uncovered
	// Declared is [Declared] for it.
	Declared func(path string, at contract.Position) (Place, bool)
	// Unlisted is [Unlisted] for a server whose project says which sources belong to it.
	Unlisted func(ctx context.Context, root, method string, asked time.Time) []Uncovered
	// OutsideProject is [OutsideProject] for a server that is asked about each source whether it belongs to a project.
	OutsideProject func(ctx context.Context, found []Uncovered) []Uncovered
	// Uncompiled is [Uncompiled] for a server whose index on disk says which files compiled when they were indexed.
	Uncompiled func(ctx context.Context, root string) []Uncovered

	// MayUse is [MayUse] for a server whose language lspi reads by itself, to know what one build of it leaves out.
	MayUse func(ctx context.Context, found []Uncovered, name string, declared Place) []Uncovered
	// Unparsed is [Unparsed] for it.
	Unparsed func(ctx context.Context, asked, name string) []Uncovered
	// NeverBuilt reports whether the language says that no build looks at a path below a root.
	NeverBuilt func(rel string) bool
	// DropNeverBuilt leaves out such sources.
	DropNeverBuilt func(ctx context.Context, found []Uncovered) []Uncovered

	// Conditions tell which code a condition of the language leaves out of the build; nil when there are none.
	Conditions *ConditionHooks
	// Includes are for a language whose sources are compiled with the texts of the files that they include.
	Includes *IncludeHooks
	// Projects are for a server that answers for the projects that it has loaded, and loads that of each opened file.
	Projects *LoadedProjectHooks
	// Link says how projects of one tree use each other by path, at a server that answers for each on its own.
	Link *Link
	// Scopes are for a server whose hovers, with the text of a declaration, tell what can only be used in its file.
	Scopes *ScopeHooks

	// HoldLinkerName is [HoldLinkerName] for a server that does not look into what the linker joins by name.
	HoldLinkerName func(ctx context.Context, name string) (files []string, all bool)
	// LinkerUses is [LinkerUses] for it.
	LinkerUses func(ctx context.Context, files []string, name string, declared Place) []LinkerUse
	// ReferencesAndFields is [ReferencesAndFields] for a server whose references leave out the uses of fields that
	// embed a type.
	ReferencesAndFields func(ctx context.Context, s *Snapshot, path string, at contract.Position,
		declaration bool) ([]Place, error)
	// NothingCalls reports whether the texts prove that nothing calls an item, at a server that needs long to find
	// that out.
	NothingCalls func(item HierarchyItem) bool
	// OpenMacroKind is the kind that macros, and nothing else, have among symbols, at a server whose index has no
	// macros: it names those of open files only, and tells callers that a macro of another file makes only while the
	// file that uses the macro is open.
	OpenMacroKind SymbolKind
	// MacroTexts is where the text of a macro in a source holds one of names (nil: any word), as offsets, at a server
	// that does not look into the texts of macros.
	MacroTexts func(content string, names []string) []int
	// InStub is [InStub] for a server that takes uses in other files as those of a stub beside the source.
	InStub func(ctx context.Context, s *Snapshot, path string, at contract.Position) []Place
	// ReferencesInStub is [ReferencesInStub] for it.
	ReferencesInStub func(ctx context.Context, s *Snapshot, path string, at contract.Position, declaration bool,
		places []Place) ([]Place, error)
	// UsesByAlias is [UsesByAlias] for a server whose references and callers leave out the uses by the other name
	// that an import gives.
	UsesByAlias func(ctx context.Context, s *Snapshot, places []Place) (uses []Place, all bool)
}

// EditHooks tell what an edit changes that the server's diagnostics do not show.
type EditHooks struct {
	// OnlyCompiler is [OnlyCompiler] for a server that leaves something of an edit to the compiler.
	OnlyCompiler func(ctx context.Context, changes []SourceChange) []CompilerLine
	// ExcludedUsers is [ExcludedUsers] for a server that does not read all sources that an edit may break.
	ExcludedUsers func(ctx context.Context, texts map[string]string) (found []Uncovered, names []string)
	// ExportedChanges is [ExportedChanges] for it.
	ExportedChanges func(texts map[string]string) (names []string, all bool)
	// StaysLocal reports whether nobody outside of a file's package can notice an edit of the file, from one text to
	// another, at a server that tells of all files, and of some alone ([Diagnostics.FirstOfTexts]). beside are the
	// files of the package besides tests, where an error may show.
	StaysLocal func(path, before, after string) (beside []string, ok bool)
	// Linker is for a language whose files are compiled one by one.
	Linker *LinkerHooks
	// Overrides is [Overrides] for a server that renames a member in one class and not in those that override it.
	Overrides func(ctx context.Context, s *Snapshot, path string, at contract.Position, name string,
		files []string) (out []Place, all bool)
	// Promoted is [Promoted] for a server whose rename of an interface's method leaves methods that types have from
	// what they embed.
	Promoted func(ctx context.Context, s *Snapshot, path string, at contract.Position) ([]Place, error)
}

// Hooks are those of this process; never nil.
func (s *Server) Hooks() *Hooks { return s.hooks }
