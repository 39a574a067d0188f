package servers

import (
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/lsp/spec"
)

// What the rows of the catalogue are made of, so that each row holds only what is particular to its server.
// Lists are copied, so that two rows made from one list are apart.

// languages are languages of the table with all of their files.
func languages(ids ...string) (out []spec.Language) {
	for _, id := range ids {
		l := lang.ByID(id)
		out = append(out, spec.Language{ID: id, Extensions: slices.Clone(l.Extensions),
			FileNames: slices.Clone(l.FileNames)})
	}
	return out
}

// extensions is a language of which a server handles the files with these extensions only.
func extensions(id string, extensions ...string) spec.Language {
	return spec.Language{ID: id, Extensions: slices.Clone(extensions)}
}

// run is a command with its arguments.
func run(name string, args ...string) spec.Command { return spec.Command{Name: name, Args: args} }

// roots is a rule of groups in order of rank; without a marker the workspace root is the root.
func roots(groups ...spec.MarkerGroup) spec.RootRule { return spec.RootRule{Groups: groups} }

// outermostOnly is roots of which a question about the workspace asks about the outermost only.
func outermostOnly(groups ...spec.MarkerGroup) spec.RootRule {
	return spec.RootRule{Groups: groups, OutermostOnly: true}
}

// required is a rule whose server is not offered without a marker.
func required(groups ...spec.MarkerGroup) spec.RootRule {
	return spec.RootRule{Groups: groups, Required: true}
}

// closestTo picks the folder with one of the files that is nearest to the source file.
func closestTo(files ...string) spec.MarkerGroup { return spec.MarkerGroup{Files: slices.Clone(files)} }

// topmost picks the folder with one of the files that is nearest to the workspace root.
func topmost(files ...string) spec.MarkerGroup {
	return spec.MarkerGroup{Files: slices.Clone(files), Pick: spec.Outermost}
}

// repository is the last resort of languages without project files.
func repository() spec.RootRule { return roots(closestTo(".git")) }

// offersAtOnce are the client capabilities with which a server offers these requests (members of textDocument), and
// workspace/symbol, in its answer to initialize, and does not register them later.
func offersAtOnce(requests ...string) map[string]any {
	static := func() map[string]any { return map[string]any{"dynamicRegistration": false} }
	document := map[string]any{}
	for _, r := range requests {
		document[r] = static()
	}
	return map[string]any{"textDocument": document, "workspace": map[string]any{"symbol": static()}}
}

// The freshness means of rows that were never run. A notification costs nothing where it is ignored, so all rows send
// it; opening is added for servers that read other files once and register no watchers.

// notified: the server registers watchers, or rereads what it is told about.
func notified(globs ...string) spec.Freshness {
	return spec.Freshness{Watched: true, Globs: slices.Clone(globs)}
}

// opened: the server knows only open documents, or reads others once.
func opened(globs ...string) spec.Freshness {
	return spec.Freshness{Watched: true, Open: true, Globs: slices.Clone(globs)}
}

// progress: work done progress with one of these tokens or titles, any when none is named.
func progress(tokens ...string) spec.Readiness {
	return spec.Readiness{Sign: spec.SignProgress, Tokens: tokens}
}

// message: a notification of this method whose parameters hold the text.
func message(method, text string) spec.Readiness {
	return spec.Readiness{Sign: spec.SignMessage, Tokens: []string{method, text}}
}

// waits: the server holds requests back until it is ready, or has nothing to load besides the document.
func waits() spec.Readiness { return spec.Readiness{Sign: spec.SignWaits} }

// silent: no sign is known, so that answers are of unknown completeness. A row without Readiness says the same.
func silent() spec.Readiness { return spec.Readiness{Sign: spec.SignNone} }

// pull: the server answers textDocument/diagnostic.
func pull() spec.Diagnostics { return spec.Diagnostics{Pull: true} }

// The installs, each a command line that runs as it is where its program is there.

// by is an install by a program. The last word of a package manager's command is the name of the package.
func by(program, command string) spec.Install {
	in := spec.Install{Needs: program, Command: command}
	if spec.IsManager(program) {
		in.Package = command[strings.LastIndexByte(command, ' ')+1:]
	}
	return in
}

// called gives the package its name where the command does not end with it.
func called(name string, in spec.Install) spec.Install {
	in.Package = name
	return in
}

// download is what no command installs: where it comes from, in words.
func download(where string) spec.Install { return spec.Install{Package: where} }

func npm(packages string) spec.Install {
	return called(packages, by("npm", "npm install -g "+packages))
}
func brew(formula string) spec.Install { return by("brew", "brew install "+formula) }
func apt(name string) spec.Install     { return by("apt-get", "sudo apt-get install -y "+name) }

// aptIn is apt where a file, an absolute glob, tells that the release has the package.
func aptIn(file, name string) spec.Install {
	in := apt(name)
	in.File = file
	return in
}

// The files by which releases of Debian are told apart.
const (
	fromTrixie = "/usr/lib/*-linux-gnu/libapt-pkg.so.[7-9]*" // Debian 13 and what was made of it
	sid        = "/var/lib/apt/lists/*_dists_sid_*"
)

func cargoInstall(crate string) spec.Install {
	return called(crateName(crate), by("cargo", "cargo install --locked "+crate))
}
func gem(name string) spec.Install  { return by("gem", "gem install "+name) }
func opam(name string) spec.Install { return by("opam", "opam install "+name) }
func dotnet(tool string) spec.Install {
	return called(firstWord(tool), by("dotnet", "dotnet tool install --global "+tool))
}
func coursier(app string) spec.Install   { return by("cs", "cs install "+app) }
func goInstall(path string) spec.Install { return called(path, by("go", "go install "+path+"@latest")) }
func nixProfile(name string) spec.Install {
	return called(name, by("nix", "nix profile install nixpkgs#"+name))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// crateName is the crate of the arguments of cargo install, with where it comes from when that is not the registry.
func crateName(arguments string) string {
	if rest, ok := strings.CutPrefix(arguments, "--git "); ok {
		return firstWord(rest)
	}
	return firstWord(arguments)
}

// pypi lists the usual ways to a program from the Python package index, the isolated ones first.
func pypi(name string) []spec.Install {
	return []spec.Install{
		by("uv", "uv tool install "+name), by("pipx", "pipx install "+name), by("pip", "pip install "+name),
	}
}
