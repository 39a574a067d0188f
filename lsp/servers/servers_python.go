package servers

import (
	"slices"

	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/lsp/servers/pyright"
	"lspi/lsp/spec"
)

var (
	pythonLanguages = languages("python")
	pythonSkips     = []string{"__pycache__", ".venv", "venv", ".tox", ".nox", "site-packages", ".mypy_cache",
		"node_modules"}
)

// pythonRoots: the configuration of a checker's own names its root; else the nearest project. A list of packages names
// what a part of a project needs, and what it imports may lie above (checks/requirements.txt): only the topmost counts.
func pythonRoots(first ...spec.MarkerGroup) spec.RootRule {
	return roots(append(first, closestTo(pythonManifests...), topmost("Pipfile", "requirements.txt"))...)
}

// pyrightRoots: without a configuration or an environment of its own, a project is one with those that are above or
// beside it: they import each other, by what is installed for editing, or by the path that tests and servers are
// started with; and a rename takes in only what one process has listed.
func pyrightRoots(tables ...string) spec.RootRule {
	first := []spec.MarkerGroup{closestTo("pyrightconfig.json")}
	for _, table := range tables {
		first = append(first, tool(table))
	}
	sharing, above, beside := closestTo(pythonEnvironments...), topmost(pythonProjects...), closestTo(".git")
	sharing.Members, above.Members, beside.Members = withOthers, withOthers, withNeighbours
	rule := pythonRoots(append(first, sharing, beside, above)...)
	rule.Views = true
	return rule
}

var (
	pythonManifests = []string{"pyproject.toml", "setup.py", "setup.cfg"}
	// pythonProjects are the files that tell what a repository installs, also where it is no project itself.
	pythonProjects = append([]string{"Pipfile", "requirements.txt", "requirements-dev.txt", "environment.yml",
		"environment.yaml", "pixi.toml"}, pythonManifests...)
	// pythonEnvironments are what environments of venv and conda have in them, in the folders that their tools make.
	pythonEnvironments = []string{".venv/pyvenv.cfg", "venv/pyvenv.cfg", "env/pyvenv.cfg", ".conda/conda-meta",
		"env/conda-meta"}
)

// tool is a pyproject.toml with a section of the tool.
func tool(name string) spec.MarkerGroup {
	return spec.MarkerGroup{Files: []string{"pyproject.toml"}, Contains: "[tool." + name}
}

