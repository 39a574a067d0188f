package spec

import (
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

// Only what runs here as it stands is a command.
func TestInstallCommands(t *testing.T) {
	ways := []Install{
		{Needs: "brew", Command: "brew install x", Package: "x"},
		{Needs: "apt-get", Command: "sudo apt-get install -y x", Package: "x"},
		{Needs: "pacman", Command: "sudo pacman -S --noconfirm x", Package: "x"},
		{Needs: "winget", Command: "winget install X.X", Package: "X.X"},
		{Needs: "npm", Command: "npm install -g x", Package: "x"},
		{Needs: "pip", Command: "pip install x", Package: "x"},
		{Needs: "apt-get", Command: "sudo apt-get install -y new-x", Package: "new-x", File: "/new/release"},
		{Package: "a release of example.com/x"},
	}
	for name, c := range map[string]struct {
		os       string
		root     bool
		programs []string
		files    []string
		want     []string
	}{
		"Debian": {os: "linux", programs: []string{"apt-get", "sudo", "pacman", "npm", "pip"},
			files: []string{"/bin/../lib/python3*/EXTERNALLY-MANAGED"},
			want:  []string{"sudo apt-get install -y x", "npm install -g x"}},
		"a new release": {os: "linux", root: true, programs: []string{"apt-get"}, files: []string{"/new/release"},
			want: []string{"apt-get install -y x", "apt-get install -y new-x"}},
		"a container": {os: "linux", root: true, programs: []string{"apt-get"}, want: []string{"apt-get install -y x"}},
		"no rights":   {os: "linux", programs: []string{"apt-get", "pip"}, want: []string{"pip install x"}},
		"Arch": {os: "linux", programs: []string{"pacman", "sudo"}, files: []string{"/etc/pacman.conf"},
			want: []string{"sudo pacman -S --noconfirm x"}},
		"macOS": {os: "darwin", programs: []string{"brew", "apt-get", "sudo"}, want: []string{"brew install x"}},
		"Windows": {os: "windows", programs: []string{"winget", "npm", "pacman"},
			want: []string{"winget install X.X", "npm install -g x"}},
		"nothing": {os: "linux", want: []string{}},
	} {
		s := System{OS: c.os, Root: c.root,
			Look: func(program string) string {
				if slices.Contains(c.programs, program) {
					return "/bin/" + program
				}
				return ""
			},
			Exists: func(glob string) bool {
				return slices.ContainsFunc(c.files, func(f string) bool {
					return filepath.Clean(f) == filepath.Clean(glob)
				})
			},
		}
		if got := s.Commands(ways); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	want := "Install X and put it on PATH. It comes as x (Homebrew, Debian and Ubuntu, Arch Linux, npm, PyPI), X.X (winget), " +
		"new-x (Debian and Ubuntu), a release of example.com/x; no installer of these is on this system."
	testkit.Equal(t, InstallWords("X", ways), want)
	testkit.Equal(t, InstallWords("X", nil), "")
}
