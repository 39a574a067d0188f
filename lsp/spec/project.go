package spec

import (
	"path/filepath"
	"slices"

	"lspi/internal/source"
)

// HasExtension reports whether a file of this name is shown in the folders of dependencies though the server does
// not serve it.
func (f *Sources) HasExtension(base string) bool {
	return slices.ContainsFunc(f.Extensions, func(ext string) bool { return filepath.Ext(base) == "."+ext })
}

// Generator is a way to have written or installed what a project needs.
type Generator struct {
	Marks   []string // globs in the root; any of them tells that this way fits; nil fits always
	Command string   // to run in the root; "" where it takes more than a command
	Note    string   // what to do, where a command alone does not say it
	// that the command runs and that may have to be installed first; "" when it is there wherever the mark is
	Program string
}

// Packages says where a package manager puts what projects of a language depend on. Journals leave such folders
// out, and a server that resolved an import in vain, or to what was there before, does not look again.
type Packages struct {
	// base name of the file that names the dependencies of the folder it is in: package.json; "" without one
	Manifest string
	Keys     []string // members of the manifest, a JSON object, that are objects of dependencies
	Folder   string   // where they are installed, in the folder of the manifest or above: node_modules
	// paths in the folder of a manifest that a package manager writes last; Folder counts besides
	Signs      []string
	Instead    []string    // files in the folder of the manifest or above that make Folder needless: .pnp.cjs
	Generators []Generator // how to have them installed, by what the manifest's folder holds; the first that fits

	Homes     []Home   // environments that packages are installed into, beside or instead of Folder
	Installed []string // globs in a home: folders that change with every package that comes or goes
	// Setting is where the settings take those folders of a home that lies in the project, by dotted path; "" when the
	// server finds them.
	Setting string
	// Besides are further folders for Setting, which come first: what sources of a project at root import from besides
	// the packages in these folders; nil when there are none.
	Besides func(root string, packages []string) []string `json:"-"`
	// Replaced reports whether the configuration of a project at root has its own folders for Setting, instead of which
	// the server is told of the program of the environment by ProgramSetting, and runs it; nil when none has.
	Replaced       func(root string) bool `json:"-"`
	ProgramSetting string
}

// Home is a way to find environments; one of its fields is set.
type Home struct {
	Folder   string // of this base name in the project's folder or above: .venv
	Variable string // of lspi's environment, which holds the path of one: VIRTUAL_ENV
	Program  string // on PATH, in the bin folder of one: python3
}

// Sources says where the sources lie that the server answers about besides the project: dependencies, the standard
// library. Only these, and what is in the workspace, are read and shown; a server that was led elsewhere (a
// declaration map, an #include, a path in a build file of a workspace that is not trusted) gives away a path and a
// line, and no text. Nothing here runs code of the project.
type Sources struct {
	Folders []string // absolute, or below the user's home as "~/go/pkg/mod"; globs
	// Variables of the server's environment hold such folders, as PATH does; behind a slash stands what is below
	// them that counts: "CARGO_HOME/registry/src".
	Variables []string
	// Ask are command lines that print such folders, one a line; what is no folder is passed over. They run in the
	// root of the file system, so that no project decides.
	Ask [][]string
	// Program are globs below the folder of the server's executable: "../lib/clang/*/include".
	Program []string
	// Upward are names of folders of packages, in which the program itself lies or which stand above the project:
	// "node_modules".
	Upward []string
	// AnyName: the files there count by any name, and not by the server's extensions alone (<vector> of C++).
	AnyName bool
	// Extensions count there besides those that the server serves.
	Extensions []string
	// Local makes what reads the folders beside a trusted project, in which reach lies, that its files name; nil
	// where none do.
	Local func(folders func() []string, reach *source.Reach) func() []string `json:"-"`
}

// ProjectFetch is what a server fetches over the network because files of a project say so, in a trusted workspace;
// in others [Restriction] keeps it from that.
type ProjectFetch struct {
	What string // for people: "the schema that a file names by URL"
	// Extensions of the files that make it fetch; nil means all files of the server.
	Extensions []string
	Texts      []string // one of which such a file holds; nil means any text
	Beside     string   // a file that has to be in the project's root; "" for none
	Unless     []string // files in the root with which it does not
}

// Output is a folder that a server writes into besides the project: build outputs, caches. It is one in lspi's own
// cache, because a tool that reads leaves no file in the tree; unless the configuration says another in any of its
// places.
type Output struct {
	Name    string // of the folder
	Setting string // dotted place in Settings that names it; "" when none does
	Option  string // likewise in InitializationOptions
	Arg     string // an argument of the command that the folder follows: "-data"; "" when none does
	Alone   bool   // one process uses it at a time: one that starts beside it gets another, with a number
}

// Cache is a folder in which a server keeps for its next process what it found out about projects. Output, Project or
// Name says where it is.
type Cache struct {
	Holds     string // what it keeps, for people
	Worktrees string // what another working tree of the repository has of it, for people
	Output    string // it is the [Output] of this name
	Project   string // path below the folder of the project file that the server is told: ".cache/clangd/index"
	Variable  string // of the server's environment: the folder that Name is below, instead of the user's cache folder
	Name      string // path below that folder
}

// UserFile is a configuration file of the user's that a server reads last, so that it overrules the project's. A
// restricted server, and a process for trials ([OverlayArgs].User), is given a copy of it in lspi's cache, with
// Text behind what the user wrote.
type UserFile struct {
	Variable string // names the folder of configurations: "XDG_CONFIG_HOME"
	Home     string // that folder below the home folder when the variable is not set: ".config"
	Path     string // below that folder: "clangd/config.yaml"
	Between  string // ends what the user wrote: "\n---\n"
	Text     string
}

// ProjectFile is what the server needs to see the whole project; without it cross-file answers are partial.
type ProjectFile struct {
	Files []string // any of these, looked for in the root and its sub-folders named in Dirs
	Dirs  []string // "build" and the like; the root itself always counts
	// Named returns further folders that settings in the root name, relative to it; nil has none.
	Named func(root string) []string `json:"-"`
	// Empty reports whether a project file says nothing, so that it counts as missing; nil when none does.
	Empty   func(path string) bool `json:"-"`
	Above   bool                   // the server itself looks for it in the folders above its root as well
	Warning string                 // the warning's kind: no_compilation_database or no_project_file
	Option  string                 // initialization option that is set to the folder of the file; "" sets none
	Hint    string                 // what to do about it, one sentence
	Flags   []string               // further files in the root that say how sources are compiled
	// Closed reports whether a file with this text shares names with others by its imports alone; nil when that is
	// not known.
	Closed func(text string) bool `json:"-"`
	// Keeps reports whether a file with this text keeps to itself what a hover describes by a name; nil when nobody
	// knows.
	Keeps func(text, hover, name string) bool `json:"-"`
	// Renames reports whether a file with this text may give one of names to others under another name; nil when
	// none does.
	Renames func(text string, names []string) bool `json:"-"`

	Single     []string    // files in the root that are enough for a question about one file ("compile_flags.txt")
	Enough     string      // what to write to have one of Single, one sentence; "" where there is none
	Generators []Generator // how to have the file written, by what the root holds; the first that fits
}

// Install is one way to get a server or another program.
type Install struct {
	Needs string // the program that must be there: go, npm, rustup, brew, apt-get; "" when the command needs none
	// a command line that runs as it stands where Needs is; "" when there is none and Package says where to get it
	Command string
	Package string // what the program is called there, for people; "" when Command alone says it
	File    string // an absolute glob that has to match, which tells a release that has the package; "" for any
}
