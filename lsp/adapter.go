package lsp

import (
	"context"
	"encoding/json"

	"lspi/internal/source"
	"lspi/lsp/watch"
)

// Adapter is what is particular about one server, beyond what its [spec.Spec] says as data: what it leaves
// uncovered, what its project files say, how it diagnoses. A [Launcher] makes one for each process; what it keeps
// is about that process and ends with it. The client asks it during its own work by the optional interfaces below;
// who asks the server for something else (package adapter) finds it by [Server.Adapter]. A server without one
// behaves as LSP says.
type Adapter interface {
	// Changed hears of every change that a sync saw, also of files that the server does not serve, before the
	// server is told of them. The caller holds the document lock, so it only takes notes: it asks the server
	// nothing and reads no file.
	Changed(changes []watch.Change)
}

// BuildReader is an [Adapter] that knows which sources the server's build leaves out.
type BuildReader interface {
	// OutsideBuild are the sources of the server's folders that the build leaves out; all is false when ctx ended
	// before all were known.
	OutsideBuild(ctx context.Context) (files map[string]bool, all bool)
	// AskExcluded names those of the files in a request that the build leaves out, which makes a server load them
	// where it can, and notes in d those that it does not check all the same. Its error is the end of ctx or of the
	// server.
	AskExcluded(ctx context.Context, paths []string, d *Diagnosis) error
	// HoldsSources reports whether a build takes in sources of the project in a folder; true when ctx ends before
	// that is known.
	HoldsSources(ctx context.Context, folder string) bool
}

// ProjectReader is an [Adapter] that reads the project file itself.
type ProjectReader interface {
	// BrokenProject says why the project file of a root cannot be read, where the server then goes on without it
	// and says nothing; "" when it can, or is not there.
	BrokenProject(root string) string
}

// ListReader is an [Adapter] that reads the project file in which the sources are listed one by one.
type ListReader interface {
	// ListChanged reports whether that file is another one than when the process was prepared, so that only a new
	// process is certain to have read it.
	ListChanged() bool
	// FirstListed are the first sources, at most n, that the project file in a folder lists; nil when there is none.
	FirstListed(folder string, n int) []string
}

// SourceRanker is an [Adapter] of a server that loads the project of the file that it is asked about.
type SourceRanker interface {
	// Rank sorts sources by how likely a project holds them.
	Rank(sources []string) []string
}

// Outliner is an [Adapter] that has the symbols of some documents from elsewhere than its server.
type Outliner interface {
	// Outline is the answer to textDocument/documentSymbol about a text, with columns in the encoding of the
	// server; ok is false for a document about which the server itself is asked.
	Outline(ctx context.Context, path string, text *source.Text) (symbols json.RawMessage, ok bool, err error)
}

// Closer is an [Adapter] that holds something besides its server, such as a process.
type Closer interface {
	// Close gives it up. It is called once, when the process of the server has ended, and does not wait for the server.
	Close()
}

// Preparer is an [Adapter] that prepares a sync.
type Preparer interface {
	// BeforeSync is called before the sync waits for the journals, without the document lock: it may have further
	// folders followed.
	BeforeSync(ctx context.Context) error
}

// Restarter is an [Adapter] of a server that sees some changes only as a new process.
type Restarter interface {
	// NeedsRestart reports whether the changes are such. The caller holds the document lock.
	NeedsRestart(changes []watch.Change) bool
}

// FileFollower is an [Adapter] that names files whose change, too, only a new process sees.
type FileFollower interface {
	// RestartFiles are such files for a workspace folder; they need not exist, and may be outside of it.
	RestartFiles(folder string) []string
}

// Configurer is an [Adapter] that gives the server other settings for each workspace folder.
type Configurer interface {
	// Configuration is a section of the settings for a folder; value is what they have there, nil when it is not set.
	Configuration(folder, section string, value any) any
}

// Renamer is an [Adapter] of a server that was given copies of files of the project.
type Renamer interface {
	// RenameFiles is the parameters of a notification in which each copy has the name of its file. Every
	// notification comes here.
	RenameFiles(params json.RawMessage) json.RawMessage
}

// WitnessReader is an [Adapter] of a server that, asked for one file ([spec.FirstErrors]), leaves out errors in it
// that it finds only together with other files.
type WitnessReader interface {
	// Witnesses are files of which each has an error itself when a file has such errors with it.
	Witnesses(path string) []string
}

// Reloader is an [Adapter] of a server that does not have what it was told when the notification is sent.
type Reloader interface {
	// AfterTell makes the server have the changes that it was told of. The caller holds the document lock.
	AfterTell(ctx context.Context, changes []watch.Change) error
}

// Pending is a [Reloader] that knows when its server still lacks a change that it was told of.
type Pending interface {
	// Unread reports whether it does. The caller holds the document lock.
	Unread() bool
}

// IncludeFollower is an [Adapter] of a server that builds each document with the texts of the files that it includes.
type IncludeFollower interface {
	// MayInclude reports whether a file may be built with the text of another one of these, now or before they
	// changed. It is false only where that is certain. The caller holds the document lock.
	MayInclude(ctx context.Context, path string, others []string) bool
	// Follow has the journal follow what a file includes that it does not follow anyway. The caller holds the
	// document lock, and is about to send the file.
	Follow(path string)
}

