package lsp

import (
	"lspi/contract"
	"lspi/lsp/spec"
)

// Uncovered is a source of which an answer lacks what concerns the question, though the server does not say so.
type Uncovered struct {
	Path   string // absolute; "" stands for sources that could not be found out in time
	Line   int    // the first that concerns the question; 0 where nobody knows it
	Reason Reason
}

// Reason is why an answer does not cover a source, a closed list.
type Reason uint8

// The reasons. Those of a group are told by one kind of warning.
const (
	OutsideBuild      Reason = iota + 1 // the build that the server loaded leaves it out
	NotOfProject                        // it belongs to no project, or the configuration of the project leaves it out
	MembershipUnknown                   // the server did not say in time whether it belongs to a project
	SeparateProject                     // it is of a project that was not asked about

	NotCompiled // it does not compile

	ConditionFalse // a condition of the language (#if, #[cfg]) leaves the code out, or nobody knows whether it does
	CompilerOnly   // only the compiler or the linker checks what an edit changes there

	OfOtherProject        // it is of a project that the server has not loaded, or does not search for this
	DependencyMissing     // what it uses is not installed
	NoServer              // the server for it is not installed
	NoProjectFile         // nothing tells the server what the project is
	NoCompilationDatabase // nothing tells the server how it is compiled
)

// kinds are the warnings by which hosts are told, and which say what a reason does to the completeness of an answer.
var kinds = [...]contract.WarningKind{
	OutsideBuild: contract.WarnUnlistedSources, NotOfProject: contract.WarnUnlistedSources,
	MembershipUnknown: contract.WarnUnlistedSources, SeparateProject: contract.WarnUnlistedSources,
	NotCompiled:    contract.WarnNotCompiled,
	ConditionFalse: contract.WarnNotBuilt, CompilerOnly: contract.WarnCompilerOnly,
	OfOtherProject: contract.WarnLinkedProjects, DependencyMissing: contract.WarnDependenciesMissing,
	NoServer:      contract.WarnServerFailed,
	NoProjectFile: contract.WarnNoProjectFile, NoCompilationDatabase: contract.WarnNoCompilationDatabase,
}

// Kind is the warning that tells of the reason; its effect on completeness is [contract.WarningKind.Effect].
func (r Reason) Kind() contract.WarningKind { return kinds[r] }

// LacksProject is the reason of a project whose file is not there.
func LacksProject(p *spec.ProjectFile) Reason {
	if contract.WarningKind(p.Warning) == contract.WarnNoCompilationDatabase {
		return NoCompilationDatabase
	}
	return NoProjectFile
}

// ExternalIndex is an index that a server asks in place of one that it makes itself ([CoverageHooks].External): others
// made it, of files as they were then.
type ExternalIndex struct {
	Named string // the file of the server's configuration that names it, absolute
	Mount string // the folder whose files it is of, absolute
	// Where it is: a file, absolute, or the address of a server; both are "" where the configuration has the server do
	// without any index.
	File, Address string
}

// Where is the file or the address of the index; "" for none.
func (x ExternalIndex) Where() string { return x.File + x.Address }

// Because are sources with one reason. Where not all could be found out in time they are told as a whole.
func Because(reason Reason, files []string, all bool) []Uncovered {
	if !all {
		return []Uncovered{{Reason: reason}}
	}
	out := make([]Uncovered, len(files))
	for i, path := range files {
		out[i] = Uncovered{Path: path, Reason: reason}
	}
	return out
}
