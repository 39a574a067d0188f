package lsp

// ProjectCode says which code of a project a server runs, and what keeps it from that in a workspace that is not trusted: a
// server that builds, loads plugins or takes its compiler from the project runs what whoever wrote the repository wants, with
// the first question.
type ProjectCode struct {
	Runs     []ProjectRun
	Fetches  []ProjectFetch
	Restrict Restriction
	// Tried is how it is known what runs and that Restrict stops it: the version and the date of a trial, or the test that holds it;
	// "" when only the server's documentation says so.
	Tried string
}

// ProjectRun is one kind of code that a server runs.
type ProjectRun struct {
	What  string   // for people, in the plural: "build scripts"
	Files []string // that there is some: globs of paths below any folder of the workspace ("build.rs", ".cargo/config.toml")
	Text  string   // what one of these files must hold; "" for any
	// Absent: a root in which none of Files is counts, too, because nobody can tell then.
	Absent bool
	// Loss is what answers may lack when it is not run ("names that macros make"), and Methods are the LSP methods of such
	// answers. Without Methods nothing is lacking in any answer.
	Loss    string
	Methods []string
}

// ProjectText is a file of a project, a glob of paths below any of its folders, that holds a text; "" for any text.
type ProjectText struct{ File, Text string }

// Restriction is laid over a row in a workspace that is not trusted.
type Restriction struct {
	Off      string            // why the server is not started at all: what it runs that nothing turns off; "" when it is started
	Settings map[string]any    // over Spec.Settings
	Options  map[string]any    // over Spec.InitializationOptions
	Env      map[string]string // over Spec.Env
	NoCheck  bool              // Diagnostics.Check is not run
	Notify   []string          // Spec.Notify
	Bars     []Bar
	User     *UserFile
	Own      *OwnFile // nil when the server does not take this file from the project
}

// Bar names files of a project with which the server is not started, because they make it run something that nothing turns
// off. They are looked for in the root and in all folders above it, where those of this user count no longer above the untrusted folders.
type Bar struct {
	Files []string // paths relative to such a folder
	// Allowed are the keys that these TOML files may have nevertheless, dotted, * for any one part; all below an allowed key is
	// allowed. nil bars the file whatever it holds.
	Allowed []string
	Why     string // what it would have the server run
}

// OwnFile is a file that a server takes from the project, and has to be given from elsewhere: where the server itself is
// installed, else beside one of the programs.
type OwnFile struct {
	Option   string   // initialization option that names it, dotted
	Path     string   // below a folder of packages: "typescript/lib/tsserver.js"
	Folder   string   // what folders of packages are called: "node_modules"
	Programs []string // of packages that have it: "tsc"
	Install  string   // how to have it, a command line
}