// Reuser is an [Adapter] of a server whose separate process may stay for another question.
type Reuser interface {
	// Surroundings is a mark of all that the build of a file rests on besides the files that lspi follows, and
	// whose change the server does not tell. It is "" where that is not known; the process then ends with its
	// question.
	Surroundings(path string) string
	// BuiltAsIs waits until the server tells whether a version of a document is built with what it includes as it
	// is now; false where it is not, or the server does not tell before ctx ends.
	BuiltAsIs(ctx context.Context, path string, version int32) bool
	// Stderr sees each line that the process writes to stderr; one for which it is false is not kept for error
	// messages.
	Stderr(line string) bool
}

// Toucher is an [Adapter] of a server for which a file counts only when a request has named it.
type Toucher interface {
	// Touch names files. The caller holds the document lock.
	Touch(ctx context.Context, paths []string) error
}

// CheckGuard is an [Adapter] that keeps the external checker ([spec.Check]) from writing into the project.
type CheckGuard interface {
	// BeforeCheck is called before each run. Its error, an [UnlockedError], is why the checker cannot run.
	BeforeCheck() error
	// CheckRefused is an [UnlockedError] where the server's words say that the checker ended because it may not
	// write; else nil.
	CheckRefused(words string) error
}

// Diagnoser is an [Adapter] that obtains the diagnostics of a document by requests of the server's own.
type Diagnoser interface {
	// DiagnosesBy is the workspace/executeCommand that passes these requests on. A server that does not offer it is
	// not asked so.
	DiagnosesBy() string
	// DiagnoseFile adds to d what the server says of the current text of one file.
	DiagnoseFile(ctx context.Context, path string, d *Diagnosis) error
}

// PushDiagnoser is an [Adapter] of a server that pushes what it knows of files, and of the projects that hold them,
// when it is asked to.
type PushDiagnoser interface {
	// PushesBy is the workspace/executeCommand that asks it. A server that does not offer it is not asked so.
	PushesBy() string
	// AskPushes asks it; the answer comes behind all of the pushes.
	AskPushes(ctx context.Context, paths []string) error
}

// Misreader is an [Adapter] of a server that may take an open document for a file that it could not read, and go on
// so while its text is the same.
type Misreader interface {
	// Misread reports whether a finding says so.
	Misread(f Diagnostic) bool
}

// ImportLoser is an [Adapter] of a server that loses what the imports of a package are, and does not find it again
// when the code is mended: until a new process starts it finds no uses there.
type ImportLoser interface {
	// LostImport reports whether the message of an error says so.
	LostImport(message string) bool
}

// PushReader is an [Adapter] of a server that says by a diagnostic what its answers lack.
type PushReader interface {
	// Pushed hears the message of each diagnostic that the server pushes, in their order, and only takes notes.
	Pushed(message string)
}

// FindingReader is an [Adapter] of a server that says by diagnostics of its own what it does not check.
type FindingReader interface {
	// IsInactive reports whether a finding marks code that the server does not build (#[cfg]): it reports no other
	// diagnostics there.
	IsInactive(f Finding) bool
	// Unlinked says why the file of a finding belongs to no project, and is not checked; nil for a finding that
	// does not say so.
	Unlinked(f Finding) *Exclusion
}

// RegionTeller is an [Adapter] of a server that tells by a notification, behind the diagnostics of each build,
// which lines of the document the build left out.
type RegionTeller interface {
	// RegionsMethod is the notification, with {"textDocument", "regions"}.
	RegionsMethod() string
}

// Refactorer is an [Adapter] of a server whose code actions do other things than LSP says.
type Refactorer interface {
	// IsRefactoring reports whether a command edits files itself, so that its edit is asked for by RefactoringEdit.
	IsRefactoring(command string) bool
	// RefactoringEdit is the edit, as a WorkspaceEdit, for the arguments of the command.
	RefactoringEdit(ctx context.Context, arguments []json.RawMessage) (json.RawMessage, error)
	// ActsByPushes reports whether what is about a whole file (source.fixAll) goes by the diagnostics that the
	// server has pushed of it, which lag behind its answers.
	ActsByPushes() bool
}

// SymbolReader is an [Adapter] of a server whose answers may be about another symbol than the one whose name stands
// at the position, and that tells which symbols a position means.
type SymbolReader interface {
	// SymbolInfo is the request that tells.
	SymbolInfo() SymbolInfo
}

// SymbolInfo is a request that tells which symbols a position means, in the form of clangd's
// textDocument/symbolInfo ([SymbolReader]).
type SymbolInfo struct {
	Method string
	// Words are contextual keywords, of no symbol, at which the server answers with the symbol that they are about.
	Words []string
}

// ImportReader is an [Adapter] of a server that leads to the import itself when it cannot follow it.
type ImportReader interface {
	// IsImport reports whether a name stands in an import, before it names the module.
	IsImport(t *source.Text, p Place) bool
}

// ColumnReader is an [Adapter] of a server whose places may have columns in another encoding than the one agreed on.
type ColumnReader interface {
	// MixedColumns reports whether they may: its index on disk has columns in the encoding of whatever client wrote
	// it, and does not say which.
	MixedColumns() bool
}

// plain is the [Adapter] of a server that needs none.
type plain struct{}

// Changed takes no notes: nothing is kept.
func (plain) Changed([]watch.Change) {}

// regionsMethod is [RegionTeller] of a server that may have none: "" then.
func regionsMethod(a Adapter) string {
	if a, ok := a.(RegionTeller); ok {
		return a.RegionsMethod()
	}
	return ""
}

// symbolInfo is [SymbolReader] of a server that may have none: the zero value then.
func symbolInfo(a Adapter) SymbolInfo {
	if a, ok := a.(SymbolReader); ok {
		return a.SymbolInfo()
	}
	return SymbolInfo{}
}
