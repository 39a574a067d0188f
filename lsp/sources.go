package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/disk"
	"lspi/source"
)

// dependencySearch is the look for the folders of one process.
type dependencySearch struct {
	spec    *Spec
	root    string
	command string // the executable that runs
	pid     int
	life    context.Context // of the process
	reach   *source.Reach   // of the project
}

// folders are those of [Sources] for one process, links resolved beside the names that they are known by.
func (f *Sources) folders(s *dependencySearch) []string {
	programs := s.programs()
	named := slices.Concat(f.named(s), f.asked(s), f.besides(programs), f.upward(s.root, programs))
	var out []string
	for _, dir := range named {
		if !filepath.IsAbs(dir) || !disk.IsFolder(dir) || disk.TooWide(dir) || s.reach.Holds(dir) { // in the project a link may lead anywhere
			continue
		}
		out = append(out, source.RealFolders(dir)...)
		out = append(out, linkedIn(dir)...)
	}
	out = slices.DeleteFunc(out, disk.TooWide)
	slices.Sort(out)
	return slices.Compact(out)
}

// maxLinkedIn bounds the entries of a folder that are looked at.
const maxLinkedIn = 1000

// linkedIn are the folders to which symbolic links right in dir lead: Debian's GOROOT has its sources by such a link.
func linkedIn(dir string) (out []string) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxLinkedIn)
	for _, e := range entries {
		if e.Type() != os.ModeSymlink {
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
		if info, statErr := os.Stat(real); err == nil && statErr == nil && info.IsDir() {
			out = append(out, real)
		}
	}
	return out
}

// named are the folders that the row or the environment of the server names.
func (f *Sources) named(s *dependencySearch) (out []string) {
	home, _ := os.UserHomeDir()
	for _, glob := range f.Folders {
		if rest, ok := strings.CutPrefix(glob, "~/"); ok {
			glob = filepath.Join(disk.GlobQuote(home), filepath.FromSlash(rest))
		}
		out = append(out, disk.Glob("", glob)...)
	}
	for _, name := range f.Variables {
		name, below, _ := strings.Cut(name, "/")
		for _, dir := range filepath.SplitList(s.variable(name)) {
			out = append(out, filepath.Join(dir, filepath.FromSlash(below)))
		}
	}
	return out
}

// askLimit bounds one command that prints folders.
const askLimit = 5 * time.Second

// asked are the folders that the commands print. A program that lies in the project is not run.
func (f *Sources) asked(s *dependencySearch) (out []string) {
	dirs := s.spec.searchPath()
	for _, line := range f.Ask {
		for _, program := range s.spec.onPath(dirs, Command{Name: line[0]}) {
			if printed, ok := s.ask(program.Path, line[1:]); ok {
				out = append(out, printed...)
				break
			}
		}
	}
	return out
}

func (s *dependencySearch) ask(program string, args []string) (lines []string, ok bool) {
	for _, path := range source.RealFolders(program) {
		if s.reach.Holds(path) {
			return nil, false
		}
	}
	ctx, cancel := context.WithTimeout(s.life, askLimit)
	defer cancel()
	cmd := s.spec.Run(ctx, nowhere(program), append([]string{program}, args...)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSpace(string(out)), "\r\n", "\n"), "\n"), true
}

// besides are the folders by the place of the program.
func (f *Sources) besides(programs []string) (out []string) {
	for _, p := range programs {
		for _, glob := range f.Program {
			out = append(out, disk.Glob(filepath.Dir(p), glob)...)
		}
	}
	return out
}

// upward are the folders of packages above the project, and those that the program lies in, the outermost of each.
func (f *Sources) upward(root string, programs []string) (out []string) {
	for _, name := range f.Upward {
		for dir := root; ; dir = filepath.Dir(dir) {
			out = append(out, filepath.Join(dir, name))
			if dir == filepath.Dir(dir) {
				break
			}
		}
		for _, p := range programs {
			sep := string(filepath.Separator)
			if before, _, ok := strings.Cut(p, sep+name+sep); ok {
				out = append(out, filepath.Join(before, name))
			}
		}
	}
	return out
}

// given is a variable as the server was started with it.
func (s *dependencySearch) given(name string) string {
	for _, entry := range s.spec.environment() {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func (f *Sources) hasExtension(base string) bool {
	return slices.ContainsFunc(f.Extensions, func(ext string) bool { return filepath.Ext(base) == "."+ext })
}