// Order: pyright and basedpyright know types and the whole project; ty is as fast but younger; pylsp and jedi answer
// for single names. ruff only checks, beside whichever of them runs.
var pythonServers = []spec.Spec{
	pyrightRow("python", spec.Spec{
		ID: "pyright", Title: "Pyright",
		Roots:    pyrightRoots("pyright"),
		Commands: []spec.Command{run("pyright-langserver", "--stdio")},
		Build:    &spec.Build{Tables: []string{"pyright"}},
		Install:  append([]spec.Install{npm("pyright"), brew("pyright")}, pypi("pyright")...),
	}),
	pyrightRow("basedpyright", spec.Spec{
		ID: "basedpyright", Title: "basedpyright",
		Roots:    pyrightRoots("basedpyright", "pyright"),
		Commands: []spec.Command{run("basedpyright-langserver", "--stdio")},
		Build:    &spec.Build{Tables: []string{"basedpyright", "pyright"}},
		// Of a class it gives the class before its subclasses, of a method the method before those that override it
		// (1.40.1).
		ImplementsItself: true,
		Install:          append(pypi("basedpyright"), npm("basedpyright"), brew("basedpyright")),
	}),
	{
		ID: "ty", Title: "ty",
		Languages: pythonLanguages,
		Roots: pythonRoots(
			closestTo("ty.toml"),
			tool("ty"),
		),
		Commands: []spec.Command{run("ty", "server")},
		// It computes each answer from the files that it has then, and finds these before its first one (0.0.105).
		Readiness: waits(),
		Omits:     spec.Omits{Uses: "uses of members of values without a known type"}, // 0.0.105
		Freshness: notified("ty.toml", "pyproject.toml"),
		Diagnostics: spec.Diagnostics{Pull: true, Unresolved: unresolvedPython("unresolved-import",
			"Cannot resolve imported module `([^`]+)`")},
		Unannounced: []string{lsp.MethodDocumentDiag}, // it registers this only some time after the handshake
		SkipDirs:    pythonSkips,
		Install:     slices.Concat(pypi("ty"), []spec.Install{brew("ty")}),
	}, {
		ID: "pylsp", Title: "Python LSP Server",
		Languages: pythonLanguages, Roots: pythonRoots(),
		Commands:    []spec.Command{run("pylsp")},
		Freshness:   opened(), // jedi caches modules by modification time
		Diagnostics: spec.Diagnostics{Versioned: true},
		SkipDirs:    pythonSkips,
		Install:     append(pypi("'python-lsp-server[all]'"), apt("python3-pylsp"), brew("python-lsp-server")),
	}, {
		ID: "jedi-language-server", Title: "jedi-language-server",
		Languages: pythonLanguages, Roots: pythonRoots(),
		Commands:  []spec.Command{run("jedi-language-server")},
		Freshness: opened(),
		SkipDirs:  pythonSkips,
		Install:   pypi("jedi-language-server"),
	}, {
		ID: "zuban", Title: "Zuban",
		Languages: pythonLanguages,
		Roots:     pythonRoots(closestTo("mypy.ini", ".mypy.ini"), tool("zuban"), tool("mypy")),
		Commands:  []spec.Command{run("zuban", "server")},
		Readiness: waits(), // it computes each answer from the files that it has then (0.10.2)
		// 86 of 124 references of click's Context (0.10.2).
		Omits:       spec.Omits{Uses: "names in quoted annotations, and uses of members of values without a known type"},
		Freshness:   notified("mypy.ini", ".mypy.ini", "pyproject.toml"),
		Diagnostics: pull(),
		SkipDirs:    pythonSkips,
		Install:     pypi("zuban"),
	}, {
		ID: "ruff", Title: "Ruff",
		Languages: pythonLanguages,
		Roots: pythonRoots(
			closestTo("ruff.toml", ".ruff.toml"),
			tool("ruff"),
		),
		Roles:         spec.RoleDiagnostics | spec.RoleEdits,
		SharedFolders: true,
		Commands:      []spec.Command{run("ruff", "server")},
		Readiness:     waits(), // looks at one file at a time
		Freshness:     notified("ruff.toml", ".ruff.toml", "pyproject.toml"),
		Diagnostics: spec.Diagnostics{Pull: true, // behind an error of the syntax it runs no rule (0.17.5)
			Stops: &spec.Stops{Codes: []string{"invalid-syntax"}}},
		Formatting: spec.Formatting{TextAlone: true, Unparsed: []string{"invalid-syntax"}},
		SkipDirs:   pythonSkips,
		Install:    append(pypi("ruff"), brew("ruff"), cargoInstall("--git https://github.com/astral-sh/ruff ruff")),
	},
}

