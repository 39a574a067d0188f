package spec

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// System says which ways to install a program can be run here. [launch.ThisSystem] returns the real one.
type System struct {
	OS     string                      // as runtime.GOOS
	Root   bool                        // the user may install without sudo
	Look   func(program string) string // its path on PATH; "" when it is not there
	Exists func(glob string) bool      // whether an absolute glob matches anything
}

// managers are the package managers: what people call their packages' place, and what has to hold besides that a
// program of the name is there.
var managers = map[string]struct {
	place   string
	systems []string // nil means all
	file    string   // that the manager has on every system of its own; "" asks for none
}{
	"brew": {place: "Homebrew", systems: []string{"darwin", "linux"}},
	// Fink has an apt-get for macOS, with other packages.
	"apt-get": {place: "Debian and Ubuntu", systems: []string{"linux"}},
	"dnf":     {place: "Fedora", systems: []string{"linux"}},
	// Debian's pacman is a game, and that of MSYS2 has other names.
	"pacman": {place: "Arch Linux", systems: []string{"linux"}, file: "/etc/pacman.conf"},
	"yay":    {place: "the AUR", systems: []string{"linux"}},
	"snap":   {place: "snap", systems: []string{"linux"}},
	"nix":    {place: "nixpkgs", systems: []string{"darwin", "linux"}},
	"scoop":  {place: "Scoop", systems: []string{"windows"}},
	"choco":  {place: "Chocolatey", systems: []string{"windows"}},
	"winget": {place: "winget", systems: []string{"windows"}},
	"npm":    {place: "npm"}, "uv": {place: "PyPI"}, "pipx": {place: "PyPI"}, "pip": {place: "PyPI"},
	"cargo": {place: "crates.io"}, "go": {place: "Go's modules"}, "gem": {place: "RubyGems"}, "opam": {place: "opam"},
	"dotnet": {place: "NuGet"}, "cs": {place: "Coursier"}, "ghcup": {place: "GHCup"}, "nimble": {place: "Nimble"},
	"alr": {place: "Alire"}, "composer": {place: "Packagist"}, "rustup": {place: "rustup"},
}

// IsManager reports whether a program is a package manager that [Install.Words] has a name for.
func IsManager(program string) bool { return managers[program].place != "" }

// Commands returns the commands that can be run here as they are, in the order of ways.
func (s System) Commands(ways []Install) []string {
	out := []string{}
	for _, in := range ways {
		if command := s.command(in); command != "" && !slices.Contains(out, command) {
			out = append(out, command)
		}
	}
	return out
}

// command is a way as it runs here; "" when it does not.
func (s System) command(in Install) string {
	m := managers[in.Needs]
	program := ""
	if in.Needs != "" {
		program = s.Look(in.Needs)
	}
	switch {
	case in.Command == "", in.Needs != "" && program == "", strings.HasPrefix(in.Command, "lspi ") &&
		s.Look("lspi") == "":
		return ""
	case m.systems != nil && !slices.Contains(m.systems, s.OS), m.file != "" && !s.Exists(m.file), in.File != "" &&
		!s.Exists(in.File):
		return ""
	case in.Needs == "pip" &&
		s.Exists(filepath.Join(filepath.Dir(program), "..", "lib", "python3*", "EXTERNALLY-MANAGED")):
		return "" // it refuses to install outside of a virtual environment (PEP 668): Debian, Fedora, Homebrew
	}
	bare, asRoot := strings.CutPrefix(in.Command, "sudo ")
	switch {
	case !asRoot || s.Look("sudo") != "":
		return in.Command
	case s.Root:
		return bare
	}
	return ""
}

// InstallWords says how to get the server when none of its install commands can be run; "" when nothing is known.
func (s *Spec) InstallWords() string { return InstallWords(cmp.Or(s.Title, s.ID), s.Install) }

// InstallWords says where a program comes from, in one or two sentences without a command.
func InstallWords(name string, ways []Install) string {
	var packages []string
	places := map[string][]string{}
	for _, in := range ways {
		if in.Package == "" {
			continue
		}
		if !slices.Contains(packages, in.Package) {
			packages = append(packages, in.Package)
		}
		if place := managers[in.Needs].place; place != "" && !slices.Contains(places[in.Package], place) {
			places[in.Package] = append(places[in.Package], place)
		}
	}
	var parts []string
	for _, p := range packages {
		if len(places[p]) > 0 {
			p += " (" + strings.Join(places[p], ", ") + ")"
		}
		parts = append(parts, p)
	}
	switch {
	case len(ways) == 0:
		return ""
	case len(parts) == 0:
		return "Install " + name + " and put it on PATH."
	}
	return "Install " + name + " and put it on PATH. It comes as " + strings.Join(parts, ", ") +
		"; no installer of these is on this system."
}
