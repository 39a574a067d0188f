package spec

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// maxUp bounds the folders above a project that are looked at.
const maxUp = 8

// SignPaths returns the paths whose changes say that packages of a project at root came or went: those of the project
// and of the folders above, for monorepos, and the homes of packages. They need not exist. It returns none without
// Packages.
func (s *Spec) SignPaths(root string) (out []string) {
	p := s.Packages
	if p == nil {
		return nil
	}
	for _, dir := range upward(root) {
		for _, name := range p.signs() {
			out = append(out, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	for _, home := range s.homes(root) {
		if folders := p.within(home); len(folders) > 0 {
			out = append(out, folders...)
		} else {
			out = append(out, home) // it may be created or filled later
		}
	}
	return out
}

// Installed are the folders that packages are in, of the environments of a project at root.
func (s *Spec) Installed(root string) (out []string) {
	if s.Packages == nil {
		return nil
	}
	for _, home := range s.homes(root) {
		out = append(out, s.Packages.within(home)...)
	}
	return out
}

func (p *Packages) signs() []string {
	out := slices.Concat(p.Signs, p.Instead)
	if p.Folder != "" {
		out = append(out, p.Folder)
	}
	return out
}

// homes are the environments of a project at root; those in a folder of the project need not exist.
func (s *Spec) homes(root string) (out []string) {
	for _, h := range s.Packages.Homes {
		out = append(out, s.homePaths(h, root)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *Spec) homePaths(h Home, root string) (out []string) {
	switch {
	case h.Folder != "":
		for _, dir := range upward(root) {
			out = append(out, filepath.Join(dir, h.Folder))
		}
	case s.active(h):
		out = append(out, s.Getenv(h.Variable))
	case h.Program != "":
		path := s.onPath(h.Program)
		if path == "" {
			return nil
		}
		out = append(out, filepath.Dir(filepath.Dir(path)))
		if real, err := filepath.EvalSymlinks(path); err == nil {
			out = append(out, filepath.Dir(filepath.Dir(real)))
		}
	}
	return out
}

// active reports whether the user has chosen this home for all that runs.
func (s *Spec) active(h Home) bool { return h.Variable != "" && filepath.IsAbs(s.Getenv(h.Variable)) }

// onPath is a program of the session's PATH, absolute; "" when there is none. Relative entries of PATH do not count.
func (s *Spec) onPath(program string) string {
	for _, dir := range filepath.SplitList(s.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, program)); filepath.IsAbs(dir) && err == nil {
			return path
		}
	}
	return ""
}

// within are the folders of a home that packages are in.
func (p *Packages) within(home string) (out []string) {
	for _, glob := range p.Installed {
		found, _ := filepath.Glob(filepath.Join(source.GlobQuote(home), filepath.FromSlash(glob)))
		out = append(out, found...)
	}
	return out
}

// Missing returns the folder of the manifest nearest above path, and how many dependencies that names, when none of
// them is installed; "" when they are, when there is nothing to install, or when the manifest cannot be read.
func (p *Packages) Missing(path string) (folder string, total int) {
	if p == nil || p.Manifest == "" {
		return "", 0
	}
	for _, dir := range upward(path) {
		manifest := filepath.Join(dir, p.Manifest)
		if !source.Exists(manifest) {
			continue
		}
		if p.installed(dir) { // the usual case, so before the manifest is read
			return "", 0
		}
		raw, err := source.ReadBytes(manifest)
		if total = p.count(raw); err != nil || total == 0 {
			return "", 0
		}
		return dir, total
	}
	return "", 0
}

// Generator returns the way to install packages that fits a folder; nil when none does.
func (p *Packages) Generator(folder string) *Generator {
	return fitting(p.Generators, source.Holds(folder))
}

// count is the number of dependencies in a manifest.
func (p *Packages) count(raw []byte) (n int) {
	var manifest map[string]json.RawMessage
	if json.Unmarshal(raw, &manifest) != nil {
		return 0
	}
	for _, key := range p.Keys {
		var named map[string]json.RawMessage
		if json.Unmarshal(manifest[key], &named) == nil {
			n += len(named)
		}
	}
	return n
}

func (p *Packages) installed(dir string) bool {
	for _, dir := range upward(dir) {
		for _, name := range append([]string{p.Folder}, p.Instead...) {
			if source.Exists(filepath.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// upward is a folder and those above it, up to the root of a repository.
func upward(dir string) (out []string) {
	for range maxUp {
		out = append(out, dir)
		up := filepath.Dir(dir)
		if up == dir || source.Exists(filepath.Join(dir, ".git")) {
			break
		}
		dir = up
	}
	return out
}

// PackageSettings returns the server's settings with further folders of packages in them, where Setting names a place
// for such: those of an environment that the server does not find by itself, and what [Packages].Besides adds. A server
// that is not told of an environment uses that of the program on PATH. An active environment comes before that of the
// project; the user's own settings replace all. Nothing of the environment is run. An active one that lies in a
// workspace which is not trusted is hidden from the server, so it counts as one that merely exists.
func (s *Spec) PackageSettings(given map[string]any, root string, distrusted func(string) bool) map[string]any {
	p := s.Packages
	if p == nil || p.Setting == "" {
		return given
	}
	home, packages, found := s.environmentOf(root, distrusted)
	if p.Replaced != nil && p.Replaced(root) {
		if program := programIn(home); !found && program != "" && !distrusted(home) {
			return Default(given, strings.Split(p.ProgramSetting, "."), program)
		}
		return given
	}
	var folders []string
	if p.Besides != nil {
		folders = p.Besides(root, packages)
	}
	if !found {
		folders = append(folders, packages...)
	}
	if len(folders) == 0 {
		return given
	}
	return Default(given, strings.Split(p.Setting, "."), folders)
}

// environmentOf is the one that a project at root uses, and where its packages are; found reports whether the server
// finds it by itself, since its program is the one on PATH.
func (s *Spec) environmentOf(root string, distrusted func(string) bool) (home string, packages []string, found bool) {
	p := s.Packages
	program := "" // of the server's own choice: its environment
	for _, h := range p.Homes {
		if h.Program != "" && program == "" {
			if path := s.onPath(h.Program); path != "" {
				program = filepath.Dir(filepath.Dir(path))
			}
		}
	}
	for _, h := range p.Homes {
		if home = s.Getenv(h.Variable); s.active(h) && !distrusted(home) {
			if packages = p.within(home); len(packages) > 0 {
				return home, packages, sameFolder(home, program)
			}
		}
	}
	for _, h := range p.Homes {
		for _, home = range s.homePaths(h, root) {
			if packages = p.within(home); h.Folder != "" && len(packages) > 0 {
				return home, packages, false
			}
		}
	}
	return program, p.within(program), true
}

// programIn is the interpreter of an environment; "" when it has none that can be run.
func programIn(home string) string {
	for _, name := range []string{"bin/python", "Scripts/python.exe", "python.exe"} {
		if path, err := exec.LookPath(filepath.Join(home, filepath.FromSlash(name))); err == nil {
			return path
		}
	}
	return ""
}

func sameFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