// pyrightRow completes the row of a server that is Pyright or made of it, whose settings stand in section.
func pyrightRow(section string, s spec.Spec) spec.Spec {
	s.Languages, s.SkipDirs = pythonLanguages, pythonSkips
	s.Settings = map[string]any{section: map[string]any{"analysis": map[string]any{
		"autoSearchPaths": true, "useLibraryCodeForTypes": true, "diagnosticMode": "openFilesOnly",
	}}}
	// Asked before it has listed the project's files it answers from the open ones alone; then it logs "Found N source
	// files" or "No source files found." (pyright 1.1.414, basedpyright 1.40.1). Not shared: an added folder logs the
	// same line once more.
	s.Readiness = message("window/logMessage", "ource file")
	s.Readiness.Loads = pythonLoads
	// A changed configuration is read at some time after its notification, and nothing tells when: asked at once it
	// answers by the old one (pyright 1.1.414).
	s.Freshness = spec.Freshness{Watched: true, OpenNew: true, RestartOn: []string{"pyrightconfig.json",
		"pyproject.toml",
		"setup.cfg", "pytest.ini", ".pytest.ini", "tox.ini"}} // which [pyright.SearchPaths] reads
	// The letters in their order, anywhere in the bare name; an empty query finds nothing (pyright 1.1.414).
	s.Symbols = spec.SymbolQuery{Containing: "%s", Locals: true} // variables and parameters of functions (1.1.414)
	// Without the declaration it leaves out the place that was asked about (pyright 1.1.414, basedpyright 1.40.1).
	s.UsesMistaken = true
	s.Dynamic = untypedPython
	s.UsedBy = []string{"pyx", "pxd"}
	// A search that is cancelled before it began leaves something behind on which every later one fails:
	// "this._token.cancel is not a function" (pyright 1.1.414, basedpyright 1.40.1; the latter for implementations
	// as well).
	s.Uncancellable = []string{lsp.MethodReferences, lsp.MethodImplementation}
	// An import of a file that is open and not on disk is "could not be resolved" (pyright 1.1.414).
	s.Diagnostics = spec.Diagnostics{Pull: true, FilesOnDisk: true, Imports: lang.PythonImports,
		Global: lang.PythonGlobal,
		// Errors of the syntax have no rule; what the parser takes for part of them has no findings any more
		// (pyright 1.1.414).
		Stops: &spec.Stops{Codes: []string{""}, Elsewhere: true}, Unresolved: unresolvedPython("reportMissingImports",
			`Import "([^"]+)" could not be resolved`)}
	// It looks at its search paths by watchers of its own, that miss packages which come and go (pyright 1.1.414).
	s.Packages = &spec.Packages{
		Homes: []spec.Home{
			{Folder: ".venv"}, {Folder: "venv"}, {Folder: "env"}, {Folder: ".conda"}, {Variable: "VIRTUAL_ENV"},
			{Variable: "CONDA_PREFIX"}, {Program: "python3"}, {Program: "python"},
		},
		Installed: []string{"lib/python*/site-packages", "lib/python*/dist-packages", "Lib/site-packages"},
		Setting:   section + ".analysis.extraPaths",
		Besides:   pyright.SearchPaths,
		Replaced:  func(root string) bool { return pyright.NamesPaths(root, s.Build.Tables) },

		ProgramSetting: "python.pythonPath",
	}
	// basedpyright takes either table of pyproject.toml (1.40.1).
	s.Build.Why = "include or exclude in pyrightconfig.json or pyproject.toml leaves it out"
	return s
}

// unresolvedPython is how a server says that it does not find a package (pyright 1.1.414, basedpyright 1.40.1, ty
// 0.0.105).
func unresolvedPython(code, message string) *spec.Unresolved {
	return &spec.Unresolved{Codes: []string{code}, Message: message, Generators: []spec.Generator{
		{Marks: []string{"uv.lock"}, Command: "uv sync"},
		{Marks: []string{"poetry.lock"}, Command: "poetry install"},
		{Marks: []string{"pdm.lock"}, Command: "pdm install"},
		{Marks: []string{"Pipfile"}, Command: "pipenv install --dev"},
		{Marks: []string{"requirements.txt"},
			Command: "python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt"},
		{Marks: []string{"pyproject.toml", "setup.py", "setup.cfg"},
			Command: "python3 -m venv .venv && .venv/bin/python -m pip install -e ."},
	}, Hint: "A package that the project does not name is added to its requirements first. One that is installed elsewhere is found by starting the host " +
		"with that environment active."}
}

// untypedPython: of what nobody gave a type a hover says Unknown, of self that it is Self, which may be any class below
// (pyright 1.1.414, basedpyright 1.40.1).
var untypedPython = &spec.Dynamic{
	Getters: []string{"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"},
	Untyped: []string{"Unknown", "Any", "Self", "ModuleType"},
	Body:    ":", Constructors: []string{"__init__", "__new__"},
	Injected: "fixture",
}

// pythonLoads is what pyright 1.1.414 says of a configuration that it cannot use. It goes on with its defaults:
// other files are in the project then, and packages of the environment are not found. A new configuration makes a
// new process.
var pythonLoads = spec.Loads{
	Failed: []string{
		`(?P<reason>Config file "[^"]*" could not be (?:parsed|read))`,
		`(?P<reason>venvPath .* is not a valid directory|venv .* subdirectory not found in venv path .*)`,
	},
	Cures: []spec.Cure{
		{Said: `^Config file`,
			Have: "Correct the named configuration file, or the path by which another one extends it."},
		{Said: `^venv`, Have: "Correct venvPath and venv in the configuration, or create the environment."},
	},
}
