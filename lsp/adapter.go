package lsp

import (
	"context"
	"encoding/json"

	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Adapter is what is particular about one server, beyond what its [spec.Spec] says as data: what it leaves uncovered, what its project files
// say, how it diagnoses. [Options].Adapter makes one for each process; what it keeps is about that process and ends with it. The client asks
// it during its own work by the optional interfaces below; who asks the server for something else (package adapter) finds it by
// [Server.Adapter]. A server without one behaves as LSP says.
type Adapter interface {
	// Changed hears of every change that a sync saw, also of files that the server does not serve, before the server is told of them. The
	// caller holds the document lock, so it only takes notes: it asks the server nothing and reads no file.
	Changed(changes []watch.Change)
}

// BuildReader is an [Adapter] that knows which sources the server's build leaves out.
type BuildReader interface {
	// OutsideBuild are the sources of the server's folders that the build leaves out; all is false when ctx ended before all were known.
	OutsideBuild(ctx context.Context) (files map[string]bool, all bool)
	// AskUnbuilt names those of the files in a request that the build leaves out, which makes a server load them where it can, and notes
	// in d those that it does not check all the same. Its error is the end of ctx or of the server.
	AskUnbuilt(ctx context.Context, paths []string, d *Diagnosis) error
	// HoldsSources reports whether a build takes in sources of the project in a folder; true when ctx ends before that is known.
	HoldsSources(ctx context.Context, folder string) bool
}

// ProjectReader is an [Adapter] that reads the project file itself.
type ProjectReader interface {
	// BrokenProject says why the project file of a root cannot be read, where the server then goes on without it and says nothing; ""
	// when it can, or is not there.
	BrokenProject(root string) string
}

// SourceRanker is an [Adapter] of a server that loads the project of the file that it is asked about.
type SourceRanker interface {
	// Rank sorts sources by how likely a project holds them.
	Rank(sources []string) []string
}

// Preparer is an [Adapter] that prepares a sync.
type Preparer interface {
	// BeforeSync is called before the sync waits for the journals, without the document lock: it may have further folders followed.
	BeforeSync(ctx context.Context) error
}

// Restarter is an [Adapter] of a server that sees some changes only as a new process.
type Restarter interface {
	// NeedsRestart reports whether the changes are such. The caller holds the document lock.
	NeedsRestart(changes []watch.Change) bool
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

// Toucher is an [Adapter] of a server for which a file counts only when a request has named it.
type Toucher interface {
	// Touch names files. The caller holds the document lock.
	Touch(ctx context.Context, paths []string) error
}

// RelationChecker is an [Adapter] of a server whose index keeps what the types of a file derive from as it was.
type RelationChecker interface {
	// ConfirmImplementations leaves out of places, an answer about the position, what the texts refute.
	ConfirmImplementations(ctx context.Context, s *Snapshot, path string, at contract.Position, places []Place) ([]Place, error)
	// ConfirmSubtypes leaves out of items, which are said to stand right below base, what the texts refute.
	ConfirmSubtypes(ctx context.Context, s *Snapshot, base HierarchyItem, items []HierarchyItem) ([]HierarchyItem, error)
}

// Diagnoser is an [Adapter] that obtains the diagnostics of a document by requests of the server's own.
type Diagnoser interface {
	// DiagnoseFile adds to d what the server says of the current text of one file.
	DiagnoseFile(ctx context.Context, path string, d *Diagnosis) error
}

// SymbolSearcher is an [Adapter] of a server whose workspace/symbol alone does not search the whole project.
type SymbolSearcher interface {
	// SearchSymbols is [Snapshot.WorkspaceSymbols] for it.
	SearchSymbols(ctx context.Context, s *Snapshot, query string) (found []WorkspaceSymbol, limited bool, err error)
}

// Refactorer is an [Adapter] that gets the edit of a refactoring whose command would edit files itself.
type Refactorer interface {
	// RefactoringEdit is the edit, as a WorkspaceEdit, for the arguments of the command ([spec.Actions].Refactor).
	RefactoringEdit(ctx context.Context, arguments []json.RawMessage) (json.RawMessage, error)
}

// plain is the [Adapter] of a server that needs none.
type plain struct{}

func (plain) Changed([]watch.Change) {}

// Adapter is what [Options].Adapter made for this process.
func (s *Server) Adapter() Adapter { return s.adapter }

// outsideBuild is [BuildReader] of a server that may have none.
func (s *Server) outsideBuild(ctx context.Context) (files map[string]bool, all bool) {
	if a, ok := s.adapter.(BuildReader); ok {
		return a.OutsideBuild(ctx)
	}
	return nil, true
}

// askUnbuilt is [BuildReader] of a server that may have none.
func (s *Server) askUnbuilt(ctx context.Context, paths []string, d *Diagnosis) error {
	if a, ok := s.adapter.(BuildReader); ok {
		return a.AskUnbuilt(ctx, paths, d)
	}
	return nil
}

// holdsSources is [BuildReader] of a server that may have none.
func (s *Server) holdsSources(ctx context.Context, folder string) bool {
	if a, ok := s.adapter.(BuildReader); ok {
		return a.HoldsSources(ctx, folder)
	}
	return s.SomeFile(folder) != ""
}

// loadsByFile reports whether the server loads projects by the files that are open.
func (s *Server) loadsByFile() bool {
	return s.spec.Build != nil && s.spec.Build.Rules == spec.BuildTSConfig
}

// brokenProject is [ProjectReader] of a server that may have none.
func (s *Server) brokenProject(root string) string {
	if a, ok := s.adapter.(ProjectReader); ok {
		return a.BrokenProject(root)
	}
	return ""
}
