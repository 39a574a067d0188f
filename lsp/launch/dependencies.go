package launch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Dependencies looks for the folders of dependencies of one process.
type Dependencies struct {
	Spec    *spec.Spec
	Root    string
	Command string // the executable that runs
	PID     int
	Life    context.Context // ends with the process
	Reach   *source.Reach   // of the project
}

// Folders returns the folders of [spec.Sources] for one process, each by its name and with links resolved.
func (s *Dependencies) Folders() []string {
	programs := s.programs()
	named := slices.Concat(s.named(), s.asked(), s.besides(programs), s.upward(programs))
	var out []string
	for _, dir := range named {
		// Not one in the project: a link there may lead anywhere.
		if !filepath.IsAbs(dir) || !source.IsFolder(dir) || source.TooWide(dir) || s.Reach.Holds(dir) {
			continue
		}
		out = append(out, source.RealFolders(dir)...)
		out = append(out, linkedIn(dir)...)
	}
	out = slices.DeleteFunc(out, source.TooWide)
	slices.Sort(out)
	return slices.Compact(out)
}

// maxLinkedIn bounds the entries of a folder that linkedIn looks at.
const maxLinkedIn = 1000

// linkedIn returns the folders to which symbolic links directly in dir lead: Debian's GOROOT links to its sources.
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

// named returns the folders that the row of the server or its environment names.
func (s *Dependencies) named() (out []string) {
	home, _ := os.UserHomeDir()
	for _, glob := range s.Spec.Sources.Folders {
		if rest, ok := strings.CutPrefix(glob, "~/"); ok {
			glob = filepath.Join(source.GlobQuote(home), filepath.FromSlash(rest))
		}
		out = append(out, source.Glob("", glob)...)
	}
	for _, name := range s.Spec.Sources.Variables {
		name, below, _ := strings.Cut(name, "/")
		for _, dir := range filepath.SplitList(s.variable(name)) {
			out = append(out, filepath.Join(dir, filepath.FromSlash(below)))
		}
	}
	return out
}

// askLimit bounds the time of a command that prints folders.
const askLimit = 5 * time.Second

// asked returns the folders that commands print. A program in the project is not run.
func (s *Dependencies) asked() (out []string) {
	dirs := searchPath(s.Spec)
	for _, line := range s.Spec.Sources.Ask {
		for _, program := range onPath(s.Spec, dirs, spec.Command{Name: line[0]}) {
			if printed, ok := s.ask(program.Path, line[1:]); ok {
				out = append(out, printed...)
				break
			}
		}
	}
	return out
}

func (s *Dependencies) ask(program string, args []string) (lines []string, ok bool) {
	for _, path := range source.RealFolders(program) {
		if s.Reach.Holds(path) {
			return nil, false
		}
	}
	ctx, cancel := context.WithTimeout(s.Life, askLimit)
	defer cancel()
	cmd := Run(ctx, s.Spec, neutralFolder(program), append([]string{program}, args...)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSpace(string(out)), "\r\n", "\n"), "\n"), true
}

// besides returns the folders that are found from the place of the program.
func (s *Dependencies) besides(programs []string) (out []string) {
	for _, p := range programs {
		for _, glob := range s.Spec.Sources.Program {
			out = append(out, source.Glob(filepath.Dir(p), glob)...)
		}
	}
	return out
}

// upward returns the folders of packages above the project, and the outermost that holds the program.
func (s *Dependencies) upward(programs []string) (out []string) {
	for _, name := range s.Spec.Sources.Upward {
		for dir := s.Root; ; dir = filepath.Dir(dir) {
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

// given returns a variable with which the server was started.
func (s *Dependencies) given(name string) string {
	for _, entry := range Environment(s.Spec) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
